"""By how much did a camera's view move between two pictures? Shift, roll and zoom of what stands still in both.

Gradients of the two pictures are laid over each other (Lucas & Kanade 1981) from coarse to fine, with a weight that
leaves out what changed: other objects, an arm, a reflection. Light is taken out first, by local mean and contrast.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats

Picture = NDArray[np.float32]
Flat = tuple[Picture, NDArray[np.bool_]]
"""A picture without its light, and where it has contrast."""

LEVELS = 3
ROUNDS = 12
STILL_PX = 5e-3
LAID, NEAR_PX = 0.7, 2.0
"""Agreement from which on two pictures that hardly moved lie on each other, so that no search from afar is needed."""
TUKEY = 4.685
MAD = 1.4826
BLUR_PX, LOCAL_PX = 1.0, 6.0
DARK = 1.5
"""Grey levels of contrast below which a place counts as empty, beside the picture's own noise."""
NOISE_TIMES = 3.0
EDGE_PX = 3
"""Left out along the rim, where a moved picture has nothing."""
BLOCKS = (6, 8)
"""Rows and columns of blocks; what is wrong in one place is wrong in its neighbourhood, so blocks are the sample."""
SMALLEST_PX = 32
MIN_PIXELS = 50


@dataclass(frozen=True, slots=True)
class ViewShift:
    """How the second view lies against the first: shift of its middle (px), roll (rad), zoom (1: none).

    `off_px` is the root mean square way of a pixel, `deviation_px` its standard deviation; `agreement` the correlation
    of both pictures once laid over each other, where 1 is the same scene and 0 another one; `texture` the share of the
    picture that has any contrast; `seen` how many times more than noise the least visible of the four motions shows,
    which is about 1 where it does not show at all: a single edge does not show a shift along it.
    """

    shift_px: tuple[float, float]
    roll_rad: float
    zoom: float
    off_px: float
    deviation_px: float
    agreement: float
    texture: float
    seen: float


def measure_view_shift(before: ArrayLike, after: ArrayLike) -> ViewShift:
    """Lay two grey pictures of one size (H × W) over each other.

    >>> picture = np.random.default_rng(0).normal(100, 20, (90, 120)).cumsum(axis=0).cumsum(axis=1) % 200
    >>> measure_view_shift(picture, picture).off_px < 0.01
    True
    """
    first, second = _convert_to_grey(before), _convert_to_grey(after)
    if first.shape != second.shape:
        raise BadInput(f"Two views must have the same size; got {first.shape} and {second.shape}.")
    sharp = compute_local_contrast(first), compute_local_contrast(second)
    motion, laid = _refine_motion(*sharp, np.zeros(4))
    near = _make_view_shift(motion, laid, sharp[0][0])
    if laid.agreement >= LAID and near.off_px <= NEAR_PX:
        return near
    pyramid = [(first, second)]
    while len(pyramid) < LEVELS and min(pyramid[-1][0].shape) >= 2 * SMALLEST_PX:
        pyramid.append((_halve_picture(pyramid[-1][0]), _halve_picture(pyramid[-1][1])))
    flat = [sharp, *((compute_local_contrast(a), compute_local_contrast(b)) for a, b in pyramid[1:])]
    starts = (np.zeros(4), _find_far_shift(*flat[-1]))
    motion, laid = max((_refine_motion(*flat[-1], start) for start in starts), key=lambda found: found[1].agreement)
    for first_level, second_level in flat[-2::-1]:
        motion, laid = _refine_motion(first_level, second_level, motion * [2, 2, 1, 1])
    return _make_view_shift(motion, laid, flat[0][0][0])


def _find_far_shift(first: Flat, second: Flat) -> Floats:
    """Return the shift at which the whole pictures correlate best, for a camera that was turned far."""
    import cv2

    window = cv2.createHanningWindow(first[0].shape[::-1], cv2.CV_32F)
    (across, down), _ = cv2.phaseCorrelate(first[0], second[0], window)
    return np.array([across, down, 0.0, 0.0])


