"""When were the steps taken? By stamps among the features, at a stated rate, or only in which order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fieldloop.ingest.readers.rlds.columns import Column
from fieldloop.ingest.stamps import (
    MADE_UP,
    Stamps,
    Times,
    find_contradicting_rate_hz,
    find_stated_rate,
    is_timestamp_name,
    parse_stamps,
)
from fieldloop.model.stream import NS_PER_S, ClockKind

COUNTED = "steps are counted, one a second: the dataset states neither timestamps nor a rate"


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


def choose_step_clock(columns: Iterable[Column], steps: int, facts: Mapping[str, str]) -> StepClock:
    """Choose the clock of the steps: measured timestamps, else even ones, else the stated rate, else their order."""
    hz = find_stated_rate(facts)
    candidates = [
        (column, stamps)
        for column in sorted(columns, key=_make_sort_key)
        if (stamps := _read_stamps(column, steps)) is not None
    ]
    if candidates:
        column, stamps = min(candidates, key=lambda pair: not pair[1].measured)  # of equals the first
        note = f"timestamps of steps/{column.path}, {stamps.how}"
        if hz and (real := find_contradicting_rate_hz(hz, stamps.times_ns)) is not None:
            note, hz = f"{note}; the dataset states {hz:g} Hz, they give {real:.4g}", None
        if stamps.measured:
            return StepClock(ClockKind.LOG, stamps.times_ns, hz, note, column.path)
        rate = (steps - 1) * NS_PER_S / int(stamps.times_ns[-1] - stamps.times_ns[0])
        return StepClock(ClockKind.SYNTHETIC, stamps.times_ns, hz or rate, note + MADE_UP, column.path)
    if hz:
        return StepClock(
            ClockKind.SYNTHETIC, _compute_even_times_ns(steps, hz), hz, f"step over the stated rate of {hz:g} Hz"
        )
    return StepClock(ClockKind.SYNTHETIC, _compute_even_times_ns(steps, 1.0), None, COUNTED)


def _make_sort_key(column: Column) -> tuple[int, str]:
    return column.path.count("/"), column.path


def _read_stamps(column: Column, steps: int) -> Stamps | None:
    values, name = column.values, column.path.rpartition("/")[2]
    if values is None or values.shape != (steps, 1) or not is_timestamp_name(name):
        return None
    return parse_stamps(name, values)


def _compute_even_times_ns(steps: int, hz: float) -> Times:
    return np.round(np.arange(steps) * (NS_PER_S / hz)).astype(np.int64)
