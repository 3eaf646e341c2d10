"""How much sooner does a floor recover when the plan says what to collect? Strategies in closed loop, seed by seed.

Stated before the final seeds were run. What was tuned was tuned on seeds 1000 to 1009; the table is of seeds from 7000;
earlier planners were once tried on 5000 to 5011 and on 6000 to 6009.

A policy learns from 700 demonstrations of the laboratory and goes to production. Then, round by round: 1,200 picks of
production are logged, a strategy plans a budget from that log and from what was demonstrated so far, people
demonstrate, a policy is trained from scratch, and 4,000 other picks, the same for every strategy, say how well it does.

Trials (budget × rounds): covered_traps 40 × 4, the primary one; covered_traps_120, the same at 120 × 4; broad 40 × 4,
a control where little is to be won over frequency; drift 40 × 4, whose mix, lamps and mounts change between rounds;
unequal_cost 80 × 4 in units of an ordinary demonstration's cost; multi_site 40 × 4.
Strategies: marginal (ours); failure_frequency; frequency, the baseline; in the primary trial also uniform and
failure_index over deployed strata, and same, more of the laboratory; informed, in proportion to traffic × (true failure
of a stratum now − that of the reference policy) ÷ cost: an informed rule, no upper bound.

Primary metric: AUC, the mean production success after rounds 1 to 4. `informed_rule_share` is (ours − frequency) ÷
(informed − frequency) of mean AUC; a plan can win more than the rule (`bench.plan_families` has a greedy oracle).
Second: what is spent until X, half-way between the start and a reference policy that learnt long from 8,000
demonstrations of production, measured in the same week and before any strategy runs. `demos_ratio_to_frequency` is what
ours spends until X ÷ what frequency spends, on the mean curves, straight between rounds, in the primary trial, where
these two and the informed rule go on for 16 rounds: X lies beyond the fourth, and on earlier seeds frequency had not
reached it after 12.
If frequency does not get to X, all that it spent counts, so that the ratio can only be too high; if ours does not, the
ratio is infinite, or 1 if neither does. Further: success in the strata that together are the rarest quarter of
production, and what the laboratory loses.
Intervals are at 95 %: Student's of paired differences; for ratios bootstrap over seeds, all of a seed together and X
with them. p is two-sided, of paired differences, by Holm over all contenders and trials.

    python -m bench.plan --folder bench/results/plan --seeds 7000: --workers 2 --page docs/planning.md
    python -m bench.plan --short

Whatever is finished stays in the folder, one line of JSON each; the same command goes on from there.
"""

import argparse
import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.closed_loop.jobs import finished, work
from bench.closed_loop.judge import Estimate, Seen, headroom_share, seen, spent_ratio
from bench.closed_loop.picture import draw
from bench.closed_loop.tables import POINTS, differences, tables
from bench.closed_loop.trials import (
    BASELINE,
    FULL,
    INFORMED,
    OURS,
    PRIMARY,
    SHORT,
    SHORT_SIZES,
    STRATEGIES,
    TRIALS,
    Trial,
)
from bench.doc_page import put
from bench.harness import Figure, table
from bench.plan_loop import Sizes

COMMAND = "bench.plan"
DEVELOPMENT = 1000
AIMS = {"demos_ratio_to_frequency": "≤ 0.45", "informed_rule_share": ""}


