"""Poses that cannot be true: a marker 300 m away, a quaternion of length two, a matrix that does not rotate."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.conventions.reading import INVERSE, QUATERNIONS, STRAIGHT, UNITS, Reading
from fieldloop.model.note import Note, note
from fieldloop.model.written_poses import WrittenPoses
from fieldloop.protocol import CollectionProtocol

FULL_TURN = 2 * np.pi  # a larger angle is in degrees
DIM_MATRIX = 3  # dimensions of an array of matrices


@dataclass(frozen=True, slots=True, eq=False)
class Impossible:
    """Rows that cannot be used, with their reasons, and defects of the file as a whole.

    Each entry of `wrong` is a defect and the option that may fix it.
    """

    rows: dict[int, Note]
    wrong: tuple[tuple[Note, Note | None], ...]

    @property
    def facts(self) -> tuple[Note, ...]:
        """The defects alone, for use beside a better remedy."""
        return tuple(fact for fact, _ in self.wrong)

    @property
    def complaints(self) -> tuple[Note, ...]:
        """The defects, each with the option that may fix it."""
        return tuple(replace(fact, details=(hint,)) if hint else fact for fact, hint in self.wrong)


def find_impossible_poses(written: WrittenPoses, reading: Reading, protocol: CollectionProtocol) -> Impossible:
    """Find what cannot be true of one side's poses as read."""
    rows: dict[int, Note] = {}
    for mask, code in _find_bad_rows(written, reading, protocol):
        for row in np.flatnonzero(mask):
            rows.setdefault(int(row), note(code, side=written.side.value))
    return Impossible(rows, tuple(_make_complaints(written, reading, protocol)))


def _find_bad_rows(
    written: WrittenPoses, reading: Reading, protocol: CollectionProtocol
) -> Iterator[tuple[NDArray[np.bool_], str]]:
    whole = np.isfinite(written.rotations).all(axis=tuple(range(1, written.rotations.ndim)))
    whole = whole & np.isfinite(written.shifts).all(axis=-1)
    yield np.asarray(~whole), "calibrate.not_finite"
    tolerance = float(protocol.setting("calibration.rotation_tolerance"))
    if reading.rotation in QUATERNIONS:
        length = np.linalg.norm(written.rotations, axis=-1)
        yield np.abs(length - 1) > tolerance, "calibrate.quaternion_length"
    elif written.rotations.ndim == DIM_MATRIX:
        turned = written.rotations
        off = np.abs(turned @ np.swapaxes(turned, -1, -2) - np.eye(3)).max(axis=(-2, -1))
        yield ~(off <= tolerance), "calibrate.not_a_rotation"
        yield np.linalg.det(np.nan_to_num(turned)) < 0, "calibrate.left_handed"


def _make_complaints(
    written: WrittenPoses, reading: Reading, protocol: CollectionProtocol
) -> Iterator[tuple[Note, Note | None]]:
    furthest = float(protocol.setting("calibration.furthest_m"))
    name = (INVERSE if reading.inverse else STRAIGHT)[written.side]
    with np.errstate(invalid="ignore"):
        away_m = np.linalg.norm(written.shifts, axis=-1) * UNITS[reading.unit]
    usual = float(np.median(away_m[np.isfinite(away_m)])) if np.isfinite(away_m).any() else 0.0
    if usual > furthest:
        in_mm = note("calibrate.try_millimetres", length_mm=usual, side=written.side.value)
        yield note("calibrate.beyond_reach", name=name, usual_m=usual), in_mm if reading.unit == "m" else None
    angles = written.rotations
    if reading.rotation.startswith(("rpy", "euler", "rotation")) and not reading.rotation.endswith("-deg"):
        widest = float(np.max(np.abs(angles[np.isfinite(angles)]), initial=0.0))
        if widest > FULL_TURN:
            yield note("calibrate.degrees", name=name, widest=widest), _suggest_degrees(written, reading)


def _suggest_degrees(written: WrittenPoses, reading: Reading) -> Note:
    option = f"--rotation {written.side}:{reading.rotation}-deg"
    if written.rotation:
        return note("calibrate.use_option", option=option)
    return note("calibrate.state_rotation", side=written.side.value, option=option)
