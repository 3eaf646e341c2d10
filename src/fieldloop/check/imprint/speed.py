"""Imprint of an operator's style of motion, independent of the path and its duration."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.smoothness import roughness
from fieldloop.check.imprinting import imprinter
from fieldloop.check.signals.arms import joints_of
from fieldloop.check.signals.contact import longest_hold
from fieldloop.check.signals.movement import Movement, movement
from fieldloop.check.signals.signal import Floats, Signal, paced
from fieldloop.check.signals.speeds import Speeds, high, speeds
from fieldloop.check.signals.tool import tool
from fieldloop.model.stream import NS_PER_S, StreamKind

Feature = tuple[str, float]


@imprinter("speed", needs=("joints",))
def speed(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return features of style, each a rate or a share, so that none depends on the episode's length."""
    moved = movement(case)
    if moved is None:
        return {}
    return {name: np.array([value], np.float32) for name, value in _features(case, moved) if np.isfinite(value)}


def _features(case: Case, moved: Movement) -> Iterator[Feature]:
    held = longest_hold(case)
    arm = held.arm if held is not None else ""  # with several arms, the one that held longest
    joints, pose = joints_of(case, arm), tool(case, arm)
    if joints is not None and paced(joints.stream):
        yield from _mean_and_peak_speed(case, moved, joints, ("mean_rad_s", "peak_rad_s"))
        yield "roughness_per_s", roughness(case, joints)
        yield "peaks_per_s", _peaks(speeds(case, joints), moved)
    if pose is not None and paced(pose.stream):
        yield from _mean_and_peak_speed(case, moved, pose, ("tool_mean_m_s", "tool_peak_m_s"), columns=3)
    attempt_s = (moved.offset_ns - moved.onset_ns) / NS_PER_S
    if attempt_s > 0:
        yield "pause_share", 1 - min(1.0, moved.seconds_moving(moved.onset_ns, moved.offset_ns) / attempt_s)
        yield from _phase_shares(case, moved, attempt_s, pose or joints)


def _mean_and_peak_speed(
    case: Case, moved: Movement, signal: Signal, names: tuple[str, str], columns: int | None = None
) -> Iterator[Feature]:
    made = speeds(case, signal, columns)
    fast = made.norm[_is_within_movement(made, moved)]
    if len(fast):
        yield names[0], float(fast.mean())
        yield names[1], float(high(fast))


def _peaks(made: Speeds, moved: Movement) -> float:
    """Return the peaks of speed per second: few in a confident motion, many in a hesitant one."""
    inside = _is_within_movement(made, moved)
    fast, span_s = made.norm[inside], (moved.offset_ns - moved.onset_ns) / NS_PER_S
    if len(fast) < 3 or span_s <= 0:  # noqa: PLR2004 - a peak has two sides
        return float("nan")
    peak = (fast[1:-1] > fast[:-2]) & (fast[1:-1] >= fast[2:]) & (fast[1:-1] > fast.mean() / 2)
    return float(peak.sum()) / span_s


def _phase_shares(case: Case, moved: Movement, attempt_s: float, way: Signal | None) -> Iterator[Feature]:
    held = longest_hold(case)
    if held is None or not moved.onset_ns < held.contact_ns < moved.offset_ns:
        return
    yield "approach_share", (held.contact_ns - moved.onset_ns) / NS_PER_S / attempt_s
    yield "hold_share", (min(held.release_ns, moved.offset_ns) - held.contact_ns) / NS_PER_S / attempt_s
    if way is not None:
        columns = 3 if way.stream.kind is StreamKind.POSE else None
        yield "directness", _directness(way.values[way.between(moved.onset_ns, held.contact_ns), :columns])


def _directness(way: Floats) -> float:
    """Return the straight distance over the path length; steps of several samples keep noise out."""
    coarse = way[:: max(1, len(way) // 32)]
    gone = float(np.sqrt((np.diff(coarse, axis=0) ** 2).sum(axis=1)).sum())
    return float(np.linalg.norm(coarse[-1] - coarse[0])) / gone if len(coarse) and gone > 0 else float("nan")


def _is_within_movement(made: Speeds, moved: Movement) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (made.times_ns >= moved.onset_ns) & (made.times_ns <= moved.offset_ns)
    return inside
