"""Which streams have stamps that a grid does not tell, noted while the recordings are looked through."""

import numpy as np

from fieldloop.model.episode import Recording
from fieldloop.model.stream import Stream
from fieldloop.release.writers.grid import (
    Rule,
    Times,
    are_same_moments,
    choose_rule_between_samples,
    count_even_moments,
    make_grid_ns,
)
from fieldloop.release.writers.pairing import Pair, pairs_by_index, pairs_one_sample_per_row


class SharedStamps:
    """Whose rows would be samples with stamps or clocks of their own, whichever stream becomes the grid."""

    def __init__(self, clock: str, hz: float | None, pair: Pair = "") -> None:
        self._clock, self._hz, self._pair = clock, hz, pair
        self._stamps: set[tuple[str, str]] = set()
        self._clocks: set[tuple[str, str]] = set()

    def add_recording(self, recording: Recording) -> None:
        """Take in one recording: any stream may become the grid, unless one was asked for."""
        streams = [stream for stream in recording.streams.values() if len(stream)]
        alike: dict[bytes, list[Stream]] = {}  # most streams of a log share their stamps with others
        for stream in streams:
            alike.setdefault(stream.times_ns.tobytes(), []).append(stream)
        for clocks in alike.values():
            if chosen := [clock for clock in clocks if self._clock in ("", clock.name)]:
                self._compare_with_grid(recording, chosen, list(alike.values()))

    def has_own_stamps(self, name: str, clock: str) -> bool:
        """Are rows of this stream, in some episode, samples that were taken at other moments than the grid says?"""
        return (name, clock) in self._stamps

    def has_own_clocks(self, name: str, clock: str) -> bool:
        """Are they samples, in some episode, with more to say of their time than the grid's one stamp?"""
        return (name, clock) in self._clocks

    def _compare_with_grid(self, recording: Recording, clocks: list[Stream], groups: list[list[Stream]]) -> None:
        stamps = clocks[0].times_ns
        by_index = self._hz is None and pairs_by_index(recording, self._pair)
        count = len(stamps) if self._hz is None else count_even_moments(stamps, self._hz)
        grid: Times | None = None
        for group in groups:
            times, same, moved = group[0].times_ns, False, True
            if by_index and (len(times) == count or pairs_one_sample_per_row(recording, self._pair)):
                both = min(len(times), count)
                same, moved = True, not np.array_equal(times[:both], stamps[:both])
            elif len(times) == count:
                grid = make_grid_ns(stamps, self._hz) if grid is None else grid
                same = are_same_moments(times, grid)
                moved = not (same and np.array_equal(times, grid))
            for stream in group:
                if same or choose_rule_between_samples(stream) is Rule.NEAREST:
                    for clock in clocks:
                        more = moved or set(stream.clocks) != {clock.clock}
                        self._add_pair((stream.name, clock.name), moved=moved, has_more_clocks=more)

    def _add_pair(self, pair: tuple[str, str], *, moved: bool, has_more_clocks: bool) -> None:
        if moved:
            self._stamps.add(pair)
        if has_more_clocks:
            self._clocks.add(pair)
