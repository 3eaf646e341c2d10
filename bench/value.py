"""Does leaving out the least valuable demonstrations help a policy? Three tiers of people, judged by success.

On the vectorised picking floor people demonstrate 300 times: careful, ordinary and sloppy ones (`bench.worth.tiers`:
tremor, jerk, aim, hesitation, early closing, wrong side, narrow jaws, shallow fingers, rough grip). Three sets:
three tiers of 100 successes; 150 careful and 150 sloppy ones from the same starts, failures included; 300 ordinary
ones. Nine methods (`bench.worth.scores`) order each set. A filter
leaves out 10 to 90 % from below, behaviour cloning learns from the rest, and the policy tries 1,500 picks on the line.
Scenes, chances and training seed are those of the unfiltered policy: gains are paired, seed by seed.

The best method and share of a floor are chosen on the other floors, so that a gain is never that of the luckiest.
`best_gain_points` and `random_gain_points` are of the set where filtering helps most, at the same share. The
shipped rule leaves 30 % out by smoothness, provided that 200 trials of either policy show that it helps;
`never_worse` is 1 if in no set its mean gain is below 0 by the interval.

    nice python -m bench.value --rows bench/results/value.jsonl --page docs/value.md
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.doc_page import put
from bench.harness import Figure, print_to_stderr
from bench.worth.report import figures, tabulate
from bench.worth.rounds import SETS, SHORT, Sizes, play

COMMAND = "bench.value"
SEEDS = (0, *range(50_000, 50_004))
SHORT_SETS = ("three tiers", "same starts")
Row = dict[str, Any]


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure all sets; the short form uses two small floors and fewer methods."""
    if short:
        return figures(list(run(SEEDS[:2], SHORT_SETS, SHORT, ())))
    return figures(list(run(SEEDS, SETS, Sizes(), ())))


def run(seeds: Iterable[int], sets: Sequence[str], sizes: Sizes, known: Sequence[Row]) -> Iterator[Row]:
    """Yield what is known, then measure the rest seed by seed."""
    yield from known
    done = {(row["set"], row["seed"]) for row in known}
    for seed in seeds:
        for name in sets:
            if (name, seed) not in done:
                yield play(name, seed, sizes)


def main() -> None:
    """Run from the command line; rows that a file has already are not measured again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="two small floors")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--rows", type=Path, help="keep the rows in this file, one line of JSON each, and resume")
    parser.add_argument("--page", type=Path, help="exchange the tables of this page")
    parser.add_argument("--only-known", action="store_true", help="measure nothing; tables of the rows that are kept")
    words = parser.parse_args()
    with print_to_stderr():
        found = measure(short=True) if words.short else figures(rows := _measure_rows(words))
    if words.page and not words.short:
        put(words.page, COMMAND, tabulate(rows))
    if words.json:
        print(json.dumps({name: figure.plain() for name, figure in found.items()}, allow_nan=False))
    else:
        print("\n".join(f"{name:<24}  {figure}" for name, figure in found.items()))


def _measure_rows(words: argparse.Namespace) -> list[Row]:
    kept: list[Row] = []
    if words.rows and words.rows.exists():
        kept = [json.loads(line) for line in words.rows.read_text(encoding="utf-8").splitlines()]
    if words.only_known:
        return kept
    found: list[Row] = []
    for row in run(SEEDS, SETS, Sizes(), kept):
        found.append(row)
        if words.rows and len(found) > len(kept):
            with words.rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    return found


if __name__ == "__main__":
    main()
