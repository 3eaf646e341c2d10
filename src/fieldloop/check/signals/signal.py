"""A stream's numbers in the order of time, and moments from the episode's start: made once for all checks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.stamps import find_time_span_ns
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.stats.quantile import compute_median

Floats = NDArray[np.float64]
FEWEST = 4
"""Streams with fewer samples are not used as signals."""

NO_RATE = note("check.no_rate")


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """Samples sorted by time: timestamps, rows of float64, and the stream they come from."""

    stream: Stream
    times_ns: NDArray[np.int64]
    values: Floats
    period_s: float
    """The median step; one second where no timestamp goes forward."""

    @property
    def name(self) -> str:
        """The stream's name."""
        return self.stream.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names; none where their number differs from that of the columns."""
        names = self.stream.columns
        return names if len(names) == self.values.shape[1] else ()

    def find_row_nearest(self, time_ns: int) -> Floats:
        """Return the row nearest in time, preferably one without NaN."""
        known = np.flatnonzero(np.isfinite(self.values).all(axis=1))
        rows = known if len(known) else np.arange(len(self.values))
        nearest = rows[int(np.argmin(np.abs(self.times_ns[rows] - time_ns)))]
        row: Floats = self.values[nearest]
        return row

    def find_rows_between(self, start_ns: int, end_ns: int) -> slice:
        """Return the rows of a span, both ends included."""
        first = int(np.searchsorted(self.times_ns, start_ns))
        return slice(first, int(np.searchsorted(self.times_ns, end_ns, side="right")))

    def name_column(self, index: int) -> str:
        """Name a column: 'joint_3', or '' where columns have no names."""
        return self.columns[index] if self.columns else ""


def read_signal_once(case: Case, stream: Stream) -> Signal | None:
    """Return a stream's numbers in order; None where they are pictures, words, or too few."""
    return case.compute_once(("signal", stream.name), lambda: read_signal(stream))


def find_signals(case: Case, *kinds: StreamKind, unit: str = "") -> Iterator[Signal]:
    """Yield the signals of these kinds, of one unit where it is named; those without one finite number are left out."""
    yield from case.compute_once(("signals", kinds, unit), lambda: tuple(_select_signals(case, kinds, unit)))


def _select_signals(case: Case, kinds: tuple[StreamKind, ...], unit: str) -> Iterator[Signal]:
    for stream in case.find_streams(*kinds):
        if unit and stream.unit != unit:
            continue
        made = read_signal_once(case, stream)
        if made is not None and np.isfinite(made.values).any():
            yield made


def replace_infinite_by_nan(values: Floats) -> Floats:
    """Replace values that are not finite by NaN."""
    unknown = np.isnan(values)
    return np.where(unknown, 0.0, values) if unknown.any() else values


def measure_column_extent(values: Floats) -> Floats:
    """Return how far apart the largest and the smallest of each column are.

    >>> measure_column_extent(np.array([[1.0, 5.0], [4.0, 5.0]])).tolist()
    [3.0, 0.0]
    """
    columns = np.ascontiguousarray(values.T)  # NumPy is ten times slower along short rows
    return np.asarray(columns.max(axis=1) - columns.min(axis=1))


def has_timed_stamps(stream: Stream) -> bool:
    """Do the timestamps show how much time passed? Sample counts do not."""
    return stream.hz is not None or stream.clock is not ClockKind.SYNTHETIC


def find_beginning_ns(case: Case) -> int:
    """Return the moment that counts as zero: the episode's start, or the first timestamp where the clocks differ."""
    return int(case.compute_once("beginning", lambda: _compute_beginning_ns(case)))


def convert_to_episode_seconds(case: Case, time_ns: float) -> float:
    """Return a moment in seconds from the episode's start."""
    return max(0.0, (int(time_ns) - find_beginning_ns(case)) / NS_PER_S)


def note_place_at(case: Case, time_ns: float, column: str = "") -> Note:
    """Return a moment, and optionally a column, as the place of a measurement."""
    return note("check.at", at_s=convert_to_episode_seconds(case, time_ns), column=column)


def note_first_place_at(case: Case, time_ns: float, column: str = "", *, looks_like_degrees: bool = False) -> Note:
    """Return the first of several moments as the place of a measurement, with whether the values look like degrees."""
    return note(
        "check.first_at_degrees" if looks_like_degrees else "check.first_at",
        at_s=convert_to_episode_seconds(case, time_ns),
        column=column,
    )


def _compute_beginning_ns(case: Case) -> int:
    episode = case.episode
    spans = [find_time_span_ns(case, stream) for stream in case.find_sensing_streams()]
    if episode.end_ns > episode.start_ns and any(a <= episode.end_ns and b >= episode.start_ns for a, b in spans):
        return episode.start_ns
    return min((first for first, _ in spans), default=0)


def read_signal(stream: Stream) -> Signal | None:
    """Put a stream's numbers in order of time; None where they are pictures, words, or too few.

    Values that are not finite become NaN.
    """
    values = stream.values
    if values is None or values.dtype.kind not in "fiub" or not values.size or len(stream) < FEWEST:
        return None
    times, rows = stream.times_ns, values.reshape(len(values), -1).astype(np.float64)
    if np.any(times[1:] < times[:-1]):
        order = np.argsort(times, kind="stable")
        times, rows = times[order], rows[order]
    rows[~np.isfinite(rows)] = np.nan
    steps = times[1:] - times[:-1]
    forward = steps[steps > 0]
    return Signal(stream, times, rows, compute_median(forward) / NS_PER_S if len(forward) else 1.0)
