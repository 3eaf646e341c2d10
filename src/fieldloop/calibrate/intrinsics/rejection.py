"""Rejection of bad pictures: blurred, moved during exposure, or with misread corners."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.calibrate.intrinsics.held_out import FEWEST, compute_squared_error
from fieldloop.calibrate.intrinsics.lens import Lens, LensFit, fit_lens
from fieldloop.model.intrinsics import RejectedImage
from fieldloop.model.note import Note, note


@dataclass(frozen=True, slots=True, eq=False)
class Sifted:
    """The pictures that agree, the lens fitted to them, and the others with the reason."""

    kept: tuple[Sighting, ...]
    fitted: LensFit
    rejected: tuple[RejectedImage, ...]


def reject_worst_pictures(
    sightings: Sequence[Sighting], size: tuple[int, int], lens: Lens, factor: float, min_error_px: float
) -> Sifted | None:
    """Leave out the worst picture while its error is more than `factor` times the median's; None where nothing fits.

    A picture within `min_error_px` is always kept. One bad picture distorts the fit and may make a good one look bad,
    so each rejected picture is tested again at the end with the lens fitted to the others.
    """
    kept = list(sightings)
    fitted = fit_lens(kept, size, lens)
    while fitted is not None and len(kept) > FEWEST:
        errors = fitted.rms_by_view_px
        worst = int(np.argmax(errors))
        if errors[worst] <= max(min_error_px, factor * float(np.median(errors))):
            break
        del kept[worst]
        fitted = fit_lens(kept, size, lens)
    if fitted is None:
        return None
    usual = float(np.median(fitted.rms_by_view_px))
    most = max(min_error_px, factor * usual)
    outside = {s.name: _measure_error(s, fitted) for s in sightings if all(s is not k for k in kept)}
    back = [s for s in sightings if s.name in outside and outside[s.name] <= most]
    if back:
        kept = [s for s in sightings if s.name not in outside or s in back]
        fitted = fit_lens(kept, size, lens) or fitted
    rejected = tuple(
        RejectedImage(name, _explain_rejection(error, usual)) for name, error in outside.items() if error > most
    )
    return Sifted(tuple(kept), fitted, rejected)


def _explain_rejection(error: float, usual_error: float) -> Note:
    if not np.isfinite(error):
        return note("calibrate.view_unfit")
    return note("calibrate.view_off", off_px=error, usual_px=usual_error)


def _measure_error(sighting: Sighting, fitted: LensFit) -> float:
    squares = compute_squared_error(sighting, fitted)
    return float("inf") if squares is None else float(np.sqrt(squares / len(sighting.pixels)))