@dataclass(frozen=True, slots=True, eq=False)
class _Overlay:
    """Two pictures at one motion: what differs at the pixels used (n), and how it would change with it (n × 4)."""

    left: Floats
    rows: Floats
    used: NDArray[np.bool_]
    agreement: float
    moved: Picture
    at: Picture


def _convert_to_grey(picture: ArrayLike) -> Picture:
    pixels = np.asarray(picture, dtype=np.float32)
    if pixels.ndim != 2 or min(pixels.shape) < SMALLEST_PX:  # noqa: PLR2004  rows and columns
        raise BadInput(f"A view must be grey, H × W, at least {SMALLEST_PX} px each way; got {pixels.shape}.")
    return np.nan_to_num(pixels, nan=0.0, posinf=0.0, neginf=0.0)


def _halve_picture(picture: Picture) -> Picture:
    import cv2

    return np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))


def compute_local_contrast(picture: Picture) -> Flat:
    """Return local contrast, the same under any lamp, and where there is any."""
    import cv2

    smooth = cv2.GaussianBlur(picture, (0, 0), BLUR_PX)
    mean = cv2.GaussianBlur(smooth, (0, 0), LOCAL_PX)
    power = np.maximum(cv2.GaussianBlur(smooth * smooth, (0, 0), LOCAL_PX) - mean * mean, 0.0)
    empty = DARK + NOISE_TIMES * _estimate_noise(smooth)
    return (smooth - mean) / np.sqrt(power + empty**2), np.sqrt(power) > empty


def _estimate_noise(picture: Picture) -> float:
    """Estimate the noise (grey levels) from what is left of most pixels after a second difference each way."""
    import cv2

    kernel = np.outer([1, -2, 1], [1, -2, 1]).astype(np.float32) / 6.0
    return MAD * float(np.median(np.abs(cv2.filter2D(picture, -1, kernel))))


def _refine_motion(first: Flat, second: Flat, motion: Floats) -> tuple[Floats, _Overlay]:
    """Improve a motion until it stands still; return it with the overlay it ended at."""
    width = first[0].shape[1]
    laid = _overlay_pictures(first, second, motion)
    for _ in range(ROUNDS):
        if len(laid.left) < MIN_PIXELS:
            break
        weights = _compute_robust_weights(laid.left)[:, None]
        step = -np.linalg.pinv(laid.rows.T @ (weights * laid.rows), hermitian=True) @ (
            laid.rows.T @ (weights[:, 0] * laid.left)
        )
        motion = motion + step
        laid = _overlay_pictures(first, second, motion)
        if np.abs(step * [1, 1, width / 2, width / 2]).max() < STILL_PX:
            break
    return motion, laid


def _overlay_pictures(first: Flat, second: Flat, motion: Floats) -> _Overlay:
    import cv2

    height, width = first[0].shape
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    v, u = np.mgrid[:height, :width].astype(np.float32)
    inner = (np.minimum(u, width - 1 - u) >= EDGE_PX) & (np.minimum(v, height - 1 - v) >= EDGE_PX)
    back, flags = _make_affine_matrix(motion, middle), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(second[0], back, (width, height), flags=flags, borderValue=np.nan)
    rough = cv2.warpAffine(second[1].astype(np.uint8), back, (width, height), flags=flags)
    used = inner & np.isfinite(moved) & (first[1] | (rough > 0))
    moved = np.nan_to_num(moved)
    at = np.stack([u[used] - middle[0], v[used] - middle[1]])
    rows = _compute_motion_jacobian((moved + first[0]) / 2, used, at)
    agreement = _correlate_pictures(moved[used], first[0][used])
    return _Overlay((moved - first[0])[used].astype(float), rows, used, agreement, moved, at)


