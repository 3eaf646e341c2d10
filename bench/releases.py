"""How fast is a release frozen, compared and exported, and how many frames a second does a trainer get from it?

`python -m bench.releases --short` for a form of at most three minutes. LeRobot's figures need its environment
(`make oracles`), and torchcodec in it for the comparison with that.
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.harness import Figure, Skipped, main
from bench.release_speed.freeze import measure_exports, measure_freezing
from bench.release_speed.loader import measure_loaders


def measure(*, short: bool) -> Mapping[str, Figure | Skipped]:
    """Measure freezing, exports and loaders; the load of the machine stands beside them."""
    figures: dict[str, Figure | Skipped] = {"load_average": Figure(os.getloadavg()[0])}
    with tempfile.TemporaryDirectory(prefix="bench-releases-") as name:
        folder = Path(name)
        figures |= measure_freezing(folder, 10_000, 1 if short else 3)
        figures |= measure_exports(folder, *((1_000, 20) if short else (10_000, 200)))
        figures |= measure_loaders(folder, short=short)
    return figures


if __name__ == "__main__":
    main(measure)
