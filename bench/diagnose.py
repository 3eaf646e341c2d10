"""Does a diagnosis name the right cause, on picking floors where the truth is known because it was planted?

Every world is drawn anew (map, sites, mix, robots, learner, faults), a policy is really trained in it and really picks;
the truth of each share is what the same world does without the fault. `python -m bench.diagnose --workers 16 --keep DIR`
plays all of them; what lies in DIR already is not played again. `--write FILE` puts the tables on a page.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from bench.harness import Figure
from bench.planted.answers import EPISODES, Row, asked
from bench.planted.played import Sizes
from bench.planted.scores import headline
from bench.planted.table import page
from bench.planted.turns import TURNS

FIRST = 20_000
"""Seeds below were looked at while the diagnosis was made."""
SHORT = Sizes(truth=1200, seen=1000, laboratory=800, demonstrations=(500, 600), training=400)
SHORT_WORLDS, SHORT_EPISODES = 6, (300, 1000)
BEGIN, END = "<!-- tables: python -m bench.diagnose -->\n", "<!-- end of tables -->\n"
ROWS_FILE = "worlds.jsonl"


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Play worlds and sum up; the short form shows that all works, its floors are too small to judge anybody by."""
    seeds = range(FIRST, FIRST + (SHORT_WORLDS if short else len(TURNS)))
    rows = [asked(seed, SHORT, SHORT_EPISODES) if short else asked(seed) for seed in seeds]
    return headline(rows, 1000)


def play(seeds: Sequence[int], workers: int, folder: Path | None, *, short: bool = False) -> list[Row]:
    """Play worlds on several cores; each is written down as it ends, and what was written is not played again."""
    kept = folder / ROWS_FILE if folder else None
    done = {row.seed: row for row in read(kept)} if kept and kept.exists() else {}
    rest = [seed for seed in seeds if seed not in done]
    sizes, episodes = (SHORT, SHORT_EPISODES) if short else (None, EPISODES)
    with ProcessPoolExecutor(max_workers=workers) as pool:
        waiting = [pool.submit(asked, seed, sizes, episodes) for seed in rest]
        for number, future in enumerate(as_completed(waiting), start=1):
            row = future.result()
            done[row.seed] = row
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row.plain()) + "\n")
            print(f"{number} of {len(rest)}: world {row.seed}, {row.seconds} CPU-s", flush=True)
    return [done[seed] for seed in seeds]


def read(file: Path) -> list[Row]:
    """Read the worlds that were played; a line cut short by a kill is played again."""
    rows = []
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(Row.of(json.loads(line)))
        except json.JSONDecodeError:
            continue
    return rows


def write(file: Path, tables: str) -> None:
    """Put tables between the marks of a page."""
    before, _, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    file.write_text(f"{before}{BEGIN}{tables}\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a few small worlds")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--first", type=int, default=FIRST, help="the first seed")
    parser.add_argument("--worlds", type=int, default=None, help="how many; all of one round unless given")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None, help="folder of the worlds played so far")
    parser.add_argument("--write", type=Path, default=None, help="page to put the tables on")
    chosen = parser.parse_args()
    if chosen.short:
        figures = measure(short=True)
        print(json.dumps({n: f.plain() for n, f in figures.items()}) if chosen.json else figures)
        return
    count = len(TURNS) if chosen.worlds is None else chosen.worlds
    rows = play(range(chosen.first, chosen.first + count), chosen.workers, chosen.keep)
    tables = page(rows, EPISODES)
    if chosen.write:
        write(chosen.write, tables)
    figures = headline(rows, 1000)
    print(json.dumps({n: f.plain() for n, f in figures.items()}) if chosen.json else tables)


if __name__ == "__main__":
    main()