@dataclass(frozen=True, slots=True)
class Asked:
    """What to run: trials with their seeds, strategies, sizes, and where rows are kept."""

    trials: Sequence[tuple[Trial, range]]
    strategies: tuple[str, ...]
    sizes: Sizes
    folder: Path
    workers: int = 1

    def of(self, trial: Trial) -> tuple[str, ...]:
        """Which of them a trial has."""
        return tuple(name for name in self.strategies if name in trial.strategies)


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Run on the development seeds and sum up."""
    trials = (SHORT,) if short else TRIALS
    seeds = [(trial, range(DEVELOPMENT, DEVELOPMENT + trial.seeds)) for trial in trials]
    with tempfile.TemporaryDirectory() as folder:
        return figures(look(Asked(seeds, STRATEGIES, SHORT_SIZES if short else FULL, Path(folder))))


def look(asked: Asked) -> list[Seen]:
    """Do what is not done yet, and return every trial that has a seed with all its strategies."""
    work(asked.folder, [(trial, seeds, asked.of(trial)) for trial, seeds in asked.trials], asked.sizes, asked.workers)
    done = finished(asked.folder, asked.sizes)
    found = [seen(trial, seeds, asked.of(trial), done) for trial, seeds in asked.trials]
    return [each for each in found if each.seeds]


def figures(all_seen: Sequence[Seen]) -> dict[str, Figure]:
    """Sum up: the headline figures of the primary trial, and every trial's difference to the baseline."""
    found: dict[str, Figure] = {}
    for each in all_seen:
        if each.trial.name != PRIMARY.name or not {OURS, BASELINE, INFORMED} <= set(each.curves):
            continue
        ratio = spent_ratio(each, OURS, BASELINE)
        share = headroom_share(*(each.area(name) for name in (OURS, BASELINE, INFORMED)))
        for name, estimate in (("demos_ratio_to_frequency", ratio), ("informed_rule_share", share)):
            found[name] = _figure(estimate, each, "times" if estimate is ratio else "share", AIMS[name])
    seeds = {each.trial.name: each for each in all_seen}
    for (trial, strategy), (gap, _) in differences(all_seen).items():
        if strategy == OURS:
            points = Estimate(*(POINTS * number for number in (gap.value, gap.low, gap.high)))
            found[f"auc_over_frequency_{trial}"] = _figure(points, seeds[trial], "points", "")
    return found


def _figure(estimate: Estimate, of: Seen, unit: str, aim: str) -> Figure:
    return Figure(estimate.value, len(of.seeds), estimate.low, estimate.high, unit, aim)


def as_json(found: Mapping[str, Figure]) -> str:
    """Write the figures as one object; what is not finite becomes null, for JSON knows no infinity."""
    numbers = {name: {"value": f.value, "n": f.n, "low": f.low, "high": f.high} for name, f in found.items()}
    finite = {
        name: {key: number if number is not None and math.isfinite(number) else None for key, number in each.items()}
        for name, each in numbers.items()
    }
    return json.dumps(finite, allow_nan=False)


def _seeds(text: str) -> tuple[int, int | None]:
    first, _, end = text.partition(":")
    if not first.isdecimal() or (end and not (end.isdecimal() and int(end) > int(first))):
        raise argparse.ArgumentTypeError(f"{text!r} is not A:B with A below B, nor A:")
    return int(first), int(end) if end else None


def _asked(words: argparse.Namespace) -> Asked:
    trials = [SHORT] if words.short else [trial for trial in TRIALS if trial.name in words.presets]
    first, end = words.seeds
    seeds = [(each, range(first, end or first + each.seeds)) for each in trials]
    strategies = tuple(name for name in STRATEGIES if name in words.strategies)
    return Asked(seeds, strategies, SHORT_SIZES if words.short else FULL, Path(words.folder), words.workers)


def main() -> None:
    """Run from the command line: tables, figures and a picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [trial.name for trial in TRIALS]
    parser.add_argument("--short", action="store_true", help="two small seeds of one trial, less than a minute")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--folder", default="bench/results/plan", help="where rows, tables and the picture are kept")
    parser.add_argument("--seeds", type=_seeds, default=(DEVELOPMENT, None), help="A:B, or A: for a trial's own number")
    parser.add_argument("--presets", nargs="+", default=names, choices=names, help="trials")
    parser.add_argument("--strategies", nargs="+", default=STRATEGIES, choices=STRATEGIES)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--page", type=Path, help="exchange the tables of this page and its pictures/planning.svg")
    words = parser.parse_args()
    asked = _asked(words)
    all_seen = look(asked)
    if not all_seen:
        parser.exit(1, "No seed has all its strategies.\n")
    if words.page and len(all_seen) < len(TRIALS):
        parser.exit(1, "A page takes all trials: p is adjusted over every one of them.\n")
    found = figures(all_seen)
    written = f"{tables(all_seen)}\n\n{table(found)}\n"
    (asked.folder / "tables.md").write_text(written, encoding="utf-8")
    draw(all_seen, asked.folder / "planning.svg")
    if words.page:
        put(words.page, COMMAND, written)
        draw(all_seen, words.page.parent / "pictures" / "planning.svg")
    print(as_json(found) if words.json else written)


if __name__ == "__main__":
    main()
