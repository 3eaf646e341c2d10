"""Hand-eye from poses as a file writes them: read as stated, what cannot be true refused, better readings proposed."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.conventions import Proposal, Reading, impossible, proposals, read, unsaid
from fieldloop.calibrate.conventions.alternatives import Wanted, on_gripper_m
from fieldloop.calibrate.hand_eye import HandEye, Rejected, Setup, hand_eye, pairs
from fieldloop.calibrate.hand_eye.methods import closed_form
from fieldloop.calibrate.hand_eye.pairing import Paired, by_stamp, clock_offset, spread_out
from fieldloop.calibrate.hand_eye.refine import refine
from fieldloop.geometry.transforms import Floats
from fieldloop.model.finding import Status
from fieldloop.model.written_poses import WrittenPoses
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """How a file is to be read: both readings, the set-up, and what to add to target stamps (None: rows match).

    `complaint` is what is known to be wrong with the file before anything is read from it.
    """

    robot: Reading
    target: Reading
    setup: Setup
    offset_s: float | None = None
    unsaid: bool = False
    complaint: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class WrittenHandEye:
    """The calibration, what was wrong with the file as it was read, and which other reading fits far better."""

    found: HandEye
    complaints: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    paired: int


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """Robot poses at the target's moments, and the rows of both files that they are made of."""

    robot: Floats
    robot_rows: NDArray[np.intp]
    target_rows: NDArray[np.intp]


def hand_eye_from_written(
    robot: WrittenPoses, target: WrittenPoses, stated: Stated, protocol: CollectionProtocol
) -> WrittenHandEye:
    """Calibrate from written poses as they are stated to be read; nothing else is applied."""
    wrong = impossible(robot, stated.robot, protocol), impossible(target, stated.target, protocol)
    matched, clock = _matched(robot, target, stated, protocol, (set(wrong[0].rows), set(wrong[1].rows)))
    names = tuple(target.names[int(row)] for row in matched.target_rows)
    given = pairs(matched.robot, read(target, stated.target)[matched.target_rows], stated.setup, names)
    found = hand_eye(given, stated.setup, protocol)
    few = robot.only(matched.robot_rows), target.only(matched.target_rows)
    factor = "calibration.convention_unsaid_factor" if stated.unsaid else "calibration.convention_factor"
    reach_m = float(protocol.setting("calibration.gripper_reach_m"))
    better = proposals(
        *few,
        (stated.robot, stated.target),
        stated.setup,
        Wanted(
            factor=float(protocol.setting(factor)),
            reach_m=reach_m,
            fits_rad=math.radians(float(protocol.setting("calibration.convention_fits_deg"))),
            as_good=float(protocol.setting("calibration.convention_as_good")),
        ),
    )
    told = [side.facts if better else side.complaints for side in wrong]  # one answer: the reading that fits
    complaints = tuple(filter(None, (stated.complaint, *told[0], *told[1])))
    if found.answer and (away_m := on_gripper_m(found.answer, stated.setup)) > reach_m and not better:
        what = "camera" if stated.setup is Setup.EYE_IN_HAND else "target"
        complaints += (_changed_places(what, away_m, stated),)
    rows = {target.names[n]: why for n, why in wrong[1].rows.items()}
    rows |= {robot.names[n]: why for n, why in wrong[0].rows.items()}
    lost = tuple(Rejected(name, why) for name, why in rows.items())
    found = replace(found, rejected=(*found.rejected, *lost))
    return WrittenHandEye(_held_back(found, complaints, better), complaints, (*better, *clock), len(names))


def what_is_unsaid(
    robot: WrittenPoses, target: WrittenPoses, rotation: tuple[str, ...], units: tuple[str, ...]
) -> tuple[str, ...]:
    """List in words what neither file nor user says and what is therefore assumed; metres need no word."""
    return tuple(
        f"The file does not say how the {side.side} rotations are written."
        for side in (robot, target)
        if "rotation" in unsaid(side, rotation, units)
    )


