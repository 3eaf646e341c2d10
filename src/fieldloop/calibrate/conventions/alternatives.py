"""Other readings of the same numbers that fit far better; they are proposed, not applied.

The angle between two robot poses equals the angle between the target's two poses, wherever the camera sits. So the
rotation formats are filtered by angles alone, which is cheap; only the few that remain are solved for.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.conventions.reading import (
    UNITS,
    Reading,
    convert_rotations,
    convert_to_matrices,
    list_alternatives,
)
from fieldloop.calibrate.hand_eye.methods import solve_closed_form
from fieldloop.calibrate.hand_eye.poses import Answer, Setup, make_pairs
from fieldloop.calibrate.hand_eye.reject import compute_median_residual
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import is_rigid
from fieldloop.geometry.transforms import Floats
from fieldloop.model.note import Note, note
from fieldloop.model.written_poses import Side, WrittenPoses

MOST_POSES = 16  # enough to tell readings apart by angles; each is solved for every reading
SOLVED_FOR = 12
"""Combinations of rotations that are worth solving for."""
NO_ANGLE = 1e-6  # angles that differ by less are equal
SOLVED_BY = ("park", "horaud", "shah")
"""Under a wrong reading the first may find nothing; the next one shows how badly it fits."""
RIGID = 1e-3  # rounding of poses written with three decimals
LEAST_POSES = 5  # fewer poses fit several readings
MOST_TIMES = 1e6  # beyond, the residual is rounding


@dataclass(frozen=True, slots=True)
class Wanted:
    """When a reading is worth proposing: `factor` times better than the stated one, and fitting by itself.

    It fits where the middle pose is off by at most `fits_rad`. Readings within `as_good` times the best are alike; what
    the gripper carries is within `reach_m` of it.
    """

    factor: float
    reach_m: float
    fits_rad: float
    as_good: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """Options that would make the residual so many times smaller; applied only when the user gives them."""

    options: tuple[str, ...]
    times_smaller: float
    says: Note


def propose_readings(
    robot: WrittenPoses,
    target: WrittenPoses,
    stated_readings: tuple[Reading, Reading],
    setup: Setup,
    requirements: Wanted,
) -> tuple[Proposal, ...]:
    """Compare the stated reading with all others; those far better with the fewest changes are proposed.

    Inverted target poses fit exactly as well as inverted robot poses, or the other set-up: the two unknowns swap.
    What sits on the gripper must be within its reach, which separates some of these cases.
    """
    rows = _choose_usable_rows(robot, target)
    if len(rows) < LEAST_POSES:
        return ()
    few_robot, few_target = robot.select_rows(rows), target.select_rows(rows)
    usual = _solve_reading(few_robot, few_target, stated_readings, setup)[0]
    fits = []
    for tried in _select_likely_readings(few_robot, few_target, stated_readings, requirements.as_good):
        score, answer = _solve_reading(few_robot, few_target, tried, setup)
        if answer is not None and score <= requirements.fits_rad and score * requirements.factor <= usual:
            fits += [
                _Fit(score, tried, s, measure_gripper_distance_m(answer, s))
                for s in _list_possible_setups(stated_readings, tried, setup)
            ]
    if not fits:
        return ()
    best = min(fit.score for fit in fits)
    good = [fit for fit in fits if fit.score <= requirements.as_good * best]
    good = [fit for fit in good if fit.on_gripper_m <= requirements.reach_m] or good
    least = min(_count_changes(stated_readings, fit.tried) for fit in good)
    chosen = sorted((f for f in good if _count_changes(stated_readings, f.tried) == least), key=lambda f: f.score)
    return tuple(
        Proposal(
            _list_options(stated_readings, fit, setup),
            min(usual / fit.score, MOST_TIMES),
            _explain_proposal(stated_readings, fit, setup),
        )
        for fit in chosen
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """A reading that fits, under one of the set-ups, and how far from the gripper it puts what sits on it."""

    score: float
    tried: tuple[Reading, Reading]
    setup: Setup
    on_gripper_m: float


def measure_gripper_distance_m(answer: Answer, setup: Setup) -> float:
    """How far from the gripper's frame is what it carries: the camera, or the target?"""
    carried = answer.mount_from_camera if setup is Setup.EYE_IN_HAND else answer.world_from_target
    return float(np.linalg.norm(carried[:3, 3]))


def _list_possible_setups(
    stated_readings: tuple[Reading, Reading], tried_readings: tuple[Reading, Reading], setup: Setup
) -> tuple[Setup, ...]:
    """Robot poses the other way round are the same as the other set-up, so both are offered."""
    other = Setup.EYE_TO_HAND if setup is Setup.EYE_IN_HAND else Setup.EYE_IN_HAND
    return (setup, other) if stated_readings[0].inverse != tried_readings[0].inverse else (setup,)


