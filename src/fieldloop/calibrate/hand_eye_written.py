"""Hand-eye calibration from a file of poses: implausible rows rejected, better readings proposed."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.conventions import (
    Proposal,
    Reading,
    convert_to_matrices,
    find_impossible_poses,
    list_unstated_parts,
    propose_readings,
)
from fieldloop.calibrate.conventions.alternatives import Wanted, measure_gripper_distance_m
from fieldloop.calibrate.hand_eye import HandEye, Rejected, Setup, make_pairs, solve_hand_eye
from fieldloop.calibrate.hand_eye.methods import solve_closed_form
from fieldloop.calibrate.hand_eye.pairing import Paired, choose_spread_poses, estimate_clock_offset, pair_by_stamp
from fieldloop.calibrate.hand_eye.refine import refine_answer
from fieldloop.geometry.transforms import Floats
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.written_poses import WrittenPoses
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """How a file is to be read: both readings, the set-up, and what to add to target stamps (None: rows match).

    `complaint` is a defect of the file that is known before it is read; `assumed` marks a reading that nothing states.
    """

    robot: Reading
    target: Reading
    setup: Setup
    offset_s: float | None = None
    assumed: bool = False
    complaint: Note | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WrittenHandEye:
    """The calibration, defects of the file as read, and other readings that fit far better."""

    found: HandEye
    complaints: tuple[Note, ...]
    proposals: tuple[Proposal, ...]
    paired: int


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """Robot poses at the target's moments, and the rows of both files that they are made of."""

    robot: Floats
    robot_rows: NDArray[np.intp]
    target_rows: NDArray[np.intp]


