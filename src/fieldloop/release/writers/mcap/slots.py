"""Where a stream's clocks travel: a message has room for three stamps, its header's, its publisher's and its log's."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_DAY, NS_PER_S, ClockKind, Stream

HEADER, PUBLISH, LOG = "header", "publish", "log"
FIRST_HEADER_NS, LAST_HEADER_NS = -(2**31) * NS_PER_S, 2**31 * NS_PER_S - 1  # seconds are an int32 in ROS 2
Stamps = NDArray[np.int64]


class Slots(NamedTuple):
    """Which clock each slot holds; a slot without one repeats the primary clock and is not to be believed."""

    held: Mapping[str, ClockKind]
    left_out: tuple[ClockKind, ...]

    def compute_stamps(self, stream: Stream, rows: slice) -> tuple[Stamps, Stamps, Stamps]:
        """Return log, publish and header stamps of some rows."""
        log, publish, header = (
            stream.clocks[self.held.get(slot, stream.clock)][rows] for slot in (LOG, PUBLISH, HEADER)
        )
        # only a repeated stamp can lie outside, and it is not believed
        return np.maximum(log, 0), np.maximum(publish, 0), np.clip(header, FIRST_HEADER_NS, LAST_HEADER_NS)


def assign_slots(stream: Stream) -> Slots:
    """Give each clock the slot of its name; one that has none, or does not fit it, takes one that is free."""
    held: dict[str, ClockKind] = {}
    waiting = []
    for kind in (kind for kind in ClockKind if kind in stream.clocks):
        if kind.value in (HEADER, PUBLISH, LOG) and _clock_fits_slot(stream, kind, kind.value):
            held[kind.value] = kind
        else:
            waiting.append(kind)
    left = []
    for kind in waiting:
        free = (slot for slot in (HEADER, PUBLISH, LOG) if slot not in held and _clock_fits_slot(stream, kind, slot))
        if slot := next(free, ""):
            held[slot] = kind
        else:
            left.append(kind)
    return Slots(held, tuple(left))


def _clock_fits_slot(stream: Stream, kind: ClockKind, slot: str) -> bool:
    times = stream.clocks[kind]
    if not len(times):
        return True
    first, last = int(times.min()), int(times.max())
    if slot == HEADER:
        return first >= FIRST_HEADER_NS and last <= LAST_HEADER_NS
    if slot == LOG and kind is not ClockKind.LOG:
        # the log's time orders the file and is what a viewer shows: a count from zero has no place among dates
        return first >= 0 and abs(first - int(stream.times_ns.min())) < NS_PER_DAY
    return first >= 0
