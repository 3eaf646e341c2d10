"""Detection of when the fingers close on an item and release it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fieldloop.annotate.motion import Floats, Traces, find_true_spans


@dataclass(frozen=True, slots=True)
class Grip:
    """Grid indices: where the fingers start to close, have closed, and start to open (None where they never do)."""

    closing: float
    closed: int
    opening: float | None


def find_grip(traces: Traces, moving_speed: float, numbers: Mapping[str, float]) -> Grip | None:
    """Find the closing on the item: the lowest one with the tool at rest; any other only changes the opening.

    `moving_speed` is the speed above which the tool counts as moving.
    """
    travel = numbers["finger_travel_mm"] / 1e3
    changes = [
        (a, b, _measure_travel(traces.width, a, b))
        for a, b in find_true_spans(np.abs(traces.width_rate) > numbers["finger_m_per_s"])
    ]
    began, height = int(np.argmax(traces.speed > moving_speed)), traces.place[:, 2]
    closings = [
        (float(height[a:b].mean()), a, b)
        for a, b, by in changes
        if by < -travel and a > began and traces.speed[a:b].mean() <= moving_speed
    ]
    if not closings:
        return None
    _, begin, end = min(closings)
    openings = [(float(height[a:b].mean()), a, b) for a, b, by in changes if by > travel and a >= end]
    by_width = _find_movement_start(traces.width, min(openings)[1:], 1.0, numbers) if openings else None
    by_force = _find_force_release(traces.effort, end, numbers)
    near = numbers["smooth_s"] * traces.hz
    if by_width is not None and by_force is not None and abs(by_force - by_width) > near:
        by_force = None  # a force that vanishes at another time means a slip, or other fingers
    known = [at for at in (by_width, by_force) if at is not None]
    closing = _find_movement_start(traces.width, (begin, end), -1.0, numbers)
    return Grip(closing, end, min(known) if known else None)


def _measure_travel(width: Floats, begin: int, end: int) -> float:
    return float(width[min(end, len(width) - 1)] - width[max(begin - 1, 0)])


def _find_movement_start(width: Floats, span: tuple[int, ...], sign: float, numbers: Mapping[str, float]) -> float:
    """Return where fingers start to move: the even part of their way, followed back to none."""
    begin, end = max(span[0] - 2, 0), min(span[1] + 2, len(width))
    gone = sign * (width[begin:end] - width[begin])
    low, high = numbers["even_from"], numbers["even_to"]
    first, second = (_find_index_reaching(gone, share * gone[-1]) for share in (low, high))
    return begin + max(0.0, first - (second - first) * low / (high - low))


def _find_index_reaching(path: Floats, level: float) -> float:
    index = int(np.argmax(path >= level))
    step = path[index] - path[index - 1] if index else 0.0
    return index - float((path[index] - level) / step) if step > 0 else float(index)


def _find_force_release(effort: Floats | None, closed: int, numbers: Mapping[str, float]) -> float | None:
    """Return where the grip force falls for good; None where it is not known, never rose, or never fell."""
    if effort is None or closed >= len(effort):
        return None
    held = float(np.quantile(effort[closed:], numbers["held_quantile"]))
    pressed = np.flatnonzero(effort[closed:] >= numbers["effort_share"] * held)
    last = closed + int(pressed[-1])
    return float(last + 1) if held >= numbers["grip_min_n"] and last + 1 < len(effort) else None
