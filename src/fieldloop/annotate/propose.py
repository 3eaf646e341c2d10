"""What happened when, as far as the signals of gripper and tool tell; people correct it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fieldloop.annotate import motion
from fieldloop.annotate.motion import Floats, Traces
from fieldloop.annotate.taxonomy import measures as shipped_measures
from fieldloop.errors import BadInput
from fieldloop.model.annotation import PHASES, Annotation, Taxonomy
from fieldloop.model.episode import Recording

KIND = "phase"


@dataclass(frozen=True, slots=True)
class _Fingers:
    """Grid indices of the grasp's closing and of the opening after it, if there was one."""

    closing: tuple[int, int]
    opening: tuple[int, int] | None


def propose(
    recording: Recording, taxonomy: Taxonomy, *, author: str, measures: Mapping[str, float] | None = None
) -> tuple[tuple[Annotation, ...], str]:
    """Propose the phases of one pick from `tool`, `gripper` and, where there is one, `gripper/effort`.

    Returns the phases in order and, where there are fewer than the taxonomy names, why: what cannot be told is left
    out, never guessed.
    """
    if unknown := [name for name in PHASES if name not in {label.name for label in taxonomy.labels}]:
        raise BadInput(f"Taxonomy {taxonomy.name} v{taxonomy.version} does not know {', '.join(unknown)}.")
    numbers = measures or shipped_measures()
    streams = recording.streams
    for name in ("tool", "gripper"):
        if name not in streams:
            return (
                (),
                f"The recording has no stream {name!r}, so where the tool was or what the fingers did is unknown.",
            )
    made = motion.traces(streams["tool"], streams["gripper"], streams.get("gripper/effort"), numbers)
    if isinstance(made, str):
        return (), f"Phases cannot be told: {made}."
    edges, reason = _edges(made, numbers)
    times = [made.time_ns(e) for e in np.maximum.accumulate(edges)] if edges else []
    episode = recording.episode.id
    found = zip(PHASES, times[:-1], times[1:], strict=False)
    return tuple(
        Annotation(episode, KIND, name, begin, end, author) for name, begin, end in found if end > begin
    ), reason


def _edges(t: Traces, numbers: Mapping[str, float]) -> tuple[list[float], str]:
    """Return grid indices where the phases begin, and the end of the last; shorter where the rest cannot be told."""
    if t.speed.max() < numbers["still_m_per_s"]:
        return [], "The tool never moved."
    fingers = _fingers(t, numbers)
    if fingers is None:
        return [], "The fingers never closed."
    closing = _finger_onset(t, fingers.closing, -1.0)
    begin = motion.onset(t.speed, 0, _move_end(t, 0, numbers), numbers)
    edges = [begin or 0.0, _approach_end(t, closing, numbers), closing]
    if fingers.opening is None:
        lift = _next_move(t, fingers.closing[1], len(t.speed), numbers)
        return ([*edges, lift] if lift is not None else edges), "The fingers never opened again: nothing was released."
    opening = min(_finger_onset(t, fingers.opening, 1.0), _force_falls(t, fingers, numbers))
    return _carry(t, edges, fingers.closing[1], opening, numbers)


def _carry(
    t: Traces, edges: list[float], closed: int, opening: float, numbers: Mapping[str, float]
) -> tuple[list[float], str]:
    """Add lift, transport, place, release and retract; the carry is where the tool is fastest sideways."""
    last = int(opening)
    level = np.asarray(np.hypot(t.velocity[:, 0], t.velocity[:, 1]))
    lift = _next_move(t, closed, last, numbers)
    if lift is None or level[closed:last].max(initial=0.0) < numbers["still_m_per_s"]:
        return ([*edges, lift] if lift is not None else edges), "The item was not carried anywhere."
    fastest = closed + int(np.argmax(level[closed:last]))
    over = motion.onset(level, closed, fastest + 1, numbers), motion.offset(level, fastest, last, numbers)
    up = motion.offset(np.maximum(t.velocity[:, 2], 0.0), closed, fastest, numbers)
    down = motion.onset(np.maximum(-t.velocity[:, 2], 0.0), fastest, last, numbers)
    edges = [*edges, lift, _between(up, over[0]), _between(over[1], down), opening]
    away = _next_move(t, last, len(t.speed), numbers)
    if away is None:
        return edges, "The tool did not move away again."
    rest = motion.offset(t.speed, int(away), len(t.speed), numbers)
    return [*edges, away, len(t.speed) - 1.0 if rest is None else rest], ""


