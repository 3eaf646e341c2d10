"""When were the steps taken? By stamps among the features, at a stated rate, or only in which order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.rlds.columns import Column
from fieldloop.ingest.words import words_of
from fieldloop.model.stream import NS_PER_S, ClockKind

Times = NDArray[np.int64]
STAMP_WORDS = {"timestamp", "timestamps", "stamp", "time"}
UNIT_WORDS = {"ns": 1, "nsec": 1, "nanoseconds": 1, "us": 1_000, "usec": 1_000, "ms": 1_000_000, "msec": 1_000_000}
SIZES = ((10**17, 1), (10**14, 1_000), (10**11, 1_000_000))
"""Stamps of this century are at least so large in ns, µs and ms."""

RATES = {
    "control_frequency", "control_freq", "control_hz", "frequency", "fps", "hz", "rate", "frame_rate", "framerate",
    "step_frequency", "sampling_rate",
}  # fmt: skip
BELIEVABLE_HZ = (0.01, 100_000.0)
COUNTED = "steps are counted, one a second: the dataset states neither stamps nor a rate"


@dataclass(frozen=True, slots=True, eq=False)
class StepClock:
    """One stamp a step, and where it comes from."""

    kind: ClockKind
    times_ns: Times
    hz: float | None = None
    note: str = ""
    path: str = ""

    @property
    def notes(self) -> Mapping[str, str]:
        """Return what a stream says of it."""
        return {"clock": self.note} if self.note else {}


def step_clock(columns: Iterable[Column], steps: int, facts: Mapping[str, str]) -> StepClock:
    """Tell the clock of an episode's steps."""
    hz = _stated_rate(facts)
    for column in sorted(columns, key=lambda c: (c.path.count("/"), c.path)):
        if len(column) == steps and (found := _stamps(column)) is not None:
            real = column.values is not None and column.values.dtype.kind in "iu"
            kind = ClockKind.LOG if real else ClockKind.SYNTHETIC
            return StepClock(kind, found, hz, f"stamps of steps/{column.path}", column.path)
    if hz:
        return StepClock(ClockKind.SYNTHETIC, _even(steps, hz), hz, f"step over the stated rate of {hz:g} Hz")
    return StepClock(ClockKind.SYNTHETIC, _even(steps, 1.0), None, COUNTED)


def _stamps(column: Column) -> Times | None:
    """Return a feature as stamps where it plainly is one: by its name, rising, whole and in a unit that can be told."""
    values = column.values
    words = words_of(column.path.rpartition("/")[2])
    if values is None or values.shape[1:] != (1,) or not len(values) or not words & STAMP_WORDS:
        return None
    row = values[:, 0] if values.dtype.kind == "f" else values[:, 0].astype(np.int64)
    if not np.isfinite(row).all() or (np.diff(row) < 0).any() or (len(row) > 1 and row[0] == row[-1]):
        return None
    if row.dtype.kind == "f":  # seconds from some beginning
        return np.round(row.astype(np.float64) * NS_PER_S).astype(np.int64) if np.abs(row).max() < 10**9 else None
    told = next((ns for word, ns in UNIT_WORDS.items() if word in words), None)
    unit = told or next((ns for least, ns in SIZES if int(row[0]) >= least), None)
    return None if unit is None or max(-int(row[0]), int(row[-1])) * unit >= 2**63 else row * unit


def _stated_rate(facts: Mapping[str, str]) -> float | None:
    for key, value in facts.items():
        if key.rpartition("/")[2].lower() in RATES:
            try:
                rate = float(value)
            except ValueError:
                continue
            if BELIEVABLE_HZ[0] <= rate <= BELIEVABLE_HZ[1]:
                return rate
    return None


def _even(steps: int, hz: float) -> Times:
    return np.round(np.arange(steps) * (NS_PER_S / hz)).astype(np.int64)
