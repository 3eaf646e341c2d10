"""Formats: reading and writing beside the formats' own libraries, in one run on the same data."""

from collections.abc import Mapping

from bench.format_speed import lerobot_read, lerobot_write, mcap, memory
from bench.harness import Figure, main


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure every ratio; the short form uses smaller files, not other code."""
    return {
        **mcap.speed(short=short),
        **lerobot_read.speed(short=short),
        **lerobot_write.speed(short=short),
        **memory.peak(short=short),
    }


if __name__ == "__main__":
    main(measure)