def _fingers(t: Traces, numbers: Mapping[str, float]) -> _Fingers | None:
    """Find the closing where the tool is lowest (any other is a change of opening on the way), and the opening after."""
    moving = motion.spans(np.abs(t.width_rate) > numbers["finger_m_per_s"])
    travel = numbers["finger_travel_mm"] / 1e3
    changes = [(a, b, _travel(t.width, a, b)) for a, b in moving]
    height = t.place[:, 2]
    closings = [(float(height[a:b].mean()), a, b) for a, b, by in changes if by < -travel]
    if not closings:
        return None
    _, begin, end = min(closings)
    openings = [(float(height[a:b].mean()), a, b) for a, b, by in changes if by > travel and a >= end]
    return _Fingers((begin, end), min(openings)[1:] if openings else None)


def _travel(width: Floats, begin: int, end: int) -> float:
    return float(width[min(end, len(width) - 1)] - width[max(begin - 1, 0)])


def _finger_onset(t: Traces, span: tuple[int, int], sign: float) -> float:
    """Return where the fingers start: their path between a fifth and three fifths, followed back to none."""
    begin, end = max(span[0] - 2, 0), min(span[1] + 2, len(t.width))
    gone = sign * (t.width[begin:end] - t.width[begin])
    whole = gone[-1]
    first, second = (float(np.argmax(gone >= share * whole)) for share in (0.2, 0.6))
    first, second = (_exactly(gone, int(i), share * whole) for i, share in ((first, 0.2), (second, 0.6)))
    return begin + max(0.0, first - (second - first) * 0.5)


def _exactly(path: Floats, index: int, level: float) -> float:
    if index == 0:
        return 0.0
    step = path[index] - path[index - 1]
    return index - float((path[index] - level) / step) if step > 0 else float(index)


def _force_falls(t: Traces, fingers: _Fingers, numbers: Mapping[str, float]) -> float:
    """Return where the grip force falls for good before the fingers are open; never, where it is not known."""
    if t.effort is None or fingers.opening is None:
        return np.inf
    closed, opened = fingers.closing[1], fingers.opening[1]
    held = float(np.median(t.effort[closed : fingers.opening[0]])) if fingers.opening[0] > closed else 0.0
    pressed = np.flatnonzero(t.effort[closed:opened] >= numbers["effort_share"] * held)
    if held <= 0 or not len(pressed) or closed + pressed[-1] < fingers.opening[0] - t.hz * numbers["smooth_s"]:
        return np.inf  # force that went long before the fingers opened tells of a slip, not of a release
    return float(closed + pressed[-1] + 1)


def _approach_end(t: Traces, closing: float, numbers: Mapping[str, float]) -> float:
    """Return the pause above the grasp; without one, where the tool comes near for good."""
    last = int(closing)
    away = np.linalg.norm(t.place[: last + 1] - t.place[last], axis=1)
    near = _comes_within(away, numbers["pause_within_cm"] / 100)
    down = near + int(np.argmax(t.speed[near : last + 1])) if last > near else last
    pauses = t.speed[near : down + 1]
    if last - near > motion.MIN_SAMPLES and len(pauses) and pauses.min() < numbers["pause_depth"] * t.speed[down]:
        pause = near + int(np.argmin(pauses))
        starts = motion.onset(t.speed, pause, last + 1, numbers)
        stops = motion.offset(t.speed, int(np.argmax(t.speed[: pause + 1])), pause + 1, numbers)
        return _between(stops, starts)
    return float(_comes_within(away, numbers["approach_ends_cm"] / 100))


def _comes_within(away: Floats, reach: float) -> int:
    outside = np.flatnonzero(away > reach)
    return int(outside[-1]) + 1 if len(outside) else 0


def _next_move(t: Traces, begin: int, end: int, numbers: Mapping[str, float]) -> float | None:
    """Return where the tool starts to move again after `begin`."""
    moving = np.flatnonzero(t.speed[begin:end] > numbers["still_m_per_s"])
    if not len(moving):
        return None
    return motion.onset(t.speed, begin, min(end, _move_end(t, begin + int(moving[0]), numbers)), numbers)


def _move_end(t: Traces, begin: int, numbers: Mapping[str, float]) -> int:
    """Return where the move that is under way, or comes next, has passed its first peak."""
    speed = t.speed
    moving = begin + int(np.argmax(speed[begin:] > numbers["still_m_per_s"]))
    for n in range(moving + 1, len(speed)):
        if speed[n] < numbers["pause_depth"] * speed[moving:n].max():
            return n
    return len(speed)


def _between(first: float | None, second: float | None) -> float:
    known = [edge for edge in (first, second) if edge is not None]
    return float(np.mean(known)) if known else 0.0