def _matched(
    robot: WrittenPoses,
    target: WrittenPoses,
    stated: Stated,
    protocol: CollectionProtocol,
    unusable: tuple[set[int], set[int]],
) -> tuple[_Matched, tuple[Proposal, ...]]:
    bad_robot, bad_target = (np.array(sorted(rows), dtype=np.intp) for rows in unusable)
    if stated.offset_s is None or robot.stamps_s is None or target.stamps_s is None:
        rows = np.setdiff1d(np.arange(len(target)), np.union1d(bad_robot, bad_target))
        return _Matched(read(robot, stated.robot)[rows], rows, rows), ()
    kept_robot = np.setdiff1d(np.arange(len(robot)), bad_robot)
    kept_target = np.setdiff1d(np.arange(len(target)), bad_target)
    poses, seen = read(robot, stated.robot)[kept_robot], read(target, stated.target)[kept_target]
    robot_s, target_s = robot.stamps_s[kept_robot], target.stamps_s[kept_target]
    furthest_s = 1e-3 * float(protocol.setting("calibration.hand_eye_pairing_ms"))
    most = int(protocol.setting("calibration.hand_eye_max_poses"))

    def at(offset_s: float) -> Paired:
        return by_stamp(poses, robot_s, target_s, offset_s=offset_s, furthest_s=furthest_s)

    near = at(stated.offset_s)
    chosen = spread_out(near.robot, near.speed_rad_s, most)
    matched = _Matched(near.robot[chosen], kept_robot[near.nearest[chosen]], kept_target[near.rows[chosen]])
    least_alike = float(protocol.setting("calibration.clock_offset_alike"))
    shown_s = clock_offset(poses, robot_s, seen, target_s, least_alike=least_alike)
    if shown_s is None or abs(shown_s - stated.offset_s) < 1e-3:  # noqa: PLR2004  finer than it can be told
        return matched, ()
    noises = [_shift_noise_m(each, seen, stated.setup, most) for each in (near, at(shown_s))]
    if (
        not math.isfinite(noises[0])
        or not noises[0] >= float(protocol.setting("calibration.clock_offset_gain")) * noises[1]
    ):
        return matched, ()
    says = f"Hand and eye turn alike when {1e3 * shown_s:+.0f} ms are added to the target's stamps."
    return matched, (Proposal((f"--clock-offset={shown_s:.3f}",), noises[0] / noises[1], says),)


def _shift_noise_m(near: Paired, seen: Floats, setup: Setup, most: int) -> float:
    """Return the noise of a fit to evenly spaced pairs: fast ones too, because they show a wrong clock best."""
    rows = np.unique(np.linspace(0, max(len(near.rows) - 1, 0), most).astype(int)) if len(near.rows) else near.rows
    made = pairs(near.robot[rows], seen[near.rows[rows]], setup)
    answer = closed_form(made, "park")
    return math.inf if answer is None else refine(made, answer).shift_noise_m


def _changed_places(what: str, away_m: float, stated: Stated) -> str:
    """Advise the turn that was not made: a side that is stated to be inverse is so no more."""
    sides = {"robot": stated.robot.inverse, "target": stated.target.inverse}
    leave, give = ([f"--inverse {side}" for side, said in sides.items() if said is turned] for turned in (True, False))
    advice = [f"leave {' '.join(leave)} out"] * bool(leave) + [f"give {' '.join(give)}"] * bool(give)
    return (
        f"The {what} would sit {away_m:.2f} m from the gripper that carries it. With both poses the other way round "
        f"the file fits as well: {', and '.join(advice)}."
    )


def _held_back(found: HandEye, complaints: tuple[str, ...], better: tuple[Proposal, ...]) -> HandEye:
    """A file that cannot mean what it is read to mean, or reads far better otherwise, does not pass."""
    other = (_fits_better(better),) if better else ()
    if not complaints and not other:
        return found
    status = Status.CANNOT_TELL if complaints or found.status is Status.PASSED else found.status
    reason = " ".join((*complaints, *other, found.reason))
    return replace(found, status=status, reason=reason, advice=() if other else found.advice)


def _fits_better(better: tuple[Proposal, ...]) -> str:
    options = ", or ".join(" ".join(proposal.options) for proposal in better)
    return f"Another reading of the file fits {better[0].times_smaller:.3g} times better: {options}. As read now:"
