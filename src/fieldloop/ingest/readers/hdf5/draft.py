"""An episode before reading: its arrays, their kinds and their clock, as a layout finds them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf
from fieldloop.model.episode import Defect
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

Clocks = Mapping[ClockKind, NDArray[np.int64]]
ASSUMED_HZ = 20.0
"""The rate where a file states neither timestamps nor a rate: robosuite's default, noted on every stream."""


@dataclass(slots=True, eq=False)
class Part:
    """One stream: arrays side by side, or some columns of one. `clocks` where it has stamps of its own.

    `unit_like` is the kind by which its unit is guessed where the file does not say it.
    """

    name: str
    leaves: tuple[Leaf, ...]
    kind: StreamKind
    unit: str = ""
    columns: tuple[str, ...] = ()
    take: slice | None = None
    clocks: Clocks | None = None
    nominal_hz: float | None = None
    frame_id: str = ""
    serial: str = ""
    notes: dict[str, str] = field(default_factory=dict)
    unit_like: StreamKind | None = None


@dataclass(slots=True, eq=False)
class Draft:
    """One episode: its parts, which rows of every array are its own, and what the file says about it.

    `ours`: it was written by fieldloop, so its facts use Episode's field names. `conclude` infers fields of the
    Episode from its streams, where the file does not state them.
    """

    name: str
    parts: list[Part]
    rows: tuple[int, int] | None = None
    hz: float | None = None
    clocks: Clocks = field(default_factory=dict)
    clock_note: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    conclude: Callable[[Mapping[str, Stream]], dict[str, Any]] | None = None
    ours: bool = False
    rows_promised: bool = True
    """Does the layout promise that arrays of unknown meaning have a row for each step?"""

    def compute_row_times(self, rows: NDArray[np.int64]) -> Clocks:
        """Row number over rate, for rows without stamps."""
        return {ClockKind.SYNTHETIC: np.round(rows * (NS_PER_S / (self.hz or ASSUMED_HZ))).astype(np.int64)}


def describe_counted_rows(hz: float | None) -> str:
    """Note on a stream that its rows are only counted, and over which rate.

    >>> describe_counted_rows(None)
    'no timestamps are stored; row number over 20 Hz is used, which the file does not state'
    """
    stated = "" if hz else ", which the file does not state"
    return f"no timestamps are stored; row number over {hz or ASSUMED_HZ:g} Hz is used{stated}"


class Layout(Protocol):
    """One way to lay episodes out in a file."""

    @property
    def name(self) -> str:
        """How the layout is called behind `hdf5` in Episode.format."""

    def matches_file(self, root: Folder) -> bool:
        """Does the file have this layout?"""

    def count_episodes(self, root: Folder) -> int:
        """How many episodes can be attempted?"""

    def read_drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the episodes; what is wrong with one goes into its draft."""

    def add_file_defects(self, opened: Opened, root: Folder) -> None:
        """Add to `opened.defects` what is wrong with the file as a whole."""


def format_attribute(value: Any) -> str:
    """Write an attribute as a fact."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(format_attribute, value)) if isinstance(value, list) else str(value)
