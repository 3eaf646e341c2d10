"""One stream, seen in one recording after another."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream
from fieldloop.model.stream_notes import ENCODING, SHAPE, VALUES
from fieldloop.release.writers.features import NOMINAL_HZ, Feature, make_note_key
from fieldloop.release.writers.shared_stamps import SharedStamps

ROWS_AND_COLUMNS = 2  # dimensions of a picture without colours
NUMBERS = "biuf"
"""Kinds of NumPy type that are numbers: truths, integers with and without sign, fractions."""


@dataclass(slots=True)
class Seen:
    """A stream over the episodes so far, and where they disagree; `unlike` is why they cannot be one stream."""

    feature: Feature
    episodes: int = 0
    rates: list[float] = field(default_factory=list)
    stretches: list[float] = field(default_factory=list)
    clocks: set[ClockKind] = field(default_factory=set)
    differs: set[str] = field(default_factory=set)
    unlike: Note | None = None

    def add_episode_stream(self, stream: Stream) -> None:
        """Take in the stream as one more episode has it."""
        new, known = make_feature(stream), self.feature
        self.episodes += 1
        self.clocks |= set(stream.clocks)
        if rate := _get_rate(stream):
            self.rates.append(rate)
            self.stretches.append(measure_time_stretch(stream.times_ns, rate))
        for what in ("kind", "unit", "columns", "size", "width"):
            here, there = getattr(new, what), getattr(known, what)
            if here != there and not (what == "columns" and not (here and there)):
                self.unlike = self.unlike or note(
                    "release.episodes_differ", about=Subject(stream.name), what=what, first=str(there or "not stated"),
                    other=str(here),
                )  # fmt: skip
        self.differs |= {
            what for what in ("serial", "frame_id", NOMINAL_HZ) if getattr(new, what) != getattr(known, what)
        }
        self.differs |= {make_note_key(key) for key, _ in set(new.notes.items()) ^ set(known.notes.items())}
        if new.dtype != known.dtype:
            self.feature = replace(known, dtype=np.result_type(new.dtype, known.dtype).name)

    def is_even(self, uneven_share: float) -> bool:
        """Do the samples last as long as their number and rate say, in the median episode?"""
        return abs(float(np.median(self.stretches or [1.0])) - 1.0) <= uneven_share

    def merge_into_feature(self, stamps: SharedStamps, grid: str) -> Feature:
        """Return the feature as all episodes have it."""
        known = self.feature
        return replace(
            known,
            nominal_hz=None if NOMINAL_HZ in self.differs else known.nominal_hz,
            hz=float(np.median(self.rates)) if self.rates else None,
            notes={key: text for key, text in known.notes.items() if make_note_key(key) not in self.differs},
            differs=frozenset(self.differs),
            clocks=tuple(kind for kind in ClockKind if kind in self.clocks),
            own_stamps=stamps.has_own_stamps(known.name, grid),
            own_clocks=stamps.has_own_clocks(known.name, grid),
        )


def explain_unfit(stream: Stream) -> Note | None:
    """Return why a stream cannot become rows; None where it can."""
    about = Subject(stream.name)
    if not len(stream):
        return note("release.no_samples", about=about)
    if stream.values is None and stream.pictures is None:
        return make_no_values_note(stream)
    if stream.values is not None and (not stream.values.size or stream.values.dtype.kind not in NUMBERS):
        return note("release.no_numbers", about=about)
    if stream.pictures is not None and 0 in stream.pictures.size:
        return note("release.pictures_undecodable", about=about)
    return None


def make_no_values_note(stream: Stream) -> Note:
    """Return that a stream has timestamps alone, and why, where its reader noted it."""
    why = stream.notes.get(ENCODING) or stream.notes.get(VALUES) or ""
    return note("release.no_values", about=Subject(stream.name), reason=why)


def measure_time_stretch(times_ns: NDArray[np.int64], hz: float) -> float:
    """Return how much longer these moments last than as many rows at an even rate; 1 where they are even.

    >>> measure_time_stretch(np.arange(11) * 100_000_000, hz=10.0)
    1.0
    >>> measure_time_stretch(np.array([0, 100_000_000, 400_000_000]), hz=10.0)
    2.0
    """
    even_s = (len(times_ns) - 1) / hz
    return (int(times_ns.max()) - int(times_ns.min())) / NS_PER_S / even_s if even_s > 0 else 1.0


def _get_rate(stream: Stream) -> float | None:
    """Return a stream's rate; where none is stated, that of the timestamps of any clock."""
    steps = np.diff(stream.times_ns)
    steps = steps[steps > 0]
    return stream.hz or (float(NS_PER_S / np.median(steps)) if len(steps) else None)


def make_feature(stream: Stream) -> Feature:
    """Return a stream as one episode has it."""
    bare = Feature(
        stream.name, stream.kind, stream.unit, (), frame_id=stream.frame_id, serial=stream.serial,
        nominal_hz=stream.nominal_hz, notes=dict(stream.notes),
    )  # fmt: skip
    if stream.values is None:
        assert stream.pictures is not None
        return replace(bare, size=stream.pictures.size)
    width = _count_columns(stream)
    names = stream.columns if len(stream.columns) == width else ()
    sides = " × ".join(map(str, stream.values.shape[1:])) if stream.values.ndim > ROWS_AND_COLUMNS else ""
    shape = sides or stream.notes.get(SHAPE, "")
    return replace(bare, columns=names, width=width, dtype=stream.values.dtype.name, shape=shape)


def _count_columns(stream: Stream) -> int:
    assert stream.values is not None
    return int(np.prod(stream.values.shape[1:]))
