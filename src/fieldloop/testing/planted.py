"""Streams with planted values, so that a test knows what a check should find."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop.check import CHECKS, Case
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind


def make_stream(
    name: str,
    kind: StreamKind,
    values: ArrayLike,
    *,
    hz: float = 50.0,
    unit: str = "rad",
    delay_s: float = 0.0,
    columns: tuple[str, ...] = (),
    clock: ClockKind = ClockKind.HEADER,
) -> Stream:
    """Return a stream of these values at an even rate."""
    rows: NDArray[np.float64] = np.asarray(values, float).reshape(len(np.asarray(values)), -1)
    times = ((np.arange(len(rows)) / hz + delay_s) * NS_PER_S).round().astype(np.int64)
    return Stream(name, kind, unit, {clock: times}, rows, columns=columns)


def make_case(*streams: Stream, **facts: Any) -> Case:
    """Return a case of nothing but these streams."""
    return Case(
        Recording(Episode(**{"id": "id", "name": "name", "format": "test", **facts}), {s.name: s for s in streams})
    )


def measure_by_subject(check: str, case: Case) -> dict[str, Measurement]:
    """Return what one check found, by subject."""
    return {found.subject: found for found in CHECKS[check].look(case)}


def make_smooth_motion(
    random: np.random.Generator, seconds: float, joints: int = 3, hz: float = 50.0
) -> NDArray[np.float64]:
    """Return a smooth motion with random start and end; its style does not depend on its length."""
    count = round(seconds * hz)
    noise = random.normal(size=(count + 100, joints))
    window = np.hanning(51) / np.hanning(51).sum()
    speed = np.stack([np.convolve(column, window, "same") for column in noise.T], axis=1)[50:-50]
    return np.asarray(np.cumsum(speed, axis=0) / hz * 5.0)
