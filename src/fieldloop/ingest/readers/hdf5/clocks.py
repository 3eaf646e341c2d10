"""Find arrays of timestamps in a group: for the whole group, or for one array in it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.draft import Clocks
from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.rows import count_stored_rows, read_rows
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf
from fieldloop.ingest.stamps import MADE_UP, Times, is_timestamp_name, parse_stamps, round_to_whole_rate
from fieldloop.model.stream import NS_PER_S, ClockKind

FEWEST_ROWS = 2
SHORT_NAME = "t"
"""An ambiguous name: it means timestamps where other arrays of its group have as many rows and it only rises."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One array of stamps: where, by which clock, and a note on how it was read; a rate where stamps are even."""

    path: str
    times_ns: Times
    clock: ClockKind
    note: str

    @property
    def clocks(self) -> Clocks:
        """Return the stamps as a stream has them."""
        return {self.clock: self.times_ns}

    @property
    def hz(self) -> float | None:
        """The rate of evenly spaced timestamps; None for measured ones."""
        if self.clock is not ClockKind.SYNTHETIC:
            return None
        return round_to_whole_rate((len(self.times_ns) - 1) * NS_PER_S / int(self.times_ns[-1] - self.times_ns[0]))

    @property
    def place(self) -> str:
        """The group it stands in."""
        return self.path.rpartition("/")[0]


def find_clocks(opened: Opened, folder: Folder) -> tuple[list[Found], Found | None]:
    """Return every array of timestamps below a group, and the group's own, which applies to all of it."""
    stamp_arrays = []
    beside = Counter((_get_group_path(leaf), leaf.shape[0]) for leaf in folder.list_all_leaves() if leaf.shape)
    for leaf in folder.list_all_leaves():
        one_column = len(leaf.shape) == 1 or (len(leaf.shape) == 2 and leaf.shape[1] == 1)  # noqa: PLR2004
        if not (leaf.is_numeric and one_column) or leaf.shape[0] < FEWEST_ROWS:
            continue
        short = leaf.name.lower() == SHORT_NAME and beside[_get_group_path(leaf), leaf.shape[0]] > 1
        if not (short or is_timestamp_name(leaf.name)):
            continue
        values, rows = read_rows(opened, leaf, 0, count_stored_rows(opened, leaf))
        stamps = parse_stamps(leaf.name, values) if len(rows) == leaf.shape[0] else None
        if stamps is not None and not (short and not _is_rising_clock(values[:, 0])):
            clock = ClockKind.HEADER if stamps.measured else ClockKind.SYNTHETIC
            note = f"{leaf.name} {stamps.how}{'' if stamps.measured else MADE_UP}"
            stamp_arrays.append(Found(leaf.path, stamps.times_ns, clock, note))
    return stamp_arrays, _choose_measured_clock(one for one in stamp_arrays if one.place == folder.path)


def _get_group_path(leaf: Leaf) -> str:
    return leaf.path.rpartition("/")[0]


def _is_rising_clock(column: NDArray[Any]) -> bool:
    """Does it go forward at every row, and does it more than count rows?"""
    steps = np.diff(column.astype(np.float64))
    return bool((steps > 0).all() and not (steps == 1).all())


def find_array_clock(leaf: Leaf, found_clocks: Iterable[Found]) -> Found | None:
    """Return the stamps of an array: named after it, else beside it, if there are as many as it has rows."""
    rows = leaf.shape[0] if leaf.shape else 0
    place = _get_group_path(leaf)
    fit = [one for one in found_clocks if one.place == place and len(one.times_ns) == rows and one.path != leaf.path]
    named = [one for one in fit if one.path.rsplit("/", 1)[-1].startswith(leaf.name)]
    return _choose_measured_clock(named) or _choose_measured_clock(fit)


def _choose_measured_clock(candidates: Iterable[Found]) -> Found | None:
    """Measured stamps before made-up ones; of equals the first."""
    return min(candidates, key=lambda one: one.clock is ClockKind.SYNTHETIC, default=None)
