"""Would another reading of the same numbers fit far better? Then it is proposed, with how much better it fits.

The angle between two robot poses equals the angle between the target's two poses, wherever the camera sits. So the
ways to write rotations are sorted out by angles alone, which costs nothing; only the few that are left are solved for.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.conventions.reading import Reading, alternatives, read, rotations
from fieldloop.calibrate.hand_eye.methods import closed_form
from fieldloop.calibrate.hand_eye.poses import Setup, pairs
from fieldloop.calibrate.hand_eye.reject import middle_residual
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import is_rigid
from fieldloop.geometry.transforms import Floats
from fieldloop.model.written_poses import Side, WrittenPoses

MOST_POSES = 24
SOLVED_FOR = 8
"""Combinations of rotations that are worth solving for, best angles first."""
AS_GOOD = 1.5
RIGID = 1e-3
LEAST_POSES = 5


@dataclass(frozen=True, slots=True)
class Proposal:
    """Options that would make the residual so many times smaller; not applied until somebody names them."""

    options: tuple[str, ...]
    times_smaller: float
    says: str


def proposals(
    robot: WrittenPoses, target: WrittenPoses, stated: tuple[Reading, Reading], setup: Setup, *, factor: float
) -> tuple[Proposal, ...]:
    """Compare the stated reading with all others; those `factor` times better with the fewest changes are proposed."""
    rows = _rows(robot, target)
    if len(rows) < LEAST_POSES:
        return ()
    few_robot, few_target = robot.only(rows), target.only(rows)
    usual = _score(few_robot, few_target, stated, setup)
    found = [
        (score, tried)
        for tried in _worth_solving(few_robot, few_target, stated)
        if (score := _score(few_robot, few_target, tried, setup)) * factor <= usual
    ]
    if not found:
        return ()
    best = min(score for score, _ in found)
    good = [(score, tried) for score, tried in found if score <= AS_GOOD * best]
    least = min(_changes(stated, tried) for _, tried in good)
    return tuple(
        Proposal(options, usual / max(score, 1e-12), says)
        for score, tried in sorted(good, key=lambda each: each[0])
        if _changes(stated, tried) == least
        for options, says in _in_words(stated, tried, setup)
    )


def _rows(robot: WrittenPoses, target: WrittenPoses) -> NDArray[np.intp]:
    finite = np.isfinite(robot.shifts).all(axis=-1) & np.isfinite(target.shifts).all(axis=-1)
    for side in (robot, target):
        finite &= np.isfinite(side.rotations).reshape(len(side), -1).all(axis=-1)
    usable = np.flatnonzero(finite)
    return usable[np.unique(np.linspace(0, max(len(usable) - 1, 0), MOST_POSES).astype(int))] if len(usable) else usable


def _worth_solving(
    robot: WrittenPoses, target: WrittenPoses, stated: tuple[Reading, Reading]
) -> Iterable[tuple[Reading, Reading]]:
    by_robot, by_target = alternatives(stated[0]), alternatives(stated[1])
    angles = [
        {name: _angles(side.rotations, name) for name in dict.fromkeys(reading.rotation for reading in readings)}
        for side, readings in ((robot, by_robot), (target, by_target))
    ]
    misfit = {(r, t): float(np.median(np.abs(angles[0][r] - angles[1][t]))) for r, t in product(angles[0], angles[1])}
    ranked = sorted(misfit, key=lambda both: (misfit[both], both != (stated[0].rotation, stated[1].rotation)))
    kept = set(ranked[:SOLVED_FOR]) | {(stated[0].rotation, stated[1].rotation)}
    for both in product(by_robot, by_target):
        if both != stated and (both[0].rotation, both[1].rotation) in kept:
            yield both


def _angles(values: Floats, name: str) -> Floats:
    turns = rotations(values, name)
    first, second = np.triu_indices(len(turns), 1)
    return tf.angle_between(turns[first], turns[second])


def _score(robot: WrittenPoses, target: WrittenPoses, tried: tuple[Reading, Reading], setup: Setup) -> float:
    """The middle residual of a closed form, as an angle, so that a change of both units at once gains nothing."""
    given = pairs(read(robot, tried[0]), read(target, tried[1]), setup)
    if not (is_rigid(given.world_from_mount, RIGID).all() and is_rigid(given.camera_from_target, RIGID).all()):
        return np.inf
    answer = closed_form(given, "park")
    return np.inf if answer is None else max(middle_residual(answer, given), 1e-9)


def _changes(stated: tuple[Reading, Reading], tried: tuple[Reading, Reading]) -> int:
    return sum(
        (a.rotation != b.rotation) + (a.unit != b.unit) + (a.inverse != b.inverse)
        for a, b in zip(stated, tried, strict=True)
    )


def _in_words(
    stated: tuple[Reading, Reading], tried: tuple[Reading, Reading], setup: Setup
) -> Iterable[tuple[tuple[str, ...], str]]:
    """Write the options out. Robot poses the other way round are the same as the other set-up, so both are offered."""
    options: list[str] = []
    for side, before, now in zip((Side.ROBOT, Side.TARGET), stated, tried, strict=True):
        options += [f"--rotation {side}:{now.rotation}"] if before.rotation != now.rotation else []
        options += [f"--units {side}:{now.unit}"] if before.unit != now.unit else []
    inverted = [side for side, reading in zip((Side.ROBOT, Side.TARGET), tried, strict=True) if reading.inverse]
    turned = [a.inverse != b.inverse for a, b in zip(stated, tried, strict=True)]
    said = "; ".join(reading.in_words(side) for side, reading in zip((Side.ROBOT, Side.TARGET), tried, strict=True))
    yield (*options, *([f"--inverse {side}" for side in inverted] if any(turned) else [])), f"Read as {said}."
    if turned[0]:
        other = Setup.EYE_TO_HAND if setup is Setup.EYE_IN_HAND else Setup.EYE_IN_HAND
        rest = [f"--inverse {side}" for side in inverted if side is not Side.ROBOT]
        yield (*options, *rest, f"--setup {other}"), f"The camera is {other}, the robot poses as they were stated."
