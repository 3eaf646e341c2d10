"""Whether two depth cameras agree: their clouds must lie on one surface, within the depth noise."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.calibrate.cloud_fit import CloudFit, fit_clouds
from fieldloop.calibrate.cloud_surface import fit_surface, select_finite_points
from fieldloop.geometry.transforms import Floats
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import CollectionProtocol

DIRECTIONS = ("shift x", "shift y", "shift z", "turn x", "turn y", "turn z")


@dataclass(frozen=True, slots=True)
class CloudPair:
    """By how much the left cloud must move to lie on the right one, and whether that is within the depth noise.

    Shift and turn are about the middle of the shared view, each with one standard deviation. `off_mm` is the root mean
    square distance that points would move; `limit_mm` is the depth noise it is compared with.
    """

    shift_mm: tuple[float, ...]
    turn_deg: tuple[float, ...]
    shift_deviation_mm: tuple[float, ...]
    turn_deviation_deg: tuple[float, ...]
    off_mm: float | None
    off_at_least_mm: float | None
    off_at_most_mm: float | None
    noise_mm: float | None
    limit_mm: float | None
    overlap: float
    status: Status
    unseen: tuple[str, ...] = ()
    message: Note | None = None


def compare_clouds(left: ArrayLike, right: ArrayLike, protocol: CollectionProtocol) -> CloudPair:
    """Compare two clouds (… × 3, m, both in one frame by the calibration under test); missing points are NaN.

    Cannot tell where they hardly overlap, or where the shared surfaces leave a direction open: one wall does not show
    a shift along it.
    """
    moving, still = select_finite_points(left, "left"), select_finite_points(right, "right")
    surface = fit_surface(still)
    mine = fit_surface(moving)
    if surface is None or mine is None:
        return _make_undecided_pair(note("calibrate.no_surface"))
    search_m = float(protocol.setting("calibration.cloud_search_mm")) / 1e3
    cloud_fit = fit_clouds(moving, surface, search_m, float(protocol.setting("calibration.cloud_seen_over_noise")))
    least = float(protocol.setting("calibration.cloud_min_overlap"))
    if cloud_fit is None or cloud_fit.overlap < least:
        share = 0.0 if cloud_fit is None else cloud_fit.overlap
        return _make_undecided_pair(note("calibrate.clouds_overlap", share=share, needed=least), share)
    noise_m = math.sqrt((surface.noise_m**2 + mine.noise_m**2) / 2)
    floor_m = float(protocol.setting("calibration.cloud_floor_mm")) / 1e3
    limit_m = max(floor_m, float(protocol.setting("calibration.cloud_max_noise")) * noise_m)
    return _judge_fit(cloud_fit, moving, noise_m, limit_m, float(protocol.setting("calibration.confidence")))


def _judge_fit(cloud_fit: CloudFit, points: Floats, noise_m: float, limit_m: float, confidence: float) -> CloudPair:
    off, low, high = _measure_displacement(cloud_fit, points, confidence)
    unseen = _name_directions(cloud_fit.unseen)
    if low > limit_m:
        status, code = Status.FAILED, "calibrate.clouds_beyond"
    elif unseen or high > limit_m:
        status, code = Status.CANNOT_TELL, "calibrate.clouds_unsure"
    else:
        status, code = Status.PASSED, "calibrate.clouds_within"
    message = note(code, off_mm=1e3 * off, limit_mm=1e3 * limit_m)
    if unseen and status is Status.CANNOT_TELL:
        message = note("calibrate.clouds_open", message, directions=unseen)
    deviations = np.sqrt(np.diag(cloud_fit.covariance))
    return CloudPair(
        shift_mm=tuple(float(x) for x in 1e3 * cloud_fit.twist[:3]),
        turn_deg=tuple(float(x) for x in np.degrees(cloud_fit.twist[3:])),
        shift_deviation_mm=tuple(float(x) for x in 1e3 * deviations[:3]),
        turn_deviation_deg=tuple(float(x) for x in np.degrees(deviations[3:])),
        off_mm=1e3 * off,
        off_at_least_mm=1e3 * low,
        off_at_most_mm=1e3 * high,
        noise_mm=1e3 * noise_m,
        limit_mm=1e3 * limit_m,
        overlap=cloud_fit.overlap,
        status=status,
        unseen=unseen,
        message=message,
    )


def _measure_displacement(cloud_fit: CloudFit, points: Floats, confidence: float) -> tuple[float, float, float]:
    """Return the root mean square distance that points move, with its bounds at the confidence."""
    from scipy.special import ndtri

    arms = points - cloud_fit.middle
    spread = arms.T @ arms / len(arms)
    carry = np.zeros((6, 6))
    carry[:3, :3] = np.eye(3)
    carry[3:, 3:] = np.trace(spread) * np.eye(3) - spread  # mean of |turn × arm|²
    mean = arms.mean(axis=0)
    lever = np.array([[0, mean[2], -mean[1]], [-mean[2], 0, mean[0]], [mean[1], -mean[0], 0]])
    carry[:3, 3:], carry[3:, :3] = lever, lever.T
    squared = float(cloud_fit.twist @ carry @ cloud_fit.twist)
    chance = float(np.trace(carry @ cloud_fit.covariance))  # what noise alone would move them
    off = math.sqrt(max(squared - chance, 0.0))
    root = np.linalg.cholesky(carry + 1e-12 * np.eye(6))
    widest = math.sqrt(float(np.linalg.eigvalsh(root.T @ cloud_fit.covariance @ root).max()))
    z = float(ndtri(0.5 + confidence / 2))
    return off, max(off - z * widest, 0.0), off + z * widest


def _name_directions(directions: Floats) -> tuple[str, ...]:
    """Name the open directions by their largest part."""
    return tuple(dict.fromkeys(DIRECTIONS[int(np.argmax(np.abs(row)))] for row in directions))


def _make_undecided_pair(message: Note, overlap: float = 0.0) -> CloudPair:
    return CloudPair((), (), (), (), None, None, None, None, None, overlap, Status.CANNOT_TELL, (), message)
