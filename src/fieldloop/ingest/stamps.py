"""Decide whether a column holds timestamps, in which unit, and whether they were measured or computed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.words import split_into_words
from fieldloop.model.stream import NS_PER_S

Times = NDArray[np.int64]
STAMP_WORDS = {"timestamp", "timestamps", "stamp", "stamps", "time", "times", "ts"}
UNIT_WORDS = {
    "ns": 1, "nsec": 1, "nanoseconds": 1, "us": 1_000, "usec": 1_000, "microseconds": 1_000,
    "ms": 1_000_000, "msec": 1_000_000, "milliseconds": 1_000_000, "s": NS_PER_S, "sec": NS_PER_S, "seconds": NS_PER_S,
}  # fmt: skip
UNITS = {1: "nanoseconds", 1_000: "microseconds", 1_000_000: "milliseconds", NS_PER_S: "seconds"}
EPOCH_S = (978_307_200, 4_102_444_800)
"""The years 2001 to 2100: a date among them says its unit by its size."""

USUAL_STEP_S = (1e-4, 2.0)
LIKELY_STEP_S = (1e-5, 25.0)
FARTHEST_RATE = 5.0  # from the rate that is stated elsewhere
MOST_BACKWARD = 0.1
"""Of all steps: a clock that was set back once is still one, and for the checks to judge."""

EVEN_NS = 1_000
"""Nothing a robot's computer stamps is more even than this."""

RATES = {
    "control_frequency", "control_freq", "control_hz", "frequency", "freq", "fps", "hz", "rate", "frame_rate",
    "framerate", "step_frequency", "sampling_rate", "sample_rate",
}  # fmt: skip
BELIEVABLE_HZ = (0.01, 100_000.0)
OTHER_RATE = 0.1
"""From here on a rate that is stated and the one that stamps have are two; jitter and rounding stay below it."""

WHOLE_RATE = 5e-4
FEWEST_STEPS = 3
MADE_UP = "; they are evenly spaced, so assumed to be made up, not measured"
"""Added to a note on timestamps that were not measured."""

FINEST_DECIMAL, FEWEST = 9, 2
LARGEST_NS = float(1 << 62)


@dataclass(frozen=True, slots=True, eq=False)
class Stamps:
    """Stamps, whether they were measured (else a row's number over a rate), and how their unit was found."""

    times_ns: Times
    measured: bool
    how: str


def is_timestamp_name(name: str) -> bool:
    """Does a name indicate timestamps?

    >>> is_timestamp_name("timestamps"), is_timestamp_name("camera_time_ns"), is_timestamp_name("timeouts")
    (True, True, False)
    """
    return bool(split_into_words(name) & STAMP_WORDS)


def parse_unit_in_name(name: str) -> int | None:
    """Return the nanoseconds of the unit that a name ends in, None where it states none.

    >>> parse_unit_in_name("stamp_ms"), parse_unit_in_name("timestamp"), parse_unit_in_name("ts")
    (1000000, None, None)
    """
    *before, ending = re.split(r"[^a-z]+", name.lower())
    return UNIT_WORDS.get(ending) if before else None


def find_stated_rate(facts: Mapping[str, str]) -> float | None:
    """Return the rate that facts state by a usual name, None where there is none that could be one.

    >>> find_stated_rate({"task": "lift", "robot/control_freq": "20"})
    20.0
    """
    for key, text in facts.items():
        if re.split(r"[/.]", key)[-1].lower() in RATES:
            try:
                hz = float(text)
            except ValueError:
                continue
            if BELIEVABLE_HZ[0] <= hz <= BELIEVABLE_HZ[1]:
                return hz
    return None


def estimate_rate(times_ns: Times) -> float | None:
    """Return the rate that the median interval implies, a whole one where it is that near; None without intervals.

    >>> estimate_rate(np.asarray([0, 33_333_000, 66_667_000, 100_000_000]))
    30.0
    """
    steps = np.diff(times_ns)
    steps = steps[steps > 0]
    if not len(steps):
        return None
    return round_to_whole_rate(float(NS_PER_S / np.median(steps)))


def round_to_whole_rate(hz: float) -> float:
    """Return the whole number that a rate is but for rounding, else the rate itself.

    >>> round_to_whole_rate(24.9999998), round_to_whole_rate(29.97)
    (25.0, 29.97)
    """
    return float(round(hz)) if abs(hz - round(hz)) < WHOLE_RATE * hz else hz


def find_contradicting_rate_hz(stated_hz: float, times_ns: Times) -> float | None:
    """Return the rate of the timestamps where it contradicts the stated one, else None.

    Both the median and the mean must: lost samples change the one, coarse stamps the other.

    >>> (find_contradicting_rate_hz(50.0, np.arange(9) * 40_000_000),
    ...  find_contradicting_rate_hz(25.0, np.arange(9) * 40_000_000))
    (25.0, None)
    """
    if len(times_ns) <= FEWEST_STEPS or (span := int(times_ns[-1]) - int(times_ns[0])) <= 0:
        return None
    if abs((len(times_ns) - 1) * NS_PER_S / span / stated_hz - 1) <= OTHER_RATE:
        return None  # asked first because it costs nothing, and nearly always answers
    median = estimate_rate(times_ns)
    return None if median is None or abs(median / stated_hz - 1) <= OTHER_RATE else median


