"""Proposed phases from the signals of gripper and tool; people correct them."""

from collections.abc import Mapping

import numpy as np

from fieldloop.annotate import motion
from fieldloop.annotate.fingers import find_grip
from fieldloop.annotate.motion import Floats, Traces
from fieldloop.annotate.taxonomy import load_shipped_measures as shipped_measures
from fieldloop.errors import BadInput
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Recording
from fieldloop.model.taxonomy import PHASES, Taxonomy


def propose_phases(
    recording: Recording, taxonomy: Taxonomy, *, author: str, measures: Mapping[str, float] | None = None
) -> tuple[tuple[Annotation, ...], str]:
    """Propose the phases of one pick from `tool`, `gripper` and, where there is one, `gripper/effort`.

    Returns the phases in order and, where there are fewer than the taxonomy names, why: what cannot be determined is
    left out, never guessed.
    """
    if unknown := [name for name in PHASES if name not in {label.name for label in taxonomy.labels}]:
        raise BadInput(f"Taxonomy {taxonomy.name} v{taxonomy.version} has no label {', '.join(unknown)}.")
    numbers = measures or shipped_measures()
    streams = recording.streams
    for name in ("tool", "gripper"):
        if name not in streams:
            return (
                (),
                f"The recording has no stream {name!r}, so where the tool was or what the fingers did is unknown.",
            )
    made = motion.resample_traces(streams["tool"], streams["gripper"], streams.get("gripper/effort"), numbers)
    if isinstance(made, str):
        return (), f"Phases cannot be determined: {made}."
    edges, reason = _find_phase_edges(made, numbers)
    times = [made.time_ns(e) for e in np.maximum.accumulate(edges)] if edges else []
    episode = recording.episode.id
    phases = zip(PHASES, times[:-1], times[1:], strict=False)
    return tuple(
        Annotation(episode, PHASE, name, begin, end, author) for name, begin, end in phases if end > begin
    ), reason


def _find_phase_edges(traces: Traces, numbers: Mapping[str, float]) -> tuple[list[float], str]:
    """Return grid indices where the phases begin, and the end of the last; fewer where the rest is undetermined."""
    if traces.speed.max() < numbers["still_m_per_s"]:
        return [], "The tool never moved."
    moves = _compute_moving_speed(traces, numbers)
    grip = find_grip(traces, moves, numbers)
    if grip is None:
        return [], "The fingers never closed while the tool stood still."
    begin = motion.find_move_onset(traces.speed, 0, _find_move_peak_end(traces.speed, 0, moves, numbers), numbers)
    edges = [begin or 0.0, _find_approach_end(traces, grip.closing, numbers), grip.closing]
    if grip.opening is None:
        lift = _find_next_move(traces, grip.closed, len(traces.speed), numbers)
        return ([*edges, lift] if lift is not None else edges), "The fingers never opened again: nothing was released."
    return _add_carry_phases(traces, edges, grip.closed, grip.opening, numbers)


def _add_carry_phases(
    traces: Traces, edges: list[float], closed: int, opening: float, numbers: Mapping[str, float]
) -> tuple[list[float], str]:
    """Add lift, transport, place, release and retract; the carry is where the tool is fastest sideways."""
    last = int(opening)
    level = np.asarray(np.hypot(traces.velocity[:, 0], traces.velocity[:, 1]))
    lift = _find_next_move(traces, closed, last, numbers)
    if lift is None or level[closed:last].max(initial=0.0) < numbers["still_m_per_s"]:
        return ([*edges, lift] if lift is not None else edges), "The item was not carried anywhere."
    fastest = closed + int(np.argmax(level[closed:last]))
    over = (
        motion.find_move_onset(level, closed, fastest + 1, numbers),
        motion.find_move_end(level, fastest, last, numbers),
    )
    up = motion.find_move_end(np.maximum(traces.velocity[:, 2], 0.0), closed, fastest, numbers)
    down = motion.find_move_onset(np.maximum(-traces.velocity[:, 2], 0.0), fastest, last, numbers)
    edges = [*edges, lift, _average_known_values(up, over[0]), _average_known_values(over[1], down), opening]
    away = _find_next_move(traces, last, len(traces.speed), numbers)
    if away is None:
        return edges, "The tool did not move away again."
    rest = motion.find_move_end(traces.speed, int(away), len(traces.speed), numbers)
    return [*edges, away, len(traces.speed) - 1.0 if rest is None else rest], ""


def _find_approach_end(traces: Traces, closing: float, numbers: Mapping[str, float]) -> float:
    """Return the pause above the grasp; without one, where the tool comes near for good."""
    last = int(closing)
    speed = traces.speed[: last + 1]
    away = np.linalg.norm(traces.place[: last + 1] - traces.place[last], axis=1)
    before, after = np.maximum.accumulate(speed), np.maximum.accumulate(speed[::-1])[::-1]
    depth = np.where(after > _compute_moving_speed(traces, numbers), speed / np.minimum(before, after), 1.0)
    near = _find_index_within_reach(away, numbers["pause_within_cm"] / 100)
    if near < last and depth[near:].min() < numbers["pause_depth"]:
        pause = near + int(np.argmin(depth[near:]))
        starts = motion.find_move_onset(traces.speed, pause, last + 1, numbers)
        arrives = pause + 1 - _find_move_peak_end(speed[pause::-1], 0, _compute_moving_speed(traces, numbers), numbers)
        stops = motion.find_move_end(traces.speed, max(arrives, 0), pause + 1, numbers)
        return _average_known_values(stops, starts)
    return float(_find_index_within_reach(away, numbers["approach_ends_cm"] / 100))


def _find_index_within_reach(distances: Floats, reach: float) -> int:
    outside = np.flatnonzero(distances > reach)
    return int(outside[-1]) + 1 if len(outside) else 0


def _find_next_move(traces: Traces, begin: int, end: int, numbers: Mapping[str, float]) -> float | None:
    """Return where the tool starts to move again after `begin`."""
    if traces.speed[begin:end].max(initial=0.0) <= _compute_moving_speed(traces, numbers):
        return None
    passed = _find_move_peak_end(traces.speed, begin, _compute_moving_speed(traces, numbers), numbers)
    return motion.find_move_onset(traces.speed, begin, min(end, passed), numbers)


def _find_move_peak_end(speed: Floats, begin: int, moving_speed: float, numbers: Mapping[str, float]) -> int:
    """Return where the first move after `begin` has passed its peak."""
    moving = begin + int(np.argmax(speed[begin:] > moving_speed))
    fastest = np.maximum.accumulate(speed[moving:])
    passed = np.flatnonzero(speed[moving:] < numbers["pause_depth"] * fastest)
    return moving + int(passed[0]) if len(passed) else len(speed)


def _compute_moving_speed(traces: Traces, numbers: Mapping[str, float]) -> float:
    """Return the speed above which the tool is on a move: well above noise, well below any peak."""
    return max(numbers["still_m_per_s"], numbers["move_share"] * float(traces.speed.max()))


def _average_known_values(first: float | None, second: float | None) -> float:
    known = [edge for edge in (first, second) if edge is not None]
    return float(np.mean(known)) if known else 0.0
