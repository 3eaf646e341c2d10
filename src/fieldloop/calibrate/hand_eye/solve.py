"""Hand-eye calibration: every method, the refined one, the error on held-out pairs, and the uncertainty."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fieldloop.calibrate.hand_eye.held_out import (
    REFINED,
    Residual,
    estimate_jackknife_covariance,
    measure_held_out_residuals,
    measure_in_sample_residual,
)
from fieldloop.calibrate.hand_eye.methods import solve_closed_form
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, Setup
from fieldloop.calibrate.hand_eye.reject import Rejected, Sound, fit_without_outliers
from fieldloop.calibrate.hand_eye.spread import Spread, measure_spread
from fieldloop.geometry.se3 import bound_vector_length
from fieldloop.geometry.transforms import Floats
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True, eq=False)
class HandEye:
    """A hand-eye calibration, judged.

    `residual` is on the pairs used; `held_out` is each method's error on held-out pairs, and the chosen method's is
    judged. The uncertainties bound the camera's pose at the protocol's confidence; `covariance` is that of its
    error as a step in its own frame: three turns (rad), three shifts (m).
    """

    setup: Setup
    method: str
    answer: Answer | None
    residual: Residual | None
    held_out: dict[str, Residual]
    uncertainty_mm: float | None
    uncertainty_deg: float | None
    spread_deg: tuple[float, float, float]
    used: tuple[str, ...]
    rejected: tuple[Rejected, ...]
    status: Status
    reason: Note
    advice: tuple[Note, ...]
    covariance: Floats | None = None

    @property
    def verified(self) -> Residual | None:
        """The error of the chosen method on held-out pairs."""
        return self.held_out.get(self.method)


@dataclass(frozen=True, slots=True)
class _Rules:
    max_mm: float
    max_deg: float
    min_poses: int
    min_spread_deg: float
    confidence: float
    folds: int
    better: float
    max_rejected: float
    level: float
    lopsided: float


def solve_hand_eye(pose_pairs: Pairs, setup: Setup, protocol: CollectionProtocol) -> HandEye:
    """Find `mount_from_camera` and `world_from_target`, and judge them on held-out pairs."""
    rules = _read_rules(protocol)
    wide = measure_spread(pose_pairs)
    sound = None if wide.is_one_orientation else fit_without_outliers(pose_pairs, rules.level)
    if sound is None:
        reason = _explain_no_answer(len(pose_pairs), wide, rules)
        return HandEye(
            setup, REFINED, None, None, {}, None, None, wide.degrees, (), (), Status.CANNOT_TELL, reason,
            tuple(_give_advice(len(pose_pairs), wide, setup, rules, math.inf, math.inf)),
        )  # fmt: skip
    wide = measure_spread(sound.pairs)
    predicted = measure_held_out_residuals(sound.pairs, sound.refined.answer, rules.folds)
    method = _choose_method(predicted, rules)
    answer = sound.refined.answer if method == REFINED else solve_closed_form(sound.pairs, method)
    covariance, freedom = (
        (sound.refined.camera_covariance, sound.refined.freedom)
        if method == REFINED
        else (estimate_jackknife_covariance(sound.pairs, method, answer), len(sound.pairs) - 1)
    )
    off_mm = (
        math.inf if covariance is None else 1e3 * bound_vector_length(covariance[3:, 3:], freedom, rules.confidence)
    )
    off_deg = (
        math.inf
        if covariance is None
        else math.degrees(bound_vector_length(covariance[:3, :3], freedom, rules.confidence))
    )
    status, reason = _judge_calibration(predicted.get(method), off_mm, off_deg, sound, wide, rules)
    if method != REFINED:
        better = note("calibrate.method_better", method=method)
        reason = replace(reason, details=(*reason.details, better))
    return HandEye(
        setup=setup,
        method=method,
        answer=answer,
        residual=measure_in_sample_residual(answer, sound.pairs) if answer else None,
        held_out=predicted,
        uncertainty_mm=None if covariance is None else off_mm,
        uncertainty_deg=None if covariance is None else off_deg,
        spread_deg=wide.degrees,
        used=sound.pairs.names,
        rejected=sound.rejected,
        status=status,
        reason=reason,
        advice=tuple(_give_advice(len(sound.pairs), wide, setup, rules, off_mm, off_deg)),
        covariance=covariance,
    )


def _read_rules(protocol: CollectionProtocol) -> _Rules:
    return _Rules(
        max_mm=float(protocol.setting("calibration.hand_eye_max_mm")),
        max_deg=float(protocol.setting("calibration.hand_eye_max_deg")),
        min_poses=int(protocol.setting("calibration.hand_eye_min_poses")),
        min_spread_deg=float(protocol.setting("calibration.hand_eye_min_spread_deg")),
        confidence=float(protocol.setting("calibration.confidence")),
        folds=int(protocol.setting("calibration.hand_eye_folds")),
        better=float(protocol.setting("calibration.hand_eye_clearly_better")),
        max_rejected=float(protocol.setting("calibration.hand_eye_max_rejected")),
        level=float(protocol.setting("calibration.hand_eye_reject_level")),
        lopsided=float(protocol.setting("calibration.hand_eye_lopsided")),
    )


def _choose_method(predicted: dict[str, Residual], rules: _Rules) -> str:
    """Return the refined method, unless another predicts held-out pairs clearly better."""
    scores = {method: residual.score(rules.max_mm, rules.max_deg) for method, residual in predicted.items()}
    best = min(scores, key=lambda method: scores[method], default=REFINED)
    return best if scores.get(best, math.inf) < rules.better * scores.get(REFINED, math.inf) else REFINED


def _judge_calibration(
    verified: Residual | None, off_mm: float, off_deg: float, sound: Sound, rotation_spread: Spread, rules: _Rules
) -> tuple[Status, Note]:
    used, left_out = len(sound.pairs), len(sound.rejected)
    if used < rules.min_poses:
        return Status.CANNOT_TELL, note("calibrate.few_poses", poses=used, needed=rules.min_poses)
    if left_out > rules.max_rejected * (used + left_out):
        return Status.CANNOT_TELL, note("calibrate.many_rejected", rejected=left_out, poses=used + left_out)
    if rotation_spread.second_deg < rules.min_spread_deg or verified is None:
        return Status.CANNOT_TELL, rotation_spread.explain_undetermined(used)
    status, code = _decide_status(verified, off_mm, off_deg, rules)
    reason = note(
        code, residual_mm=verified.translation_mm, residual_deg=verified.rotation_deg, off_mm=off_mm, off_deg=off_deg,
        max_mm=rules.max_mm, max_deg=rules.max_deg,
    )  # fmt: skip
    return status, reason


def _decide_status(verified: Residual, off_mm: float, off_deg: float, rules: _Rules) -> tuple[Status, str]:
    if verified.translation_mm > rules.max_mm or verified.rotation_deg > rules.max_deg:
        return Status.FAILED, "calibrate.hand_eye_failed"
    if off_mm > rules.max_mm or off_deg > rules.max_deg:
        return Status.CANNOT_TELL, "calibrate.hand_eye_uncertain"
    return Status.PASSED, "calibrate.hand_eye_passed"


def _explain_no_answer(pose_count: int, rotation_spread: Spread, rules: _Rules) -> Note:
    if pose_count < rules.min_poses:
        return note("calibrate.no_answer_few", poses=pose_count, needed=rules.min_poses)
    if rotation_spread.is_one_orientation:
        return rotation_spread.explain_undetermined(pose_count)
    return note("calibrate.no_answer", poses=pose_count)


def _give_advice(
    poses_used: int, rotation_spread: Spread, setup: Setup, rules: _Rules, off_mm: float, off_deg: float
) -> Iterator[Note]:
    if poses_used < rules.min_poses:
        yield note("calibrate.add_poses", poses=rules.min_poses - poses_used)
    if rotation_spread.is_one_orientation:
        yield note("calibrate.turn_between", mount=setup.mount)
    elif rotation_spread.second_deg < rules.min_spread_deg:
        axes = " and ".join(sorted({rotation_spread.name_axis(1), rotation_spread.name_axis(2)}))
        yield note("calibrate.turn_about", axes=axes, mount=setup.mount)
    elif off_mm > rules.max_mm or off_deg > rules.max_deg:
        first, second, third = rotation_spread.degrees
        yield note("calibrate.turn_further", first_deg=first, second_deg=second, third_deg=third)
    elif rotation_spread.is_lopsided(rules.lopsided):
        yield note("calibrate.next_pose", axis=rotation_spread.name_axis(2), mount=setup.mount)
