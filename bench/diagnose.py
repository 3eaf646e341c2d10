"""Benchmark of diagnosis: does it name the right cause in simulated worlds with planted faults?

Every world is drawn anew (map, sites, mix, robots, learner, faults); a policy is trained in it and picks. The true
share of a fault is what the same world gains without it. `python -m bench.diagnose --workers 16 --keep DIR` runs all
worlds; those that the same code left in DIR are not run again. `--write FILE` puts the tables into a document.
`--family later` uses a second family of worlds, with other faults.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

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


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Run worlds and sum up; the short form only shows that it works, its worlds are too small to compare methods."""
    first, worlds = FAMILIES[FIRST].first_seed, FAMILIES[FIRST].worlds
    seeds = range(DEVELOPMENT, DEVELOPMENT + SHORT_WORLDS) if short else range(first, first + worlds)
    rows = [asked(seed, SHORT, SHORT_EPISODES) if short else asked(seed) for seed in seeds]
    return headline(rows, 1000)


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
            print(f"{number} of {len(rest)}: world {row.seed}, {row.seconds} CPU-s", flush=True)
    return [done[seed] for seed in seeds]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a few small worlds")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--family", choices=FAMILIES, default=FIRST, help="which worlds")
    parser.add_argument("--first", type=int, default=None, help="first seed (default: that of the family)")
    parser.add_argument("--worlds", type=int, default=None, help="number of worlds (default: one round)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None, help="folder of the worlds run so far")
    parser.add_argument("--write", type=Path, default=None, help="document to put the tables into")
    chosen = parser.parse_args()
    if chosen.short:
        figures = measure(short=True)
        print(json.dumps({n: f.plain() for n, f in figures.items()}) if chosen.json else figures)
        return
    family = FAMILIES[chosen.family]
    first = family.first_seed if chosen.first is None else chosen.first
    count = family.worlds if chosen.worlds is None else chosen.worlds
    rows = play(range(first, first + count), chosen.workers, chosen.keep, chosen.family)
    tables = page(rows, EPISODES)
    if chosen.write:
        put(chosen.write, family.block, tables)
    figures = headline(rows, 1000)
    print(json.dumps({n: f.plain() for n, f in figures.items()}) if chosen.json else tables)


if __name__ == "__main__":
    main()
