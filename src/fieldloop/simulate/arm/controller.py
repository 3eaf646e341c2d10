"""The controller: turns a requested grasp into a timed path of the tool, then of the joints."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import chain as kin
from fieldloop.geometry.transforms import Floats
from fieldloop.model.taxonomy import PHASES
from fieldloop.simulate.arm import arm, gripper
from fieldloop.simulate.arm.motion import compute_move_progress
from fieldloop.simulate.arm.scene import TOTE_CENTRE, TOTE_FLOOR_M

STEP_S = 0.02
HOVER_M = 0.085
"""Above the grasp, where the approach ends and the careful part begins."""
CARRY_M = 0.46
HOME_OPENING_M = 0.08
SET_DOWN_M = 0.012
"""Above the tote's floor, so that nothing is pressed into it."""
LAG_S = 0.05
"""Delay between a command and the motion of the joints."""
SECONDS = dict(zip(PHASES, (1.3, 0.7, 0.5, 0.9, 0.95, 0.8, 0.3, 1.1), strict=True))
LEVEL_SHARE = 0.72
"""Share of the approach in which the tool moves and turns horizontally."""
PEAK_OF_MEAN = 1.875
"""The highest speed of a minimum-jerk move, as a multiple of its mean speed."""
STOP_S, RISE_S, RETURN_S = 1.2, 1.2, 1.6
"""After a collision: stand still, rise, go home."""


@dataclass(frozen=True, slots=True)
class Grasp:
    """A requested grasp: pose of the tool in the base frame (m, rad), opening (m), force (N)."""

    x: float
    y: float
    z: float
    yaw_rad: float
    width_m: float
    force_n: float

    NAMES = ("x", "y", "z", "yaw", "width", "force")


