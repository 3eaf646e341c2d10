"""The clocks of a topic: arrival, publishing and sensing stamps of its messages."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.decoded import NO_STAMP
from fieldloop.model.stream import ClockKind

Integers = NDArray[np.int64]
Clocks = dict[ClockKind, Integers]
Notes = dict[str, str]
Slots = Mapping[ClockKind, ClockKind]
"""Which clock the stamp in each place (header, publish, log) is."""


class TopicClocks:
    """Stamps as they arrived, batch by batch."""

    def __init__(self) -> None:
        self.count = 0
        self._log_ns: list[Integers] = []
        self._publish_ns: list[Integers] = []

    def add_stamps(self, log_ns: Integers, publish_ns: Integers | None) -> Integers:
        """Keep the stamps of some messages; return when they were published, 0 where not stated."""
        publish = np.zeros(len(log_ns), np.int64) if publish_ns is None else publish_ns
        self._log_ns.append(log_ns)
        self._publish_ns.append(publish)
        self.count += len(log_ns)
        return publish

    def collect_clocks(
        self, messages: Integers, header_ns: Integers | None, clock_by_slot: Slots | None = None
    ) -> tuple[Clocks, Notes]:
        """Return the clocks of these messages, and a note where their header timestamps are unusable.

        `clock_by_slot` says which clock each stamp is; one that it does not name repeats another and is left out.
        """
        stamps, notes = self._collect_recorded_clocks(messages, header_ns, clock_by_slot=clock_by_slot or {})
        if clock_by_slot is not None and (
            clocks := {clock_by_slot[slot]: stamps[slot] for slot in clock_by_slot if slot in stamps}
        ):
            return clocks, notes
        return stamps, notes

    def _collect_recorded_clocks(
        self, messages: Integers, header_ns: Integers | None, clock_by_slot: Slots
    ) -> tuple[Clocks, Notes]:
        clocks = {ClockKind.LOG: _concatenate_stamps(self._log_ns)[messages]}
        publish = _concatenate_stamps(self._publish_ns)[messages]
        if publish.any() or ClockKind.PUBLISH in clock_by_slot:
            clocks[ClockKind.PUBLISH] = publish
        missing = 0 if header_ns is None else int((header_ns == NO_STAMP).sum())
        if header_ns is None or missing == len(header_ns):
            return clocks, {}
        if missing:
            text = f"{missing} of {len(header_ns)} messages have no header timestamp; all were left out"
            return clocks, {"header": text}
        if not header_ns.any() and ClockKind.HEADER not in clock_by_slot:
            return clocks, {"header": "header timestamps are all zero and were left out"}
        clocks[ClockKind.HEADER] = header_ns
        return clocks, {}


def _concatenate_stamps(parts: list[Integers]) -> Integers:
    if len(parts) > 1:
        parts[:] = [np.concatenate(parts)]
    return parts[0] if parts else np.empty(0, np.int64)
