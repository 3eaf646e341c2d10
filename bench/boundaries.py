"""Compute the boundaries of the sequential tests again: src/fieldloop/protocol/boundaries.toml.

Takes seconds up to 300 pairs, and minutes at 1000. The tests compute small ones again and compare.

    nice python -m bench.boundaries
"""

import argparse
import sys
import time
from pathlib import Path

from fieldloop.protocol.boundaries import BOUNDARIES, read_boundaries
from fieldloop.stats.sequential import Boundary, Scenes, bound_size, calibrate_boundary

FILE = Path(__file__).parents[1] / "src/fieldloop/protocol" / BOUNDARIES
PAIRS = (50, 100, 200, 300, 500, 1000)
ALPHA = 0.05
MARK = "# ── computed by `python -m bench.boundaries` ──"


def main() -> None:
    """Write the part of the file that is computed; what people state above it stays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="*", default=PAIRS, help="numbers of pairs")
    parts = [FILE.read_text(encoding="utf-8").partition(MARK)[0] + MARK]
    given = read_boundaries()
    for pairs in parser.parse_args().pairs:
        for scenes in Scenes:
            began = time.perf_counter()
            boundary = calibrate_boundary(scenes, pairs, given.shape, ALPHA, given.at[scenes])
            parts.append(_write(boundary))
            print(scenes, pairs, f"{time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    FILE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _write(boundary: Boundary) -> str:
    # upwards: a height that is rounded down could let the size exceed α
    heights = [int(height * 1e4 + 1) / 1e4 for height in boundary.heights]
    rounded = Boundary(boundary.scenes, boundary.max_pairs, boundary.shape, boundary.at, tuple(heights))
    size = bound_size(rounded)
    return (
        f'[[boundary]]\nscenes = "{boundary.scenes}"\nmax_pairs = {boundary.max_pairs}\nalpha = {ALPHA}\n'
        f"heights = {heights}\nsize = {size:.5f}"
    )


if __name__ == "__main__":
    main()