def parse_stamps(name: str, values: NDArray[Any], *, hz: float | None = None) -> Stamps | None:
    """Read one column as timestamps; None where it does not rise, or at no rate at which robots record.

    `hz` is the rate that is stated elsewhere, if any: stamps far from it are something else.
    """
    column = values.reshape(-1)
    if (
        column.dtype.kind not in "iuf"
        or len(column) < FEWEST
        or not np.isfinite(column).all()
        or not _is_rising(column)
    ):
        return None
    named = parse_unit_in_name(name)
    for unit in (named,) if named else _list_candidate_units(column, rate_is_stated=hz is not None):
        times = _convert_to_nanoseconds(column, unit)
        if times is not None and _has_likely_rate(times, hz):
            how = f"read as {UNITS[unit]}, {'by its name' if named else 'by what is plausible'}"
            return Stamps(times, not _is_evenly_spaced(times, find_resolution(column) * unit), how)
    return None


def find_resolution(column: NDArray[Any]) -> float:
    """Return the finest difference that a column can tell, in its own unit: of its type, or of the rounding done to it.

    >>> find_resolution(np.asarray([33, 66, 100])), find_resolution(np.asarray([0.02, 0.041, 0.06]))
    (1.0, 0.001)
    """
    if column.dtype.kind in "iu":
        whole: Times = column.astype(np.int64)
        steps = whole[1:] - whole[:-1]
        power = 1
        while power < NS_PER_S and not (steps % (power * 10)).any():
            power *= 10
        return float(power)
    largest = np.abs(column).max()
    if column.dtype == np.float64 and np.array_equal(column.astype(np.float32), column):
        largest = np.float32(largest)
    finest = float(np.spacing(largest))
    wide = column.astype(np.float64)
    for digits in range(FINEST_DECIMAL + 1):
        step = 10.0**-digits
        if step < 16 * finest:  # nearly every number lies on a grid as fine as this
            break
        if np.abs(wide - np.round(wide / step) * step).max() <= 2 * finest:
            return step
    return finest


def _is_rising(column: NDArray[Any]) -> bool:
    if not column[-1] > column[0]:
        return False
    backward = int(np.count_nonzero(column[1:] < column[:-1]))
    return backward <= MOST_BACKWARD * (len(column) - 1)


def _list_candidate_units(column: NDArray[Any], *, rate_is_stated: bool) -> Iterator[int]:
    """Yield the units that could be meant: a date's own, then those in which the steps are a robot's."""
    middle = float(np.median(column))
    yield from (unit for unit in UNITS if EPOCH_S[0] <= middle * unit / NS_PER_S <= EPOCH_S[1])
    whole = column.dtype.kind in "iu"
    steps = np.diff(column.astype(np.float64))
    if whole and (steps == 1).all() and not rate_is_stated:
        return  # a row's number
    step = float(np.median(steps[steps > 0]))
    for unit in sorted(UNITS, reverse=True):
        if USUAL_STEP_S[0] <= step * unit / NS_PER_S <= USUAL_STEP_S[1] and not (whole and unit == NS_PER_S):
            yield unit


def _convert_to_nanoseconds(column: NDArray[Any], unit: int) -> Times | None:
    """Count in nanoseconds, whole numbers exactly; None where they are too large for that."""
    if float(np.abs(column.astype(np.float64)).max()) * unit >= LARGEST_NS:
        return None
    if column.dtype.kind in "iu":
        return column.astype(np.int64) * unit
    wide = column.astype(np.float64)
    whole = np.floor(wide)  # a float64 of this century holds whole seconds exactly
    rest = np.round((wide - whole) * unit).astype(np.int64)
    return whole.astype(np.int64) * unit + rest


def _has_likely_rate(times: Times, hz: float | None) -> bool:
    span = int(times[-1]) - int(times[0])
    if span <= 0:
        return False
    rate = (len(times) - 1) * NS_PER_S / span
    if hz:
        return 1 / FARTHEST_RATE <= rate / hz <= FARTHEST_RATE
    return LIKELY_STEP_S[0] <= 1 / rate <= LIKELY_STEP_S[1]


def _is_evenly_spaced(times: Times, resolution_ns: float) -> bool:
    """Are these row numbers over a rate, as exact as the column can tell? Summed up, steps are even, not the whole."""
    allowed = max(EVEN_NS, resolution_ns * 1.01)
    since = (times - times[0]).astype(np.float64)
    steps = np.diff(since)
    line = np.arange(len(times)) * (since[-1] / (len(times) - 1))
    return bool(np.abs(since - line).max() <= allowed or np.abs(steps - np.median(steps)).max() <= allowed)
