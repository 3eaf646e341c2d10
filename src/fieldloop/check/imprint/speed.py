"""Imprint of an operator's style of motion, independent of the path and its duration."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.smoothness import measure_roughness
from fieldloop.check.imprinting import register_imprinter
from fieldloop.check.signals.arms import find_joints_of_arm
from fieldloop.check.signals.contact import find_longest_hold
from fieldloop.check.signals.movement import Movement, find_movement
from fieldloop.check.signals.signal import Floats, Signal, has_timed_stamps
from fieldloop.check.signals.speeds import Speeds, compute_high_percentile, compute_speeds
from fieldloop.check.signals.tool import find_tool_pose
from fieldloop.model.stream import NS_PER_S, StreamKind

Feature = tuple[str, float]


@register_imprinter("speed", needs=("joints",))
def imprint_motion_style(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return features of style, each a rate or a share, so that none depends on the episode's length."""
    moved = find_movement(case)
    if moved is None:
        return {}
    return {
        name: np.array([value], np.float32)
        for name, value in _compute_style_features(case, moved)
        if np.isfinite(value)
    }


def _compute_style_features(case: Case, movement_times: Movement) -> Iterator[Feature]:
    held = find_longest_hold(case)
    arm = held.arm if held is not None else ""  # with several arms, the one that held longest
    joints, pose = find_joints_of_arm(case, arm), find_tool_pose(case, arm)
    if joints is not None and has_timed_stamps(joints.stream):
        yield from _compute_mean_and_peak_speed(case, movement_times, joints, ("mean_rad_s", "peak_rad_s"))
        yield "roughness_per_s", measure_roughness(case, joints)
        yield "peaks_per_s", _count_speed_peaks_per_second(compute_speeds(case, joints), movement_times)
    if pose is not None and has_timed_stamps(pose.stream):
        yield from _compute_mean_and_peak_speed(
            case, movement_times, pose, ("tool_mean_m_s", "tool_peak_m_s"), column_count=3
        )
    attempt_s = (movement_times.offset_ns - movement_times.onset_ns) / NS_PER_S
    if attempt_s > 0:
        yield (
            "pause_share",
            1
            - min(
                1.0,
                movement_times.measure_seconds_moving(movement_times.onset_ns, movement_times.offset_ns) / attempt_s,
            ),
        )
        yield from _compute_phase_shares(case, movement_times, attempt_s, pose or joints)


def _compute_mean_and_peak_speed(
    case: Case, movement_times: Movement, signal: Signal, names: tuple[str, str], column_count: int | None = None
) -> Iterator[Feature]:
    made = compute_speeds(case, signal, column_count)
    fast = made.norm[_mark_samples_within_movement(made, movement_times)]
    if len(fast):
        yield names[0], float(fast.mean())
        yield names[1], float(compute_high_percentile(fast))


def _count_speed_peaks_per_second(signal_speeds: Speeds, movement_times: Movement) -> float:
    """Return the peaks of speed per second: few in a confident motion, many in a hesitant one."""
    inside = _mark_samples_within_movement(signal_speeds, movement_times)
    fast, span_s = signal_speeds.norm[inside], (movement_times.offset_ns - movement_times.onset_ns) / NS_PER_S
    if len(fast) < 3 or span_s <= 0:  # noqa: PLR2004 - a peak has two sides
        return float("nan")
    peak = (fast[1:-1] > fast[:-2]) & (fast[1:-1] >= fast[2:]) & (fast[1:-1] > fast.mean() / 2)
    return float(peak.sum()) / span_s


def _compute_phase_shares(
    case: Case, movement_times: Movement, attempt_s: float, tool_path: Signal | None
) -> Iterator[Feature]:
    held = find_longest_hold(case)
    if held is None or not movement_times.onset_ns < held.contact_ns < movement_times.offset_ns:
        return
    yield "approach_share", (held.contact_ns - movement_times.onset_ns) / NS_PER_S / attempt_s
    yield "hold_share", (min(held.release_ns, movement_times.offset_ns) - held.contact_ns) / NS_PER_S / attempt_s
    if tool_path is not None:
        columns = 3 if tool_path.stream.kind is StreamKind.POSE else None
        yield (
            "directness",
            _compute_directness(
                tool_path.values[tool_path.find_rows_between(movement_times.onset_ns, held.contact_ns), :columns]
            ),
        )


def _compute_directness(tool_positions: Floats) -> float:
    """Return the straight distance over the path length; steps of several samples keep noise out."""
    coarse = tool_positions[:: max(1, len(tool_positions) // 32)]
    gone = float(np.sqrt((np.diff(coarse, axis=0) ** 2).sum(axis=1)).sum())
    return float(np.linalg.norm(coarse[-1] - coarse[0])) / gone if len(coarse) and gone > 0 else float("nan")


def _mark_samples_within_movement(signal_speeds: Speeds, movement_times: Movement) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (signal_speeds.times_ns >= movement_times.onset_ns) & (
        signal_speeds.times_ns <= movement_times.offset_ns
    )
    return inside