@dataclass(frozen=True, slots=True)
class Style:
    """How a path is driven.

    Tempo (1 is nominal, more is faster), bulge to one side of the approach, pause before lifting, height of release.
    """

    tempo: float = 1.0
    side_m: float = 0.0
    pause_s: float = 0.0
    drop_m: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Where the tool is at every step, from the first motion on, and when each phase begins and ends."""

    grasp: Grasp
    style: Style
    times_s: Floats
    xyz: Floats
    yaw_rad: Floats
    joints_rad: Floats
    phases: dict[str, tuple[float, float]]
    reached: bool

    def find_step_index(self, at_s: float) -> int:
        """Return the step at a time."""
        return int(np.clip(np.searchsorted(self.times_s, at_s - 1e-9), 0, len(self.times_s) - 1))


def plan_pick_path(grasp: Grasp, style: Style, bin_floor_m: float, start_rad: Floats | None = None) -> Path:
    """Plan the whole pick: approach, grasp, lift, carry to the tote, set down, return.

    The arm starts at home, its last joint turned as in `start_rad`; it takes longer where that joint has far to turn.
    """
    home_rad = arm.compute_home_angles()
    turned = 0.0 if start_rad is None else float(home_rad[-1] - start_rad[-1])  # the tool's yaw at the start
    phases = _compute_phase_times(style, _compute_turn_time_s(abs(grasp.yaw_rad - turned)) if turned else 0.0)
    end = phases["retract"][1]
    times = np.asarray(np.arange(round(end / STEP_S) + 1) * STEP_S, dtype=float)
    xyz, yaw = _compute_tool_path(times, phases, grasp, style, bin_floor_m)
    if turned:
        yaw = yaw + turned * (1 - _compute_level_progress(times, phases["approach"]))
    joints, reached = _solve_joint_angles(xyz, yaw)
    return Path(grasp, style, times, xyz, yaw, joints, phases, reached)


def stop_path_and_return(path: Path, at_s: float) -> Path:
    """Cut a path where the arm hit something: it stands still, rises and goes home."""
    last = path.find_step_index(at_s)
    start, extra = path.times_s[last], STOP_S + RISE_S + RETURN_S
    times = np.concatenate([path.times_s[:last], start + np.arange(round(extra / STEP_S) + 1) * STEP_S])
    late = times[last:]
    here, home = path.xyz[last], np.array(arm.HOME)
    up = compute_move_progress(late, start + STOP_S, start + STOP_S + RISE_S)
    over = compute_move_progress(late, start + STOP_S + 0.6 * RISE_S, start + extra)
    tail = here + (home - here) * np.stack([over, over, up], axis=-1)
    xyz = np.concatenate([path.xyz[:last], tail])
    yaw = np.concatenate([path.yaw_rad[:last], path.yaw_rad[last] * (1 - over)])
    phases = {name: (begin, min(end, float(start))) for name, (begin, end) in path.phases.items() if begin < start}
    phases["retract"] = (float(start), float(times[-1]))
    joints, reached = _solve_joint_angles(xyz, yaw)
    return Path(path.grasp, path.style, times, xyz, yaw, joints, phases, reached)


def make_waiting_path(path: Path, seconds: float) -> Path:
    """Return the path of an arm that waits at home because it cannot execute the request."""
    times = np.asarray(np.arange(round(seconds / STEP_S) + 1) * STEP_S, dtype=float)
    xyz, yaw = np.tile(np.array(arm.HOME), (len(times), 1)), np.zeros(len(times))
    joints = np.tile(arm.compute_home_angles(), (len(times), 1))
    return Path(path.grasp, path.style, times, xyz, yaw, joints, {"approach": (0.0, float(times[-1]))}, reached=False)


def _compute_turn_time_s(turn_rad: float) -> float:
    """How long the approach takes at least, so that the last joint stays within its speed while it turns so far."""
    return float(PEAK_OF_MEAN * turn_rad / arm.make_arm_chain().joints[-1].max_rad_per_s / LEVEL_SHARE)


def _compute_level_progress(times: Floats, approach: tuple[float, float]) -> Floats:
    begin, end = approach
    return compute_move_progress(times, begin, begin + LEVEL_SHARE * (end - begin))


def _compute_phase_times(style: Style, least_approach_s: float = 0.0) -> dict[str, tuple[float, float]]:
    phases, at = {}, 0.0
    for name, seconds in SECONDS.items():
        lasts = seconds / style.tempo + (style.pause_s if name == "grasp" else 0.0)
        if name == "approach":
            lasts = max(lasts, least_approach_s)
        lasts = round(lasts / STEP_S) * STEP_S
        phases[name] = (at, at + lasts)
        at += lasts
    return phases


def _compute_tool_path(
    times: Floats, phases: dict[str, tuple[float, float]], grasp: Grasp, style: Style, bin_floor_m: float
) -> tuple[Floats, Floats]:
    """Add up minimum-jerk moves; in approach and retract the horizontal and the vertical move overlap."""
    home, target, tote = np.array(arm.HOME[:2]), np.array([grasp.x, grasp.y]), np.array(TOTE_CENTRE)
    hover, place = grasp.z + HOVER_M, TOTE_FLOOR_M + (grasp.z - bin_floor_m) + SET_DOWN_M + style.drop_m
    (a, b), (y, z) = phases["approach"], phases["retract"]
    in_level, in_down = (
        _compute_level_progress(times, (a, b)),
        compute_move_progress(times, a + 0.42 * (b - a), b),
    )
    out_up, out_level = (
        compute_move_progress(times, y, y + 0.6 * (z - y)),
        compute_move_progress(times, y + 0.35 * (z - y), z),
    )
    carry = compute_move_progress(times, *phases["transport"])
    level = home + np.outer(in_level, target - home) + np.outer(carry, tote - target) + np.outer(out_level, home - tote)
    across = np.array([target[1] - home[1], home[0] - target[0]])
    across = across / max(float(np.hypot(*across)), 1e-6)
    level = level + np.outer(np.sin(np.pi * in_level) ** 2 * style.side_m, across)
    height = (
        arm.HOME[2]
        + (hover - arm.HOME[2]) * in_down
        + (grasp.z - hover) * compute_move_progress(times, *phases["pre-grasp"])
        + (CARRY_M - grasp.z) * compute_move_progress(times, *phases["lift"])
        + (place - CARRY_M) * compute_move_progress(times, *phases["place"])
        + (arm.HOME[2] - place) * out_up
    )
    yaw = grasp.yaw_rad * (in_level - carry)
    return np.column_stack([level, height]), yaw


def _solve_joint_angles(xyz: Floats, yaw: Floats) -> tuple[Floats, bool]:
    solution = kin.solve_inverse_kinematics(
        arm.make_arm_chain(), arm.make_tool_pose(xyz, yaw), arm.compute_seed_angles(xyz, yaw), steps=8
    )
    return solution.angles_rad, bool(solution.reached.all())


def clamp_grasp(grasp: Grasp) -> Grasp:
    """Return the grasp within the limits of the gripper's opening and force."""
    return Grasp(
        grasp.x,
        grasp.y,
        grasp.z,
        float((grasp.yaw_rad + np.pi / 2) % np.pi - np.pi / 2),
        float(np.clip(grasp.width_m, 0.0, gripper.MAX_OPENING_M)),
        float(np.clip(grasp.force_n, 0.0, gripper.MAX_FORCE_N)),
    )
