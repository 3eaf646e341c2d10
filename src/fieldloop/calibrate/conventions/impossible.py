"""What no pose can be: a marker 300 metres away, a quaternion of length two, a matrix that is no rotation."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.conventions.reading import INVERSE, QUATERNIONS, STRAIGHT, UNITS, Reading
from fieldloop.model.written_poses import WrittenPoses
from fieldloop.protocol import CollectionProtocol

FULL_TURN = 2 * np.pi
DIM_MATRIX = 3


@dataclass(frozen=True, slots=True, eq=False)
class Impossible:
    """Rows that cannot be used, with their reasons, and what is wrong with the file as a whole.

    Each complaint is what is wrong, and the option that may set it right.
    """

    rows: dict[int, str]
    wrong: tuple[tuple[str, str], ...]

    @property
    def facts(self) -> tuple[str, ...]:
        """What is wrong, for where something better than a guess says which option sets it right."""
        return tuple(fact for fact, _ in self.wrong)

    @property
    def complaints(self) -> tuple[str, ...]:
        """What is wrong, with the option that may set it right."""
        return tuple(" ".join(filter(None, both)) for both in self.wrong)


def impossible(written: WrittenPoses, reading: Reading, protocol: CollectionProtocol) -> Impossible:
    """Find what cannot be true of one side's poses as they are read."""
    rows: dict[int, str] = {}
    for mask, reason in _bad_rows(written, reading, protocol):
        for row in np.flatnonzero(mask):
            rows.setdefault(int(row), f"{written.side}: {reason}")
    return Impossible(rows, tuple(_complaints(written, reading, protocol)))


def _bad_rows(
    written: WrittenPoses, reading: Reading, protocol: CollectionProtocol
) -> Iterator[tuple[NDArray[np.bool_], str]]:
    whole = np.isfinite(written.rotations).all(axis=tuple(range(1, written.rotations.ndim)))
    whole = whole & np.isfinite(written.shifts).all(axis=-1)
    yield np.asarray(~whole), "a number is missing or not finite."
    tolerance = float(protocol.setting("calibration.rotation_tolerance"))
    if reading.rotation in QUATERNIONS:
        length = np.linalg.norm(written.rotations, axis=-1)
        yield np.abs(length - 1) > tolerance, "the quaternion does not have length 1, so it is no rotation."
    elif written.rotations.ndim == DIM_MATRIX:
        turned = written.rotations
        off = np.abs(turned @ np.swapaxes(turned, -1, -2) - np.eye(3)).max(axis=(-2, -1))
        yield ~(off <= tolerance), "the matrix is no rotation: its rows are not at right angles, or not of length 1."
        yield np.linalg.det(np.nan_to_num(turned)) < 0, "the matrix mirrors: it is left-handed."


def _complaints(written: WrittenPoses, reading: Reading, protocol: CollectionProtocol) -> Iterator[tuple[str, str]]:
    furthest = float(protocol.setting("calibration.furthest_m"))
    name = (INVERSE if reading.inverse else STRAIGHT)[written.side]
    with np.errstate(invalid="ignore"):
        away_m = np.linalg.norm(written.shifts, axis=-1) * UNITS[reading.unit]
    usual = float(np.median(away_m[np.isfinite(away_m)])) if np.isfinite(away_m).any() else 0.0
    if usual > furthest:
        hint = f"In millimetres it would be {usual:.0f} mm: --units {written.side}:mm" if reading.unit == "m" else ""
        yield f"{name} is {usual:.0f} m long: no robot reaches that far.", hint
    angles = written.rotations
    if reading.rotation.startswith(("rpy", "euler", "rotation")) and not reading.rotation.endswith("-deg"):
        widest = float(np.max(np.abs(angles[np.isfinite(angles)]), initial=0.0))
        if widest > FULL_TURN:
            yield f"{name} turns by {widest:.0f} 'radians': those are degrees.", _in_degrees(written, reading)


def _in_degrees(written: WrittenPoses, reading: Reading) -> str:
    option = f"--rotation {written.side}:{reading.rotation}-deg"
    if written.rotation:
        return option
    return f"Say how they are written, such as --rotation {written.side}:rpy-xyz-deg, or {option}"
