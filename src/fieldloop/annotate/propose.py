"""Proposed phases from the signals of gripper and tool; people correct them."""

from collections.abc import Mapping

import numpy as np

from fieldloop.annotate import motion
from fieldloop.annotate.fingers import find_grip
from fieldloop.annotate.motion import Floats, Traces
from fieldloop.annotate.taxonomy import measures as shipped_measures
from fieldloop.errors import BadInput
from fieldloop.model.annotation import PHASES, Annotation, Taxonomy
from fieldloop.model.episode import Recording

KIND = "phase"


def propose(
    recording: Recording, taxonomy: Taxonomy, *, author: str, measures: Mapping[str, float] | None = None
) -> tuple[tuple[Annotation, ...], str]:
    """Propose the phases of one pick from `tool`, `gripper` and, where there is one, `gripper/effort`.

    Returns the phases in order and, where there are fewer than the taxonomy names, why: what cannot be determined is
    left out, never guessed.
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
        return (), f"Phases cannot be determined: {made}."
    edges, reason = _edges(made, numbers)
    times = [made.time_ns(e) for e in np.maximum.accumulate(edges)] if edges else []
    episode = recording.episode.id
    phases = zip(PHASES, times[:-1], times[1:], strict=False)
    return tuple(
        Annotation(episode, KIND, name, begin, end, author) for name, begin, end in phases if end > begin
    ), reason


def _edges(t: Traces, numbers: Mapping[str, float]) -> tuple[list[float], str]:
    """Return grid indices where the phases begin, and the end of the last; fewer where the rest is undetermined."""
    if t.speed.max() < numbers["still_m_per_s"]:
        return [], "The tool never moved."
    moves = _moving_speed_threshold(t, numbers)
    grip = find_grip(t, moves, numbers)
    if grip is None:
        return [], "The fingers never closed while the tool stood still."
    begin = motion.onset(t.speed, 0, _move_end(t.speed, 0, moves, numbers), numbers)
    edges = [begin or 0.0, _approach_end(t, grip.closing, numbers), grip.closing]
    if grip.opening is None:
        lift = _next_move(t, grip.closed, len(t.speed), numbers)
        return ([*edges, lift] if lift is not None else edges), "The fingers never opened again: nothing was released."
    return _add_carry_phases(t, edges, grip.closed, grip.opening, numbers)


def _add_carry_phases(
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
    edges = [*edges, lift, _mean_of_known(up, over[0]), _mean_of_known(over[1], down), opening]
    away = _next_move(t, last, len(t.speed), numbers)
    if away is None:
        return edges, "The tool did not move away again."
    rest = motion.offset(t.speed, int(away), len(t.speed), numbers)
    return [*edges, away, len(t.speed) - 1.0 if rest is None else rest], ""


def _approach_end(t: Traces, closing: float, numbers: Mapping[str, float]) -> float:
    """Return the pause above the grasp; without one, where the tool comes near for good."""
    last = int(closing)
    speed = t.speed[: last + 1]
    away = np.linalg.norm(t.place[: last + 1] - t.place[last], axis=1)
    before, after = np.maximum.accumulate(speed), np.maximum.accumulate(speed[::-1])[::-1]
    depth = np.where(after > _moving_speed_threshold(t, numbers), speed / np.minimum(before, after), 1.0)
    near = _index_within_reach(away, numbers["pause_within_cm"] / 100)
    if near < last and depth[near:].min() < numbers["pause_depth"]:
        pause = near + int(np.argmin(depth[near:]))
        starts = motion.onset(t.speed, pause, last + 1, numbers)
        arrives = pause + 1 - _move_end(speed[pause::-1], 0, _moving_speed_threshold(t, numbers), numbers)
        stops = motion.offset(t.speed, max(arrives, 0), pause + 1, numbers)
        return _mean_of_known(stops, starts)
    return float(_index_within_reach(away, numbers["approach_ends_cm"] / 100))


def _index_within_reach(away: Floats, reach: float) -> int:
    outside = np.flatnonzero(away > reach)
    return int(outside[-1]) + 1 if len(outside) else 0


def _next_move(t: Traces, begin: int, end: int, numbers: Mapping[str, float]) -> float | None:
    """Return where the tool starts to move again after `begin`."""
    if t.speed[begin:end].max(initial=0.0) <= _moving_speed_threshold(t, numbers):
        return None
    passed = _move_end(t.speed, begin, _moving_speed_threshold(t, numbers), numbers)
    return motion.onset(t.speed, begin, min(end, passed), numbers)


def _move_end(speed: Floats, begin: int, moves: float, numbers: Mapping[str, float]) -> int:
    """Return where the first move after `begin` has passed its peak."""
    moving = begin + int(np.argmax(speed[begin:] > moves))
    fastest = np.maximum.accumulate(speed[moving:])
    passed = np.flatnonzero(speed[moving:] < numbers["pause_depth"] * fastest)
    return moving + int(passed[0]) if len(passed) else len(speed)


def _moving_speed_threshold(t: Traces, numbers: Mapping[str, float]) -> float:
    """Return the speed above which the tool is on a move: well above noise, well below any peak."""
    return max(numbers["still_m_per_s"], numbers["move_share"] * float(t.speed.max()))


def _mean_of_known(first: float | None, second: float | None) -> float:
    known = [edge for edge in (first, second) if edge is not None]
    return float(np.mean(known)) if known else 0.0
