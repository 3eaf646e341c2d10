"""Coverage of the picture by boards, their tilts, and the views that would help most."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.intrinsics.detect import Sighting
from fieldloop.calibrate.intrinsics.lens import LensFit
from fieldloop.geometry.transforms import Floats, rotation_from_vector
from fieldloop.model.intrinsics import BoardCoverage
from fieldloop.model.note import Note, note

ROWS, COLUMNS = 4, 4  # the cells that calibration.intrinsics_min_coverage is a share of
SHOWN = 3  # hints that people can follow at once


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the protocol requires of a set of views."""

    images: int
    covered: float
    tilt_deg: float
    tilted: int
    advised_tilt_deg: float


def measure_coverage(sightings: Sequence[Sighting], fitted: LensFit, size: tuple[int, int]) -> BoardCoverage:
    """Measure where corners fell and how the boards were tilted."""
    counts = _count_corners_by_cell(sightings, size)
    normals = _compute_board_normals(fitted)
    return BoardCoverage(
        cells=tuple(tuple(float(share) for share in row) for row in counts / max(1.0, counts.sum())),
        covered=float((counts > 0).mean()),
        tilts_deg=tuple(float(t) for t in np.degrees(np.arccos(np.clip(np.abs(normals[:, 2]), 0, 1)))),
        distances_m=tuple(float(t[2]) for t in fitted.translations),
    )


def list_unmet_requirements(
    sightings: Sequence[Sighting], fitted: LensFit, size: tuple[int, int], requirements: Wanted
) -> tuple[Note, ...]:
    """Return which requirements of the protocol these views do not meet."""
    lacking = []
    if len(sightings) < requirements.images:
        lacking.append(note("calibrate.few_pictures", pictures=len(sightings), needed=requirements.images))
    covered = float((_count_corners_by_cell(sightings, size) > 0).mean())
    if covered < requirements.covered:
        lacking.append(note("calibrate.low_coverage", covered=covered, needed=requirements.covered))
    for axis, count in _count_tilted_boards(fitted, requirements.tilt_deg).items():
        if count < requirements.tilted:
            tilt, needed = requirements.tilt_deg, requirements.tilted
            lacking.append(note("calibrate.few_tilted", boards=count, axis=axis, tilt_deg=tilt, needed=needed))
    return tuple(lacking)


def advise_views(
    sightings: Sequence[Sighting], fitted: LensFit | None, size: tuple[int, int], requirements: Wanted
) -> tuple[Note, ...]:
    """Return which views to add next, the most useful first."""
    places = _name_empty_cells(_count_corners_by_cell(sightings, size)) if fitted else []
    tilted = _count_tilted_boards(fitted, requirements.tilt_deg) if fitted else {}
    leans = [axis for axis, count in sorted(tilted.items(), key=lambda t: t[1]) if count < requirements.tilted]
    views = []
    for n in range(max(len(places), len(leans))):
        place = places[n] if n < len(places) else "middle"
        lean = leans[n] if n < len(leans) else ("left or right", "up or down")[n % 2]
        preposition = "at" if place.endswith("edge") else "in"
        views.append(
            note(
                "calibrate.show_board",
                place=f"{preposition} the {place}",
                lean=lean,
                tilt_deg=requirements.advised_tilt_deg,
            )
        )
    short = requirements.images - len(sightings)
    more = (note("calibrate.add_pictures", pictures=short),) if short > 0 else ()
    return (*views[:SHOWN], *more)


def _count_corners_by_cell(sightings: Sequence[Sighting], size: tuple[int, int]) -> Floats:
    pixels = np.concatenate([s.pixels for s in sightings]) if sightings else np.empty((0, 2))
    edges = [np.linspace(-0.5, size[1] - 0.5, ROWS + 1), np.linspace(-0.5, size[0] - 0.5, COLUMNS + 1)]
    return np.asarray(np.histogram2d(pixels[:, 1], pixels[:, 0], bins=edges)[0])


def _compute_board_normals(fitted: LensFit) -> Floats:
    return np.array([rotation_from_vector(turn)[:, 2] for turn in fitted.rotations])


def _count_tilted_boards(fitted: LensFit, min_tilt_deg: float) -> dict[str, int]:
    """Count the boards that lean about either axis of the picture; without both, focal length and distance mix."""
    x, y, z = np.abs(_compute_board_normals(fitted)).T
    return {
        "left or right": int((np.degrees(np.arctan2(x, z)) >= min_tilt_deg).sum()),
        "up or down": int((np.degrees(np.arctan2(y, z)) >= min_tilt_deg).sum()),
    }


def _name_empty_cells(counts: Floats) -> list[str]:
    """Name the parts of the picture without corners, those with most empty cells first."""
    empty = Counter(_name_cell(int(row), int(column)) for row, column in np.argwhere(counts == 0))
    return [place for place, _ in empty.most_common()]


def _name_cell(row: int, column: int) -> str:
    """Name a cell of the picture.

    >>> _name_cell(0, 0), _name_cell(0, 1), _name_cell(2, 3), _name_cell(1, 2)
    ('upper left corner', 'upper edge', 'right edge', 'middle')
    """
    up = {0: "upper", ROWS - 1: "lower"}.get(row, "")
    side = {0: "left", COLUMNS - 1: "right"}.get(column, "")
    if up and side:
        return f"{up} {side} corner"
    return f"{up or side} edge" if up or side else "middle"
