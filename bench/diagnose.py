"""Benchmark of diagnosis: does it name the right cause in simulated worlds with planted faults?

Every world is drawn anew (map, sites, mix, robots, learner, faults); a policy is trained in it and picks. The true
share of a fault is what the same world gains without it. `python -m bench.diagnose --workers 16 --keep DIR` runs all
worlds; those that the same code left in DIR are not run again. `--write FILE` puts the tables into a document.
`--family later` uses a second family of worlds, with other faults.

`--family logistic` and `--family decoys` ask about every world twice, under known and under foreign column headers; in
many a finding that costs nothing is beside the cause. `--final COMMIT` runs the worlds whose seeds follow from that
commit and writes them to bench/results/diagnose_<family>.jsonl; `--from FILE` makes the tables of such a file again.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from bench.answered.families import ANSWERED, DEVELOPMENT_WORLDS, LOGISTIC
from bench.answered.results import read_results
from bench.answered.run import run_development, run_final
from bench.answered.scores import headline as count_answers
from bench.answered.summary import page as summarise_answers
from bench.doc_page import put
from bench.harness import Figure
from bench.planted import kept
from bench.planted.answers import EPISODES, Row, asked
from bench.planted.families import FAMILIES, FIRST
from bench.planted.played import Sizes
from bench.planted.scores import headline
from bench.planted.table import page

DEVELOPMENT = 10_000
"""Seeds from here on were used while the diagnosis was developed."""
SHORT = Sizes(truth=1200, seen=1000, laboratory=800, demonstrations=(500, 600), training=400)
SHORT_WORLDS, SHORT_EPISODES = 6, (300, 1000)
SHORT_ANSWERED = 20


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Run worlds and sum up; the short form only shows that it works, its worlds are too small to compare methods."""
    first, worlds = FAMILIES[FIRST].first_seed, FAMILIES[FIRST].worlds
    seeds = range(DEVELOPMENT, DEVELOPMENT + SHORT_WORLDS) if short else range(first, first + worlds)
    rows = [asked(seed, SHORT, SHORT_EPISODES) if short else asked(seed) for seed in seeds]
    family = ANSWERED[LOGISTIC]
    count = SHORT_ANSWERED if short else family.final_worlds
    answers = count_answers([family.answer(seed, None) for seed in range(DEVELOPMENT, DEVELOPMENT + count)])
    return {**headline(rows, 1000), **{f"logistic_{name}": figure for name, figure in answers.items()}}


def play(
    seeds: Sequence[int], workers: int, folder: Path | None, family: str = FIRST, *, short: bool = False
) -> list[Row]:
    """Run worlds on several cores; each is written when it ends, and written ones are not run again."""
    plant, sources = FAMILIES[family].plant, FAMILIES[family].sources
    file = folder / "worlds.jsonl" if folder else None
    done = {row.seed: row for row in kept.read(file, sources)} if file else {}
    rest = [seed for seed in seeds if seed not in done]
    sizes, episodes = (SHORT, SHORT_EPISODES) if short else (None, EPISODES)
    with ProcessPoolExecutor(max_workers=workers) as pool:
        waiting = [pool.submit(asked, seed, sizes, episodes, folder, plant) for seed in rest]
        for number, future in enumerate(as_completed(waiting), start=1):
            row = future.result()
            done[row.seed] = row
            if file:
                kept.append(file, row, sources)
            print(f"{number} of {len(rest)}: world {row.seed}, {row.seconds} CPU-s", file=sys.stderr, flush=True)
    return [done[seed] for seed in seeds]


def main() -> None:
    """Run from the command line."""
    parser = _make_parser()
    chosen = parser.parse_args()
    if chosen.rows_file or chosen.family in ANSWERED:
        _answer(chosen)
        return
    if chosen.final:
        parser.error("--final needs --family logistic or --family decoys")
    if chosen.short:
        figures = measure(short=True)
        print(_as_object(figures) if chosen.json else figures)
        return
    family = FAMILIES[chosen.family]
    first = family.first_seed if chosen.first is None else chosen.first
    count = family.worlds if chosen.worlds is None else chosen.worlds
    rows = play(range(first, first + count), chosen.workers, chosen.keep, chosen.family)
    tables = page(rows, EPISODES)
    if chosen.write:
        put(chosen.write, family.block, tables)
    print(_as_object(headline(rows, 1000)) if chosen.json else tables)


def _answer(chosen: argparse.Namespace) -> None:
    """Run or read worlds that are asked about twice, and print their figures."""
    if chosen.rows_file:
        head, rows = read_results(chosen.rows_file)
    elif chosen.final:
        worlds = ANSWERED[chosen.family].final_worlds if chosen.worlds is None else chosen.worlds
        head, rows = run_final(chosen.family, chosen.final, worlds, chosen.workers, chosen.keep)
    else:
        first = DEVELOPMENT if chosen.first is None else chosen.first
        worlds = (SHORT_ANSWERED if chosen.short else DEVELOPMENT_WORLDS) if chosen.worlds is None else chosen.worlds
        seeds = range(first, first + worlds)
        head, rows = run_development(chosen.family, seeds, chosen.workers, chosen.keep)
    tables = summarise_answers(head, rows)
    if chosen.write:
        put(chosen.write, ANSWERED[head["family"]].block, tables)
    print(_as_object(count_answers(rows)) if chosen.json else tables)


def _as_object(figures: Mapping[str, Figure]) -> str:
    """Write figures as one JSON object; what could not be counted is null."""
    plain = {name: figure.plain() for name, figure in figures.items()}
    return json.dumps(plain).replace("NaN", "null")


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a few small worlds")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--family", choices=[*FAMILIES, *ANSWERED], default=FIRST, help="which worlds")
    parser.add_argument("--first", type=int, default=None, help="first seed (default: that of the family)")
    parser.add_argument("--worlds", type=int, default=None, help="number of worlds (default: one round)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None, help="folder of the worlds run so far")
    parser.add_argument("--write", type=Path, default=None, help="document to put the tables into")
    parser.add_argument("--final", metavar="COMMIT", default="", help="worlds whose seeds follow from this commit")
    parser.add_argument("--from", dest="rows_file", type=Path, default=None, help="make the tables of a file of rows")
    return parser


if __name__ == "__main__":
    main()
