"""Where does the camera sit? Every method, the refined one, what pairs left out show, and how sure one can be."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fieldloop.calibrate.hand_eye.held_out import REFINED, Residual, held_out, in_sample, left_out_covariance
from fieldloop.calibrate.hand_eye.methods import closed_form
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, Setup
from fieldloop.calibrate.hand_eye.reject import Rejected, Sound, sound_pairs
from fieldloop.calibrate.hand_eye.spread import Spread, spread
from fieldloop.geometry.se3 import length_bound
from fieldloop.geometry.transforms import Floats
from fieldloop.model.finding import Status
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True, eq=False)
class HandEye:
    """A hand-eye calibration, judged.

    `residual` is on the pairs used; `held_out` is what each method foretold of pairs it had not seen, and the chosen
    one's is judged. The uncertainties bound the camera's pose at the protocol's confidence; `covariance` is that of its
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
    reason: str
    advice: tuple[str, ...]
    covariance: Floats | None = None

    @property
    def verified(self) -> Residual | None:
        """What the chosen method showed on pairs it had not seen."""
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


def hand_eye(given: Pairs, setup: Setup, protocol: CollectionProtocol) -> HandEye:
    """Find `mount_from_camera` and `world_from_target`, and judge them on pairs that were left out."""
    rules = _rules(protocol)
    wide = spread(given)
    sound = None if wide.same else sound_pairs(given, rules.level)
    if sound is None:
        reason = _no_answer(len(given), wide, rules)
        return HandEye(
            setup, REFINED, None, None, {}, None, None, wide.degrees, (), (), Status.CANNOT_TELL, reason,
            tuple(_advice(len(given), wide, setup, rules, math.inf, math.inf)),
        )  # fmt: skip
    wide = spread(sound.pairs)
    foretold = held_out(sound.pairs, sound.refined.answer, rules.folds)
    method = _chosen(foretold, rules)
    answer = sound.refined.answer if method == REFINED else closed_form(sound.pairs, method)
    covariance, freedom = (
        (sound.refined.camera_covariance, sound.refined.freedom)
        if method == REFINED
        else (left_out_covariance(sound.pairs, method, answer), len(sound.pairs) - 1)
    )
    off_mm = math.inf if covariance is None else 1e3 * length_bound(covariance[3:, 3:], freedom, rules.confidence)
    off_deg = (
        math.inf if covariance is None else math.degrees(length_bound(covariance[:3, :3], freedom, rules.confidence))
    )
    status, reason = _judged(foretold.get(method), off_mm, off_deg, sound, wide, rules)
    if method != REFINED:
        reason += f" On poses left out {method} does clearly better than the refined answer, so it is taken."
    return HandEye(
        setup=setup,
        method=method,
        answer=answer,
        residual=in_sample(answer, sound.pairs) if answer else None,
        held_out=foretold,
        uncertainty_mm=None if covariance is None else off_mm,
        uncertainty_deg=None if covariance is None else off_deg,
        spread_deg=wide.degrees,
        used=sound.pairs.names,
        rejected=sound.rejected,
        status=status,
        reason=reason,
        advice=tuple(_advice(len(sound.pairs), wide, setup, rules, off_mm, off_deg)),
        covariance=covariance,
    )


def _rules(protocol: CollectionProtocol) -> _Rules:
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
    )


def _chosen(foretold: dict[str, Residual], rules: _Rules) -> str:
    """The refined answer, unless another foretells unseen pairs clearly better."""
    scores = {method: residual.score(rules.max_mm, rules.max_deg) for method, residual in foretold.items()}
    best = min(scores, key=lambda method: scores[method], default=REFINED)
    return best if scores.get(best, math.inf) < rules.better * scores.get(REFINED, math.inf) else REFINED


def _judged(
    verified: Residual | None, off_mm: float, off_deg: float, sound: Sound, wide: Spread, rules: _Rules
) -> tuple[Status, str]:
    used, left_out = len(sound.pairs), len(sound.rejected)
    if used < rules.min_poses:
        return Status.CANNOT_TELL, f"{used} usable poses; {rules.min_poses} are asked for."
    if left_out > rules.max_rejected * (used + left_out):
        return Status.CANNOT_TELL, f"{left_out} of {used + left_out} poses do not agree with the others: too many."
    if wide.second_deg < rules.min_spread_deg or verified is None:
        return Status.CANNOT_TELL, wide.why_open(used)
    shown = f"{verified.translation_mm:.2f} mm and {verified.rotation_deg:.3f}° on poses left out"
    if verified.translation_mm > rules.max_mm or verified.rotation_deg > rules.max_deg:
        return Status.FAILED, f"{shown}; {rules.max_mm:g} mm and {rules.max_deg:g}° are allowed."
    if off_mm > rules.max_mm or off_deg > rules.max_deg:
        return Status.CANNOT_TELL, (
            f"{shown}, but the camera's own pose is only known to {off_mm:.2f} mm and {off_deg:.3f}°: turn further."
        )
    return Status.PASSED, f"{shown}; the camera's pose is known to {off_mm:.2f} mm and {off_deg:.3f}°."


def _no_answer(poses: int, wide: Spread, rules: _Rules) -> str:
    if poses < rules.min_poses:
        return f"No answer can be relied on from {poses} poses; {rules.min_poses} are asked for."
    if wide.same:
        return wide.why_open(poses)
    return f"No method finds an answer from {poses} poses that agree with each other."


def _advice(used: int, wide: Spread, setup: Setup, rules: _Rules, off_mm: float, off_deg: float) -> Iterator[str]:
    if used < rules.min_poses:
        yield f"Add {rules.min_poses - used} poses."
    if wide.same:
        yield f"Turn the {setup.mount} between poses, by 30° and more about at least two of its axes."
    elif wide.second_deg < rules.min_spread_deg:
        axes = " and ".join(sorted({wide.axis_in_words(1), wide.axis_in_words(2)}))
        yield f"Add poses turned by 30° about the {axes} axis of the {setup.mount}: so far they hardly turn about it."
    elif off_mm > rules.max_mm or off_deg > rules.max_deg:
        yield (
            f"Turn further: the poses spread by {wide.degrees[0]:.0f}°, {wide.degrees[1]:.0f}° and "
            f"{wide.degrees[2]:.0f}°; three times the angle is worth nine times the poses."
        )
    elif wide.lopsided:
        yield f"The next pose that helps most turns about the {wide.axis_in_words(2)} axis of the {setup.mount}."
