"""Lens models: how many numbers each has, how OpenCV fits it, and where it puts a point."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.geometry.transforms import Floats

STOP = (3, 100, 1e-9)  # OpenCV: stop after 100 rounds or at this change
FISHEYE_STOP = (3, 100, 1e-7)  # OpenCV's fisheye fit: stop after 100 rounds or at this change


class Lens(StrEnum):
    """Lens distortion models; the first suits most lenses."""

    PLUMB_BOB = "plumb_bob"
    RATIONAL = "rational"
    FULL = "full"
    FISHEYE = "fisheye"


COEFFICIENTS = {Lens.PLUMB_BOB: 5, Lens.RATIONAL: 8, Lens.FULL: 14, Lens.FISHEYE: 4}  # as OpenCV counts them


@dataclass(frozen=True, slots=True, eq=False)
class LensFit:
    """A fitted lens: matrix, coefficients, the board's pose in each picture, and the residuals (n × 2 px each)."""

    lens: Lens
    matrix: Floats
    distortion: Floats
    deviations: Floats
    rotations: tuple[Floats, ...]
    translations: tuple[Floats, ...]
    residuals: tuple[Floats, ...]

    @property
    def rms_px(self) -> float:
        """Root mean square distance over all corners."""
        return compute_rms(np.concatenate(self.residuals))

    @property
    def rms_by_view_px(self) -> Floats:
        """The same, picture by picture."""
        return np.array([compute_rms(left) for left in self.residuals])


def compute_rms(residuals: Floats) -> float:
    """Return the root mean square length of rows."""
    return float(np.sqrt(np.mean(np.sum(residuals**2, axis=1))))


def fit_lens(sightings: Sequence[Sighting], size: tuple[int, int], lens: Lens) -> LensFit | None:
    """Fit a lens to pictures of a board; None where no fit was found."""
    import cv2

    boards = [s.board_points.astype(np.float32).reshape(-1, 1, 3) for s in sightings]
    pixels = [s.pixels.astype(np.float32).reshape(-1, 1, 2) for s in sightings]
    try:
        if lens is Lens.FISHEYE:
            matrix, bent, rotations, translations, deviations = _fit_fisheye_lens(boards, pixels, size)
        else:
            matrix, bent, rotations, translations, deviations = _fit_radial_lens(boards, pixels, size, lens)
    except cv2.error:
        return None  # the solver met a degenerate set of views
    if not (np.isfinite(matrix).all() and np.isfinite(bent).all() and matrix[0, 0] > 0 and matrix[1, 1] > 0):
        return None
    left = tuple(
        s.pixels - project_points(s.board_points, r, t, matrix, bent, lens)
        for s, r, t in zip(sightings, rotations, translations, strict=True)
    )
    return LensFit(lens, matrix, bent, deviations, rotations, translations, left)


def project_points(
    points: Floats, rotation: Floats, translation: Floats, matrix: Floats, distortion: Floats, lens: Lens
) -> Floats:
    """Return where points of the board's frame appear (px)."""
    import cv2

    shape = points.reshape(-1, 1, 3)
    if lens is Lens.FISHEYE:
        seen, _ = cv2.fisheye.projectPoints(shape, rotation, translation, matrix, distortion)
    else:
        seen, _ = cv2.projectPoints(shape, rotation, translation, matrix, distortion)
    return np.asarray(seen, dtype=float).reshape(-1, 2)


def locate_board(sighting: Sighting, lens_fit: LensFit) -> tuple[Floats, Floats] | None:
    """Return the board's pose (rotation vector, translation in m) in a picture under a lens; None where none fits."""
    import cv2

    bent, matrix = lens_fit.distortion, lens_fit.matrix
    pixels = sighting.pixels.reshape(-1, 1, 2)
    if lens_fit.lens is Lens.FISHEYE:
        pixels, matrix, bent = cv2.fisheye.undistortPoints(pixels, matrix, bent), np.eye(3), np.zeros(5)
    try:
        is_solved, rotation, translation = cv2.solvePnP(
            sighting.board_points, pixels, matrix, bent, flags=cv2.SOLVEPNP_ITERATIVE
        )
    except cv2.error:
        return None
    if not is_solved or not np.isfinite(rotation).all() or not np.isfinite(translation).all():
        return None
    return np.asarray(rotation, dtype=float).reshape(3), np.asarray(translation, dtype=float).reshape(3)


Fitted = tuple[Floats, Floats, tuple[Floats, ...], tuple[Floats, ...], Floats]


def _fit_radial_lens(boards: Any, pixels: Any, size: tuple[int, int], lens: Lens) -> Fitted:
    import cv2

    flags = {
        Lens.PLUMB_BOB: 0,
        Lens.RATIONAL: cv2.CALIB_RATIONAL_MODEL,
        Lens.FULL: cv2.CALIB_RATIONAL_MODEL | cv2.CALIB_THIN_PRISM_MODEL | cv2.CALIB_TILTED_MODEL,
    }[lens]
    _, matrix, bent, rotations, translations, deviations, _, _ = cv2.calibrateCameraExtended(
        boards, pixels, size, None, None, flags=flags, criteria=STOP
    )
    return (
        np.asarray(matrix, dtype=float),
        np.asarray(bent, dtype=float).ravel()[: COEFFICIENTS[lens]],
        _flatten_vectors(rotations),
        _flatten_vectors(translations),
        np.asarray(deviations, dtype=float).ravel()[:4],
    )


def _fit_fisheye_lens(boards: Any, pixels: Any, size: tuple[int, int]) -> Fitted:
    import cv2

    flags = cv2.fisheye.CALIB_RECOMPUTE_EXTRINSIC | cv2.fisheye.CALIB_FIX_SKEW
    _, matrix, bent, rotations, translations = cv2.fisheye.calibrate(
        [b.astype(float).reshape(1, -1, 3) for b in boards],
        [p.astype(float).reshape(1, -1, 2) for p in pixels],
        size,
        np.zeros((3, 3)),
        np.zeros((4, 1)),
        flags=flags,
        criteria=FISHEYE_STOP,
    )
    unknown = np.full(4, np.nan)
    return (
        np.asarray(matrix),
        np.asarray(bent).ravel(),
        _flatten_vectors(rotations),
        _flatten_vectors(translations),
        unknown,
    )


def _flatten_vectors(vectors: Any) -> tuple[Floats, ...]:
    return tuple(np.asarray(v, dtype=float).reshape(3) for v in vectors)
