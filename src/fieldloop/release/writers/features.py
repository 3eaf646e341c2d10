"""What a dataset holds: the streams that all its episodes share."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldloop.model.note import Note
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.release.writers.pairing import Pair

NOMINAL_HZ = "nominal_hz"
"""The note in which a reader keeps what a row was before it became columns."""


def make_note_key(key: str) -> str:
    """Name a note among what may differ between episodes."""
    return f"note {key}"


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """One stream as every episode of the dataset has it.

    `notes`, `nominal_hz`, `frame_id` and `serial` are what all episodes say; `differs` names those they do not agree
    on, of which the first episode's stands here, or nothing. `hz` is the median rate, `clocks` are those that any
    episode has, `shape` is what a row was where it was not just columns. `own_stamps`: rows are samples that were
    taken at other moments than the grid says; `own_clocks`: or that have further stamps.
    """

    name: str
    kind: StreamKind
    unit: str
    columns: tuple[str, ...]
    width: int = 0
    dtype: str = ""
    shape: str = ""
    size: tuple[int, int] = (0, 0)
    frame_id: str = ""
    serial: str = ""
    nominal_hz: float | None = None
    hz: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    differs: frozenset[str] = frozenset()
    clocks: tuple[ClockKind, ...] = ()
    own_stamps: bool = False
    own_clocks: bool = False

    @property
    def is_camera(self) -> bool:
        """Does it hold pictures?"""
        return not self.width


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The streams that all episodes share, the clock of the grid, and what is left out and why.

    `pair` is how samples come to rows. A row is left out where a stream has no sample within `longest_gap_s`.
    """

    signals: tuple[Feature, ...]
    cameras: tuple[Feature, ...]
    clock: str
    hz: float
    robot: str
    uniform: bool = False
    left_out: tuple[Note, ...] = ()
    episodes: int = 0
    splits: tuple[str, ...] = ()
    pair: Pair = ""
    longest_gap_s: float = float("inf")

    @property
    def list_all(self) -> tuple[Feature, ...]:
        """Signals, then cameras."""
        return (*self.signals, *self.cameras)
