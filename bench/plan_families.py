"""How near does a plan come to a greedy oracle, and how often do its intervals hold? Drawn maps with exact truth.

Each seed draws a map of its own: sites, factors, levels, shares, traps, costs, a laboratory. Its truth is a formula of
the counts of related demonstrations, in three forms and with three speeds of learning that go round with the seed.
Nothing is shared with the picking floor or with the planner's model. Four rounds of a budget of 40 or 80 follow 150
to 700 demonstrations of the laboratory; each round logs 400, 800 or 1,600 attempts in production.

Strategies: marginal (ours), failure_frequency, frequency (the baseline), uniform; informed, in proportion to traffic ×
(true failure now − true failure after plenty) ÷ cost, a rule that can be beaten; greedy, which knows the true success
after any demonstrations and buys where it rises most for its cost. Metric: AUC, the mean success after rounds 1 to 4.
`headroom_<family>` is (ours − frequency) ÷ (greedy − frequency) of mean AUC; `held_<speed>` is how often the gain of a
round of ours lay in the promised interval of `plan.confidence` (0.9); before the first and after it separately, too.

Development seeds are from 0, final seeds from 50,000; the final ones were run once for the table.

    python -m bench.plan_families --seeds 50000:50027 --rows bench/results/plan_families.jsonl --page docs/planning.md
"""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.closed_loop.analytic import GREEDY, INFORMED, draw_world, run
from bench.closed_loop.judge import Estimate, headroom_share, paired
from bench.closed_loop.maps import FAMILIES, Floats
from bench.doc_page import put
from bench.harness import Figure, table
from fieldloop.protocol import default_operations
from fieldloop.stats.binomial import compute_wilson_interval

COMMAND = "bench.plan_families"
OURS, BASELINE = "marginal", "frequency"
STRATEGIES = (OURS, "failure_frequency", BASELINE, "uniform", INFORMED, GREEDY)
ROUNDS = 4
DRAWS = 200
SHORT_SEEDS, LONG_SEEDS = 3, 18
Row = dict[str, Any]


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Run on development seeds and sum up."""
    return figures(list(play(range(SHORT_SEEDS if short else LONG_SEEDS))))


def play(seeds: Iterable[int]) -> Iterable[Row]:
    """Take every strategy through every family's world of each seed; a row is one strategy in one world."""
    settings = default_operations()["plan"]
    for seed in seeds:
        for family in FAMILIES:
            world = draw_world(family.name, seed)
            for strategy in STRATEGIES:
                drawn = settings.replace_values(draws=DRAWS if strategy == OURS else 2)
                turns = run(world, strategy, ROUNDS, drawn)
                row = {"family": family.name, "form": world.form, "speed": world.speed, "seed": seed}
                row |= {"strategy": strategy, "strata": len(world.place.codes), "budget": world.budget}
                yield row | {"turns": [{k: round(v, 5) for k, v in asdict(turn).items()} for turn in turns]}


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Sum up: headroom by family, form and speed, and how often promises held."""
    found: dict[str, Figure] = {}
    for column in ("family", "form", "speed"):
        for name in dict.fromkeys(row[column] for row in rows):
            of = [row for row in rows if row[column] == name]
            share = headroom_share(*(_areas(of, strategy) for strategy in (OURS, BASELINE, GREEDY)))
            aim = "≥ 0.8" if column == "family" else ""
            found[f"headroom_{_key(name)}"] = _figure(share, len(_areas(of, OURS)), "share", aim)
            found[f"held_{_key(name)}"] = _held(of, range(1, ROUNDS + 1), "0.85 to 0.95" if column == "speed" else "")
    found["held_first_round"] = _held(rows, (1,), "")
    found["held_later_rounds"] = _held(rows, range(2, ROUNDS + 1), "")
    found["held_all"] = _held(rows, range(1, ROUNDS + 1), "0.85 to 0.95")
    best = np.max([_areas(rows, name) for name in STRATEGIES if name != GREEDY], axis=0)
    beaten = int(np.count_nonzero(best > _areas(rows, GREEDY)))
    found["greedy_beaten"] = Figure(beaten / len(best), len(best), *compute_wilson_interval(beaten, len(best)), "share")
    return found


def _held(rows: Sequence[Row], rounds: Iterable[int], aim: str) -> Figure:
    """Return the share of rounds whose gain lay in its interval; rounds of one world go together."""
    looked = list(rounds)
    worlds = [[row["turns"][at] for at in looked] for row in rows if row["strategy"] == OURS]
    held = np.array([np.mean([t["low"] <= t["gain"] <= t["high"] for t in turns]) for turns in worlds])
    share = paired(held, np.zeros(len(held)))
    return Figure(share.value, len(held), max(0.0, share.low), min(1.0, share.high), "of rounds", aim)


def _areas(rows: Sequence[Row], strategy: str) -> Floats:
    """Return the mean success after each round, world by world."""
    return np.array(
        [np.mean([turn["production"] for turn in row["turns"][1:]]) for row in rows if row["strategy"] == strategy]
    )


def _key(name: str) -> str:
    return name.replace(" ", "_")


def _figure(estimate: Estimate, n: int, unit: str, aim: str) -> Figure:
    return Figure(estimate.value, n, estimate.low, estimate.high, unit, aim)


def tabulate(rows: Sequence[Row]) -> str:
    """Write one table of strategies by family, in points of AUC over the baseline, and the figures."""
    families = list(dict.fromkeys(row["family"] for row in rows))
    lines = [
        f"| AUC − {BASELINE}, points | " + " | ".join(families) + " |",
        "|---|" + "---|" * len(families),
    ]
    for strategy in STRATEGIES:
        cells = []
        for family in families:
            of = [row for row in rows if row["family"] == family]
            gap = paired(_areas(of, strategy), _areas(of, BASELINE))
            whole = f"{100 * _areas(of, BASELINE).mean():.1f} %"
            half = 100 * (gap.high - gap.value)
            cells.append(whole if strategy == BASELINE else f"{100 * gap.value:+.1f} ± {half:.1f}")
        lines.append(f"| {strategy} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", table(figures(rows))])


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="three development seeds")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--seeds", default=f"0:{LONG_SEEDS}", help="A:B, from A to below B")
    parser.add_argument("--rows", type=Path, help="keep the rows in this file, one line of JSON each")
    parser.add_argument("--page", type=Path, help="exchange the table of this page")
    words = parser.parse_args()
    first, end = map(int, words.seeds.split(":"))
    rows = list(play(range(SHORT_SEEDS) if words.short else range(first, end)))
    if words.rows:
        words.rows.parent.mkdir(parents=True, exist_ok=True)
        words.rows.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    written = tabulate(rows)
    if words.page:
        put(words.page, COMMAND, written)
    found = {name: figure.plain() for name, figure in figures(rows).items()} if words.json else {}
    print(json.dumps(found) if words.json else written)


if __name__ == "__main__":
    main()