def _choose_usable_rows(robot: WrittenPoses, target: WrittenPoses) -> NDArray[np.intp]:
    finite = np.isfinite(robot.shifts).all(axis=-1) & np.isfinite(target.shifts).all(axis=-1)
    for side in (robot, target):
        finite &= np.isfinite(side.rotations).all(axis=tuple(range(1, side.rotations.ndim)))
    usable = np.flatnonzero(finite)
    return usable[np.unique(np.linspace(0, max(len(usable) - 1, 0), MOST_POSES).astype(int))] if len(usable) else usable


def _select_likely_readings(
    robot: WrittenPoses, target: WrittenPoses, stated_readings: tuple[Reading, Reading], as_good: float
) -> Iterable[tuple[Reading, Reading]]:
    by_robot, by_target = list_alternatives(stated_readings[0]), list_alternatives(stated_readings[1])
    angles = [
        {
            name: _compute_pairwise_angles(side.rotations, name)
            for name in dict.fromkeys(reading.rotation for reading in readings)
        }
        for side, readings in ((robot, by_robot), (target, by_target))
    ]
    misfit = {(r, t): float(np.median(np.abs(angles[0][r] - angles[1][t]))) for r, t in product(angles[0], angles[1])}
    usual = (stated_readings[0].rotation, stated_readings[1].rotation)
    # readings that only swap axes have equal angles: all of them are tried, those that change one side first
    likely = [both for both in misfit if misfit[both] <= as_good * min(misfit.values()) + NO_ANGLE]
    changed = {both: sum(a != b for a, b in zip(both, usual, strict=True)) for both in likely}
    kept = {usual, *sorted(likely, key=lambda both: (changed[both], misfit[both]))[:SOLVED_FOR]}
    same_scale = UNITS[stated_readings[0].unit] / UNITS[stated_readings[1].unit]
    for first, second in product(by_robot, by_target):
        moved_together = (first.unit, second.unit) != (stated_readings[0].unit, stated_readings[1].unit) and UNITS[
            first.unit
        ] / UNITS[second.unit] == same_scale
        if (first, second) != stated_readings and (first.rotation, second.rotation) in kept and not moved_together:
            yield first, second


def _compute_pairwise_angles(values: Floats, rotation_format: str) -> Floats:
    turns = convert_rotations(values, rotation_format)
    first, second = np.triu_indices(len(turns), 1)
    return tf.angle_between(turns[first], turns[second])


def _solve_reading(
    robot: WrittenPoses, target: WrittenPoses, tried_readings: tuple[Reading, Reading], setup: Setup
) -> tuple[float, Answer | None]:
    """The middle residual of a closed form, as an angle, so that a change of both units at once gains nothing."""
    given = make_pairs(
        convert_to_matrices(robot, tried_readings[0]), convert_to_matrices(target, tried_readings[1]), setup
    )
    if not (is_rigid(given.world_from_mount, RIGID).all() and is_rigid(given.camera_from_target, RIGID).all()):
        return math.inf, None
    answers = (solve_closed_form(given, method) for method in SOLVED_BY)
    answer = next((each for each in answers if each is not None), None)
    return (math.inf if answer is None else max(compute_median_residual(answer, given), 1e-9)), answer


def _count_changes(stated_readings: tuple[Reading, Reading], tried_readings: tuple[Reading, Reading]) -> int:
    return sum(
        (a.rotation != b.rotation) + (a.unit != b.unit) + (a.inverse != b.inverse)
        for a, b in zip(stated_readings, tried_readings, strict=True)
    )


def _list_options(stated_readings: tuple[Reading, Reading], fit: _Fit, setup: Setup) -> tuple[str, ...]:
    options: list[str] = []
    for side, before, now in zip(Side, stated_readings, fit.tried, strict=True):
        options += [f"--rotation {side}:{now.rotation}"] if before.rotation != now.rotation else []
        options += [f"--units {side}:{now.unit}"] if before.unit != now.unit else []
    inverted = [reading.inverse for reading in fit.tried]
    inverted[0] = stated_readings[0].inverse if fit.setup is not setup else inverted[0]
    if inverted != [reading.inverse for reading in stated_readings]:
        options += [f"--inverse {side}" for side, turned in zip(Side, inverted, strict=True) if turned]
    return (*options, *([f"--setup {fit.setup}"] if fit.setup is not setup else []))


def _explain_proposal(stated_readings: tuple[Reading, Reading], fit: _Fit, setup: Setup) -> Note:
    robot = fit.tried[0] if fit.setup is setup else replace(fit.tried[0], inverse=stated_readings[0].inverse)
    readings = "; ".join(
        reading.format_as_options(side) for side, reading in zip(Side, (robot, fit.tried[1]), strict=True)
    )
    carried = "camera" if fit.setup is Setup.EYE_IN_HAND else "target"
    return note(
        "calibrate.reading_fits", setup=fit.setup.value, readings=readings, carried=carried, away_m=fit.on_gripper_m
    )
