"""Mounting and bias of a force-torque sensor, from the tool's weight in several orientations at rest.

At rest the sensor measures gravity on everything beyond it, plus its own bias:
`force = mass × sensor_from_wrist · wrist_from_base · gravity + bias`, and the torque is that force on its lever.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop.calibrate.hand_eye.reject import Rejected
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import bound_vector_length, find_nearest_rotation, make_skew_matrix
from fieldloop.geometry.transforms import Floats
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol

GRAVITY = np.array([0.0, 0.0, -9.80665])
"""Standard gravity in a base frame that stands upright, m/s²."""
UNKNOWNS = 7  # weight, three of the bias, three of the turn
ROUNDS, STEPS = 5, 8  # of rejection and of the fit; both stop when nothing changes
AXES = 3  # of a force


@dataclass(frozen=True, slots=True, eq=False)
class ForceTorque:
    """What hangs on the sensor, its bias, and how it is turned against the wrist.

    `turn_deg` is the angle between the frame as found and as stated; `turn_uncertainty_deg`, `mass_uncertainty_kg` and
    `centre_uncertainty_mm` bound the truth at the protocol's confidence. The centre of mass is in the sensor's frame.
    """

    status: Status
    reason: Note
    advice: tuple[Note, ...]
    poses_used: int
    poses_rejected: tuple[Rejected, ...]
    spread_deg: float
    mass_kg: float | None = None
    mass_uncertainty_kg: float | None = None
    centre_of_mass_m: tuple[float, ...] | None = None
    centre_uncertainty_mm: float | None = None
    force_bias_n: tuple[float, ...] | None = None
    torque_bias_nm: tuple[float, ...] | None = None
    wrist_from_sensor: tuple[tuple[float, ...], ...] | None = None
    turn_deg: float | None = None
    turn_uncertainty_deg: float | None = None
    force_noise_n: float | None = None
    torque_noise_nm: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    mass: float
    sensor_from_wrist: Floats
    bias: Floats
    noise: float
    covariance: Floats
    freedom: int


def fit_force_torque(
    base_from_wrist: ArrayLike,
    wrench: ArrayLike,
    protocol: CollectionProtocol,
    *,
    wrist_from_sensor: ArrayLike | None = None,
    names: tuple[str, ...] | None = None,
) -> ForceTorque:
    """Fit n orientations (n × 3 × 3) and n wrenches (n × 6: N, Nm in the sensor's frame) taken at rest.

    `wrist_from_sensor` is the stated mounting; aligned with the wrist unless given. A wrench that does not fit the
    others (the arm moved, or touched something) is left out with its reason.
    """
    turns, felt, names = _check_shapes(base_from_wrist, wrench, names)
    stated = np.eye(3) if wrist_from_sensor is None else np.asarray(wrist_from_sensor, dtype=float)
    level, confidence = (float(protocol.setting(f"calibration.{n}")) for n in ("hand_eye_reject_level", "confidence"))
    finite = np.isfinite(turns).all(axis=(1, 2)) & np.isfinite(felt).all(axis=1)
    rejected = [Rejected(names[n], note("calibrate.not_finite", side="")) for n in np.flatnonzero(~finite)]
    weighed = np.swapaxes(turns[finite], -1, -2) @ GRAVITY
    felt, names = felt[finite], tuple(names[n] for n in np.flatnonzero(finite))
    spread_deg = _measure_gravity_spread_deg(weighed)
    min_poses = int(protocol.setting("calibration.force_torque_min_poses"))
    min_spread = float(protocol.setting("calibration.force_torque_min_spread_deg"))
    if len(felt) < min_poses or spread_deg < min_spread:
        why = note("calibrate.few_directions", spread_deg=spread_deg, needed_deg=min_spread)
        if len(felt) < min_poses:
            why = note("calibrate.few_poses", poses=len(felt), needed=min_poses)
        advice = (note("calibrate.hold_still"),)
        return ForceTorque(Status.CANNOT_TELL, why, advice, len(felt), tuple(rejected), spread_deg)
    fit, kept = _fit_without_outliers(weighed, felt[:, :3], level)
    rejected += [Rejected(names[n], _explain_rejection(fit, weighed[n], felt[n, :3])) for n in np.flatnonzero(~kept)]
    centre, torque_bias, centre_cov, torque_noise = _fit_mass_centre(fit, weighed[kept], felt[kept, 3:])
    turn = math.degrees(float(tf.angle_between(fit.sensor_from_wrist.T, stated)))
    turn_bound = math.degrees(bound_vector_length(fit.covariance[1:4, 1:4], fit.freedom, confidence))
    status, reason = _judge_mounting_angle(
        fit, turn, turn_bound, float(protocol.setting("calibration.force_torque_max_deg"))
    )
    if int(kept.sum()) < min_poses:
        status, reason = Status.CANNOT_TELL, note("calibrate.few_agree", poses=int(kept.sum()), needed=min_poses)
    return ForceTorque(
        status=status,
        reason=reason,
        advice=tuple(_give_advice(fit, status)),
        poses_used=int(kept.sum()),
        poses_rejected=tuple(rejected),
        spread_deg=spread_deg,
        mass_kg=fit.mass,
        mass_uncertainty_kg=bound_vector_length(fit.covariance[:1, :1], fit.freedom, confidence),
        centre_of_mass_m=tuple(map(float, centre)),
        centre_uncertainty_mm=1e3 * bound_vector_length(centre_cov, 3 * int(kept.sum()) - 6, confidence),
        force_bias_n=tuple(map(float, fit.bias)),
        torque_bias_nm=tuple(map(float, torque_bias)),
        wrist_from_sensor=tuple(tuple(map(float, row)) for row in fit.sensor_from_wrist.T),
        turn_deg=turn,
        turn_uncertainty_deg=turn_bound,
        force_noise_n=fit.noise,
        torque_noise_nm=torque_noise,
    )


def _check_shapes(
    base_from_wrist: ArrayLike, wrench: ArrayLike, names: tuple[str, ...] | None
) -> tuple[Floats, Floats, tuple[str, ...]]:
    turns, felt = np.asarray(base_from_wrist, dtype=float), np.asarray(wrench, dtype=float)
    if turns.shape[1:] != (3, 3) or felt.shape != (len(turns), 6):
        raise BadInput(
            f"Force-torque needs n orientations of 3 × 3 and n wrenches of 6; got {turns.shape}, {felt.shape}."
        )
    return turns, felt, names or tuple(str(n + 1) for n in range(len(turns)))


def _measure_gravity_spread_deg(gravity_in_wrist: Floats) -> float:
    """How far gravity's directions spread along their second axis: along one alone, a turn about it stays open."""
    if len(gravity_in_wrist) < 2:  # noqa: PLR2004  one direction spreads nowhere
        return 0.0
    directions = gravity_in_wrist / np.linalg.norm(gravity_in_wrist, axis=-1, keepdims=True)
    values = np.linalg.svd(directions - directions.mean(axis=0), compute_uv=False)
    return math.degrees(math.asin(min(1.0, float(values[1]) / math.sqrt(len(gravity_in_wrist)))))


def _fit_without_outliers(gravity_in_wrist: Floats, force: Floats, level: float) -> tuple[_Fit, NDArray[np.bool_]]:
    """Fit, leave out what is too far off, fit again until nothing changes; the middle half sets the first scale."""
    from scipy.special import chdtri

    gate = float(chdtri(AXES, level))
    kept = np.ones(len(force), bool)
    fit = _fit_forces(gravity_in_wrist, force)
    for _ in range(ROUNDS):
        left = np.sum((force - _predict_forces(fit, gravity_in_wrist)) ** 2, axis=-1)
        scale = min(fit.noise**2, float(np.median(left)) / 2.366 * 1.5)  # median of chi²(3), with room for few
        inside = left <= gate * max(scale, 1e-12)
        if inside.sum() < UNKNOWNS or (inside == kept).all():
            break
        kept = inside
        fit = _fit_forces(gravity_in_wrist[kept], force[kept])
    return fit, kept


def _fit_forces(gravity_in_wrist: Floats, force: Floats) -> _Fit:
    """Mass, rotation and bias by the scaled rigid fit, then the same by Gauss-Newton for the covariance."""
    centre_u, centre_f = gravity_in_wrist.mean(axis=0), force.mean(axis=0)
    cross = (force - centre_f).T @ (gravity_in_wrist - centre_u)
    turn = find_nearest_rotation(cross)
    mass = float(np.trace(turn.T @ cross) / np.sum((gravity_in_wrist - centre_u) ** 2))
    bias = centre_f - mass * turn @ centre_u
    freedom = max(AXES * len(force) - UNKNOWNS, 1)
    for _ in range(STEPS):
        pulled = gravity_in_wrist @ turn.T
        slopes = np.zeros((len(force), AXES, UNKNOWNS))
        slopes[:, :, 0] = pulled
        slopes[:, :, 1:4] = -mass * make_skew_matrix(pulled)
        slopes[:, :, 4:] = np.eye(3)
        left = force - mass * pulled - bias
        normal = np.einsum("nki,nkj->ij", slopes, slopes)
        step = np.linalg.lstsq(normal, np.einsum("nki,nk->i", slopes, left), rcond=None)[0]
        mass, turn, bias = mass + float(step[0]), tf.rotation_from_vector(step[1:4]) @ turn, bias + step[4:]
    noise = math.sqrt(float(np.sum((force - mass * gravity_in_wrist @ turn.T - bias) ** 2)) / freedom)
    return _Fit(mass, turn, bias, noise, noise**2 * np.linalg.pinv(normal, hermitian=True), freedom)


def _predict_forces(fit: _Fit, gravity_in_wrist: Floats) -> Floats:
    return np.asarray(fit.mass * gravity_in_wrist @ fit.sensor_from_wrist.T + fit.bias)


def _explain_rejection(fit: _Fit, gravity_in_wrist: Floats, force: Floats) -> Note:
    off = float(np.linalg.norm(force - _predict_forces(fit, gravity_in_wrist)))
    return note("calibrate.force_off", off_n=off, usual_n=math.sqrt(3) * fit.noise)


def _fit_mass_centre(fit: _Fit, gravity_in_wrist: Floats, torque: Floats) -> tuple[Floats, Floats, Floats, float]:
    """Lever and torque bias: torque = centre × weight + bias, linear in both."""
    weight = _predict_forces(fit, gravity_in_wrist) - fit.bias
    slopes = np.concatenate(
        [-make_skew_matrix(weight), np.broadcast_to(np.eye(3), (len(weight), 3, 3))], axis=-1
    ).reshape(-1, 6)
    solution, *_ = np.linalg.lstsq(slopes, torque.ravel(), rcond=None)
    noise = math.sqrt(float(np.sum((torque.ravel() - slopes @ solution) ** 2)) / max(len(slopes) - 6, 1))
    covariance = noise**2 * np.linalg.pinv(slopes.T @ slopes, hermitian=True)
    return solution[:3], solution[3:], covariance[:3, :3], noise


def _judge_mounting_angle(fit: _Fit, turn_deg: float, bound_deg: float, limit_deg: float) -> tuple[Status, Note]:
    status, code = _decide_status(fit, turn_deg, bound_deg, limit_deg)
    return status, note(code, turn_deg=turn_deg, bound_deg=bound_deg, limit_deg=limit_deg, mass_kg=fit.mass)


def _decide_status(fit: _Fit, turn_deg: float, bound_deg: float, limit_deg: float) -> tuple[Status, str]:
    if fit.mass <= 0 or bound_deg > limit_deg:
        return Status.CANNOT_TELL, "calibrate.light_tool"
    if turn_deg - bound_deg > limit_deg:
        return Status.FAILED, "calibrate.turned_failed"
    if turn_deg + bound_deg > limit_deg:
        return Status.CANNOT_TELL, "calibrate.turned_unsure"
    return Status.PASSED, "calibrate.turned_passed"


def _give_advice(fit: _Fit, status: Status) -> Iterator[Note]:
    if fit.mass <= 0:
        yield note("calibrate.try_negated")
    elif status is Status.FAILED:
        yield note("calibrate.use_frame")
    elif status is Status.CANNOT_TELL:
        yield note("calibrate.more_orientations")