def _compute_motion_jacobian(picture: Picture, used: NDArray[np.bool_], pixels: Picture) -> Floats:
    """Return by how much each pixel used would change with shift, roll and zoom about the middle."""
    import cv2

    across, down = cv2.Sobel(picture, -1, 1, 0, scale=0.125)[used], cv2.Sobel(picture, -1, 0, 1, scale=0.125)[used]
    return np.stack(
        [across, down, down * pixels[0] - across * pixels[1], across * pixels[0] + down * pixels[1]], axis=1
    ).astype(float)


def _compute_robust_weights(residuals: Floats) -> Floats:
    spread = max(MAD * float(np.median(np.abs(residuals))), 1e-3)
    return np.asarray(np.clip(1 - (residuals / (TUKEY * spread)) ** 2, 0, None) ** 2)


def _estimate_covariance(overlay: _Overlay) -> Floats:
    """Return the covariance of the motion, with blocks of the picture as the sample."""
    weights = _compute_robust_weights(overlay.left)[:, None]
    back = np.linalg.pinv(overlay.rows.T @ (weights * overlay.rows), hermitian=True)
    height, width = overlay.used.shape
    v, u = np.nonzero(overlay.used)
    block = (v * BLOCKS[0] // height) * BLOCKS[1] + u * BLOCKS[1] // width
    pull = weights * overlay.left[:, None] * overlay.rows
    scores = np.stack([np.bincount(block, column, BLOCKS[0] * BLOCKS[1]) for column in pull.T], axis=1)
    blocks = len(np.unique(block))
    return np.asarray(back @ (scores.T @ scores) @ back * blocks / max(1, blocks - len(back)))


def _measure_visibility_over_noise(overlay: _Overlay, first: Picture) -> float:
    """How many times more than noise does the least visible motion show?

    Noise has gradients too, and along a single edge they are the only ones. Half the difference of two pictures has as
    much noise as half their sum and nothing else, so what it pretends to see is the measure of what is truly seen.
    """
    weights = _compute_robust_weights(overlay.left)[:, None]
    noise = _compute_motion_jacobian((overlay.moved - first) * np.float32(0.5), overlay.used, overlay.at)
    scale = np.sqrt(np.maximum(np.sum(weights * overlay.rows**2, axis=0), 1e-12))
    rows, noise = overlay.rows / scale, noise / scale
    pretended = noise.T @ (weights * noise) + 1e-6 * np.eye(len(scale))
    root = np.linalg.inv(np.linalg.cholesky(pretended))
    return float(np.linalg.eigvalsh(root @ (rows.T @ (weights * rows)) @ root.T)[0])


def _correlate_pictures(first: Floats, second: Floats) -> float:
    if len(first) == 0:
        return 0.0
    a, b = first - first.mean(), second - second.mean()
    size = float(np.sqrt(np.sum(a * a) * np.sum(b * b)))
    return float(np.sum(a * b)) / size if size > 0 else 0.0


def _make_affine_matrix(motion: Floats, middle: Floats) -> Floats:
    """Return where a pixel of the first view is found in the second (2 × 3)."""
    shift, turn, zoom = motion[:2], motion[2], 1 + motion[3]
    linear = np.array([[zoom, -turn], [turn, zoom]])
    return np.column_stack([linear, middle + shift - linear @ middle])


def _make_view_shift(motion: Floats, overlay: _Overlay, first: Picture) -> ViewShift:
    height, width = first.shape
    arm = (height**2 + width**2) / 12  # mean squared distance from the middle
    carry = np.diag([1.0, 1.0, arm, arm])
    deviation, seen = math.inf, 0.0
    if len(overlay.left) >= MIN_PIXELS:
        deviation, seen = (
            math.sqrt(float(np.trace(carry @ _estimate_covariance(overlay)))),
            _measure_visibility_over_noise(overlay, first),
        )
    x, y, roll, zoom = (float(part) for part in motion)
    off = math.sqrt(float(motion @ carry @ motion))
    return ViewShift((x, y), roll, 1 + zoom, off, deviation, overlay.agreement, float(overlay.used.mean()), seen)
