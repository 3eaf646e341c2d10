"""The error of a lens on held-out pictures; a model with too many parameters shows here."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.calibrate.intrinsics.lens import Lens, LensFit, fit_lens, locate_board, project_points
from fieldloop.geometry.transforms import Floats

FEWEST = 4
"""Pictures to fit to in each fold; fewer leave the lens itself open."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The error on pictures left out: squared (px²) and number of corners, picture by picture.

    `focal_px` is what each turn's fit to the others made of both focal lengths.
    """

    squares: Floats
    corners: Floats
    focal_px: Floats | None = None

    @property
    def rms_px(self) -> float:
        """Root mean square distance over all corners."""
        return float(np.sqrt(self.squares.sum() / self.corners.sum()))

    @property
    def focal_deviations(self) -> Floats:
        """How well both focal lengths are known (px), by how far they wander from turn to turn: the jackknife."""
        if self.focal_px is None:
            return np.full(2, np.nan)
        turns = len(self.focal_px)
        return np.asarray(np.sqrt((turns - 1) / turns * np.sum((self.focal_px - self.focal_px.mean(axis=0)) ** 2, 0)))

    @property
    def rms_by_view_px(self) -> Floats:
        """The same, picture by picture."""
        return np.sqrt(self.squares / self.corners)


def measure_held_out_error(
    sightings: Sequence[Sighting], size: tuple[int, int], lens: Lens, folds: int
) -> HeldOut | None:
    """Leave every picture out once, in `folds` turns, and find the board in it with a lens fitted to the others.

    The pose of the board in a picture left out is fitted to it; only the lens is on trial. None where a fold found no
    fit.
    """
    count = len(sightings)
    folds = min(folds, count)
    if folds < 2 or count - -(-count // folds) < FEWEST:  # noqa: PLR2004  one to fit, one to try
        return None
    squares, corners = np.zeros(count), np.array([len(s.pixels) for s in sightings], dtype=float)
    focal = []
    for turn in range(folds):
        out = np.arange(count) % folds == turn
        fitted = fit_lens([s for s, left in zip(sightings, out, strict=True) if not left], size, lens)
        if fitted is None:
            return None
        focal.append(np.diag(fitted.matrix)[:2])
        for n in np.flatnonzero(out).tolist():
            error = compute_squared_error(sightings[n], fitted)
            if error is None:
                return None
            squares[n] = error
    return HeldOut(squares, corners, np.array(focal))


def compute_squared_error(sighting: Sighting, fitted: LensFit) -> float | None:
    """Return the sum of squared distances (px²) of a board's corners under a lens, None where no pose fits."""
    pose = locate_board(sighting, fitted)
    if pose is None:
        return None
    seen = project_points(sighting.board_points, *pose, fitted.matrix, fitted.distortion, fitted.lens)
    return float(np.sum((sighting.pixels - seen) ** 2))
