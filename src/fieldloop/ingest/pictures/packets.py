"""The packets of a video: when each is shown, where its bytes lie, which can be decoded alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_S

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Packets:
    """Every packet of a video in the order it is shown; `base` is the unit of pts in seconds, as a fraction."""

    width: int
    height: int
    pts: Numbers
    times_ns: Numbers
    sizes: Numbers
    keys: NDArray[np.bool_]
    positions: Numbers
    codec: str
    base: tuple[int, int]

    def select_packets(self, first: int, last: int) -> "Packets":
        """Return the packets from `first` to `last` (not included)."""
        cut = slice(first, last)
        columns = (self.pts[cut], self.times_ns[cut], self.sizes[cut], self.keys[cut], self.positions[cut])
        return Packets(self.width, self.height, *columns, self.codec, self.base)

    def compute_times_since_first_ns(self, first: int, last: int) -> Numbers:
        """Return when packets are shown after the first of them; the same wherever in a file they lie."""
        pts = self.pts[first:last]
        return convert_to_nanoseconds(pts - pts[:1], *self.base)

    def find_key_frame_before(self, index: int) -> int:
        """Return the key frame from which a frame can be decoded: the last one shown no later than it; else 0."""
        before = np.flatnonzero(self.keys[: index + 1])
        return int(before[-1]) if len(before) else 0


def sort_packets_by_presentation(
    codec: str,
    size: tuple[int, int],
    time_base: tuple[int, int],
    pts: Numbers,
    sizes: Numbers,
    keys: NDArray[np.bool_],
    positions: Numbers,
) -> Packets:
    """Put packets that came in decoding order into the order they are shown."""
    order = np.argsort(pts, kind="stable")
    pts = pts[order]
    return Packets(
        *size,
        pts,
        convert_to_nanoseconds(pts, *time_base),
        sizes[order],
        keys[order],
        positions[order],
        codec,
        time_base,
    )


def convert_to_nanoseconds(pts: Numbers, numerator: int, denominator: int) -> Numbers:
    """Count in nanoseconds; whole seconds apart from the rest, so that nothing overflows."""
    if numerator != 1 or denominator >= 1 << 32:
        return np.asarray([p * numerator * NS_PER_S // denominator for p in pts.tolist()], np.int64)
    whole, rest = np.divmod(pts, denominator)
    counted: Numbers = whole * NS_PER_S + rest * NS_PER_S // denominator
    return counted
