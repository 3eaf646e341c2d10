"""Does a diagnosis name the right cause, on picking floors where the truth is known because it was planted?

Every world is drawn anew (map, sites, mix, robots, learner, faults), a policy is really trained in it and really picks;
the truth of each share is what the same world does without the fault. `python -m bench.diagnose --workers 16 --keep
DIR` plays all of them; what the same code left in DIR is not played again. `--write FILE` puts the tables on a page.
`--family later` takes a second family of worlds, with other ways of going wrong.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from bench.harness import Figure
from bench.pages import put
from bench.planted import kept
from bench.planted.answers import EPISODES, Row, asked
from bench.planted.families import FAMILIES, FIRST
from bench.planted.played import Sizes
from bench.planted.scores import headline
from bench.planted.table import page

DEVELOPMENT = 10_000
"""Seeds from here on were looked at while the diagnosis was made."""
SHORT = Sizes(truth=1200, seen=1000, laboratory=800, demonstrations=(500, 600), training=400)
SHORT_WORLDS, SHORT_EPISODES = 6, (300, 1000)


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Play worlds and sum up; the short form shows that all works, its floors are too small to judge anybody by."""
    first, worlds = FAMILIES[FIRST].first_seed, FAMILIES[FIRST].worlds
    seeds = range(DEVELOPMENT, DEVELOPMENT + SHORT_WORLDS) if short else range(first, first + worlds)
    rows = [asked(seed, SHORT, SHORT_EPISODES) if short else asked(seed) for seed in seeds]
    return headline(rows, 1000)


def play(
    seeds: Sequence[int], workers: int, folder: Path | None, family: str = FIRST, *, short: bool = False
) -> list[Row]:
    """Play worlds on several cores; each is written down as it ends, and what was written is not played again."""
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
    parser.add_argument("--first", type=int, default=None, help="the first seed; the family's own unless given")
    parser.add_argument("--worlds", type=int, default=None, help="how many; all of one round unless given")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None, help="folder of the worlds played so far")
    parser.add_argument("--write", type=Path, default=None, help="page to put the tables on")
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