def calibrate_from_written_poses(
    robot: WrittenPoses, target: WrittenPoses, stated: Stated, protocol: CollectionProtocol
) -> WrittenHandEye:
    """Calibrate from written poses under the stated reading; proposals are not applied."""
    wrong = find_impossible_poses(robot, stated.robot, protocol), find_impossible_poses(target, stated.target, protocol)
    matched, clock = _match_poses(robot, target, stated, protocol, (set(wrong[0].rows), set(wrong[1].rows)))
    names = tuple(target.names[int(row)] for row in matched.target_rows)
    given = make_pairs(
        matched.robot, convert_to_matrices(target, stated.target)[matched.target_rows], stated.setup, names
    )
    calibrated = solve_hand_eye(given, stated.setup, protocol)
    few = robot.select_rows(matched.robot_rows), target.select_rows(matched.target_rows)
    factor = "calibration.convention_unsaid_factor" if stated.assumed else "calibration.convention_factor"
    reach_m = float(protocol.setting("calibration.gripper_reach_m"))
    better = propose_readings(
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
    defects = [side.facts if better else side.complaints for side in wrong]  # one answer: the reading that fits
    known = (stated.complaint,) if stated.complaint else ()
    complaints = (*known, *defects[0], *defects[1])
    if (
        calibrated.answer
        and (away_m := measure_gripper_distance_m(calibrated.answer, stated.setup)) > reach_m
        and not better
    ):
        what = "camera" if stated.setup is Setup.EYE_IN_HAND else "target"
        complaints += (_advise_inversion(what, away_m, stated),)
    rows = {target.names[n]: why for n, why in wrong[1].rows.items()}
    rows |= {robot.names[n]: why for n, why in wrong[0].rows.items()}
    lost = tuple(Rejected(name, why) for name, why in rows.items())
    calibrated = replace(calibrated, rejected=(*calibrated.rejected, *lost))
    return WrittenHandEye(_withdraw_pass(calibrated, complaints, better), complaints, (*better, *clock), len(names))


def list_assumed_readings(
    robot: WrittenPoses, target: WrittenPoses, rotation: tuple[str, ...], units: tuple[str, ...]
) -> tuple[Note, ...]:
    """Return what neither the file nor the user states and is therefore assumed; metres are the default."""
    return tuple(
        note("calibrate.rotation_not_stated", side=side.side.value)
        for side in (robot, target)
        if "rotation" in list_unstated_parts(side, rotation, units)
    )


def _match_poses(
    robot: WrittenPoses,
    target: WrittenPoses,
    stated: Stated,
    protocol: CollectionProtocol,
    unusable_rows: tuple[set[int], set[int]],
) -> tuple[_Matched, tuple[Proposal, ...]]:
    bad_robot, bad_target = (np.array(sorted(rows), dtype=np.intp) for rows in unusable_rows)
    if stated.offset_s is None or robot.stamps_s is None or target.stamps_s is None:
        rows = np.setdiff1d(np.arange(len(target)), np.union1d(bad_robot, bad_target))
        return _Matched(convert_to_matrices(robot, stated.robot)[rows], rows, rows), ()
    kept_robot = np.setdiff1d(np.arange(len(robot)), bad_robot)
    kept_target = np.setdiff1d(np.arange(len(target)), bad_target)
    poses, seen = (
        convert_to_matrices(robot, stated.robot)[kept_robot],
        convert_to_matrices(target, stated.target)[kept_target],
    )
    robot_s, target_s = robot.stamps_s[kept_robot], target.stamps_s[kept_target]
    furthest_s = 1e-3 * float(protocol.setting("calibration.hand_eye_pairing_ms"))
    most = int(protocol.setting("calibration.hand_eye_max_poses"))

    def pair_at_offset(offset_s: float) -> Paired:
        return pair_by_stamp(poses, robot_s, target_s, offset_s=offset_s, max_distance_s=furthest_s)

    near = pair_at_offset(stated.offset_s)
    chosen = choose_spread_poses(
        near.robot,
        near.speed_rad_s,
        most,
        slow_share=float(protocol.setting("calibration.hand_eye_slow_share")),
        min_distance=float(protocol.setting("calibration.hand_eye_nothing_new")),
    )
    matched = _Matched(near.robot[chosen], kept_robot[near.nearest[chosen]], kept_target[near.rows[chosen]])
    least_alike = float(protocol.setting("calibration.clock_offset_alike"))
    search_s = float(protocol.setting("calibration.clock_offset_search_s"))
    shown_s = estimate_clock_offset(poses, robot_s, seen, target_s, min_correlation=least_alike, max_offset_s=search_s)
    if shown_s is None or abs(shown_s - stated.offset_s) < 1e-3:  # noqa: PLR2004  finer than it can be measured
        return matched, ()
    noises = [_estimate_shift_noise_m(each, seen, stated.setup, most) for each in (near, pair_at_offset(shown_s))]
    if (
        not math.isfinite(noises[0])
        or not noises[0] >= float(protocol.setting("calibration.clock_offset_gain")) * noises[1]
    ):
        return matched, ()
    says = note("calibrate.clock_offset", offset_ms=1e3 * shown_s)
    return matched, (Proposal((f"--clock-offset={shown_s:.3f}",), noises[0] / noises[1], says),)


def _estimate_shift_noise_m(paired: Paired, target_poses: Floats, setup: Setup, max_pairs: int) -> float:
    """Return the noise of a fit to evenly spaced pairs: fast ones too, because they show a wrong clock best."""
    rows = (
        np.unique(np.linspace(0, max(len(paired.rows) - 1, 0), max_pairs).astype(int))
        if len(paired.rows)
        else paired.rows
    )
    made = make_pairs(paired.robot[rows], target_poses[paired.rows[rows]], setup)
    answer = solve_closed_form(made, "park")
    return math.inf if answer is None else refine_answer(made, answer).shift_noise_m


def _advise_inversion(carried: str, distance_m: float, stated: Stated) -> Note:
    """Advise the opposite direction for both sides."""
    sides = {"robot": stated.robot.inverse, "target": stated.target.inverse}
    leave, give = (
        [f"--inverse {side}" for side, inverse in sides.items() if inverse is turned] for turned in (True, False)
    )
    advice = [f"leave {' '.join(leave)} out"] * bool(leave) + [f"give {' '.join(give)}"] * bool(give)
    return note("calibrate.out_of_reach", carried=carried, away_m=distance_m, advice=", and ".join(advice))


def _withdraw_pass(calibrated: HandEye, complaints: tuple[Note, ...], better_readings: tuple[Proposal, ...]) -> HandEye:
    """Hold back a pass where the file is implausible as read, or fits far better another way."""
    other: tuple[Note, ...] = (_explain_better_reading(better_readings),) if better_readings else ()
    if not complaints and not other:
        return calibrated
    status = Status.CANNOT_TELL if complaints or calibrated.status is Status.PASSED else calibrated.status
    first, *rest = (*complaints, *other, calibrated.reason)
    reason = replace(first, details=(*first.details, *rest))
    return replace(calibrated, status=status, reason=reason, advice=() if other else calibrated.advice)


def _explain_better_reading(better_readings: tuple[Proposal, ...]) -> Note:
    options = ", or ".join(" ".join(proposal.options) for proposal in better_readings)
    return note("calibrate.better_reading", times=better_readings[0].times_smaller, options=options)
