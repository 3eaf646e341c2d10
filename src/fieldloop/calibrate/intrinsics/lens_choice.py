"""Other lens models that fit held-out pictures better; proposed, never chosen silently."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.calibrate.intrinsics.held_out import HeldOut, measure_held_out_error
from fieldloop.calibrate.intrinsics.lens import Lens, fit_lens
from fieldloop.geometry.transforms import Floats

TRIED = (Lens.PLUMB_BOB, Lens.RATIONAL, Lens.FISHEYE)
"""Not the full model: it helps only with a tilted sensor, which its user knows about."""


@dataclass(frozen=True, slots=True)
class BetterLens:
    """A lens with less error on held-out pictures."""

    lens: Lens
    held_out_px: float


def find_better_lens(
    sightings: Sequence[Sighting],
    size: tuple[int, int],
    current: tuple[Lens, HeldOut],
    *,
    folds: int,
    min_gain: float,
    confidence: float,
) -> BetterLens | None:
    """Return the lens whose held-out error is lower by the share `min_gain` and beyond chance, None where none is.

    Chance is judged by Student's t on the logarithm of the errors, picture by picture.
    """
    lens, errors = current
    better = []
    for other in TRIED:
        if other is lens:
            continue
        most = (1 - min_gain) * errors.rms_px
        at_best = fit_lens(sightings, size, other)  # held-out pictures cannot fit better than fitted ones
        tried = measure_held_out_error(sightings, size, other, folds) if at_best and at_best.rms_px <= most else None
        if tried is None or tried.rms_px > most:
            continue
        if are_significantly_smaller(tried.rms_by_view_px, errors.rms_by_view_px, confidence):
            better.append(BetterLens(other, tried.rms_px))
    return min(better, key=lambda b: b.held_out_px, default=None)


def are_significantly_smaller(errors: Floats, other_errors: Floats, confidence: float) -> bool:
    """Return whether errors are smaller than others, picture by picture, beyond chance."""
    from scipy.special import stdtrit

    ratios = np.log(np.maximum(other_errors, 1e-9) / np.maximum(errors, 1e-9))
    spread = float(ratios.std(ddof=1)) / np.sqrt(len(ratios))
    return bool(ratios.mean() > stdtrit(len(ratios) - 1, confidence) * spread)
