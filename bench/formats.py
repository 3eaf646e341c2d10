"""Formats: reading and writing beside the formats' own libraries, in one run on the same data."""

from collections.abc import Mapping

from bench.format_speed import lerobot_read, lerobot_write, mcap, memory
from bench.harness import Figure, Missing, Skipped, main


def measure(*, short: bool) -> Mapping[str, Figure | Skipped]:
    """Measure every ratio; the short form uses smaller files, not other code. A missing peer is skipped."""
    found: dict[str, Figure | Skipped] = {}
    for part in (mcap.speed, lerobot_read.speed, lerobot_write.speed, memory.peak):
        try:
            found |= part(short=short)
        except Missing as reason:
            found[part.__module__.rpartition(".")[2]] = Skipped(str(reason))
    return found


if __name__ == "__main__":
    main(measure)
