"""One way to read written poses: how a rotation is written, in which unit a shift, and in which direction a pose goes.

`rpy-xyz` turns about fixed axes, x first (roll, pitch, yaw of URDF and ROS); `euler-xyz` about the moving ones, x
first. Angles are radians unless the name ends in `-deg`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.model.written_poses import Side, WrittenPoses

ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "zyz")
QUATERNIONS = ("quaternion-xyzw", "quaternion-wxyz")
MATRICES = ("matrix", "matrix-transposed")
ANGLES = ("rotation-vector", *(f"{kind}-{order}" for kind in ("rpy", "euler") for order in ORDERS))
ROTATIONS_LISTED = (
    f"{', '.join((*QUATERNIONS, *MATRICES))}, rotation-vector, rpy-… (fixed axes) and euler-… (moving ones) with "
    f"{', '.join(ORDERS)}; angles in degrees end in -deg"
)
ROTATIONS = (*QUATERNIONS, *MATRICES, *ANGLES, *(f"{name}-deg" for name in ANGLES))
UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
USUAL = {(4,): QUATERNIONS[0], (3, 3): MATRICES[0], (3,): ANGLES[0]}
"""The reading where neither the file nor the user states one: xyzw, rows first, rotation vector."""
STRAIGHT = {Side.ROBOT: "base_from_gripper", Side.TARGET: "camera_from_target"}
INVERSE = {Side.ROBOT: "gripper_from_base", Side.TARGET: "target_from_camera"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How the poses of one side are read."""

    rotation: str
    unit: str = "m"
    inverse: bool = False

    def format_as_options(self, side: Side) -> str:
        """Write it in the words of the options."""
        return f"{side} {INVERSE[side] if self.inverse else STRAIGHT[side]}, {self.rotation}, {self.unit}"


def choose_reading(
    written: WrittenPoses, rotation: Iterable[str] = (), units: Iterable[str] = (), inverse: Iterable[str] = ()
) -> Reading:
    """Return how to read one side: as the user states, else as the file states, else as is usual."""
    shape = written.rotations.shape[1:]
    given = _choose_word_for_side(written.side, rotation, ROTATIONS, "rotation")
    chosen = given or written.rotation or USUAL[shape]
    if chosen not in ROTATIONS:
        raise UnknownName("rotation", chosen, ROTATIONS, ROTATIONS_LISTED)
    if shape != _get_rotation_shape(chosen):
        count = "×".join(map(str, shape))
        raise BadInput(f"The {written.side} rotations have {count} numbers each, which does not fit {chosen}.")
    unit = _choose_word_for_side(written.side, units, UNITS, "unit") or written.unit or "m"
    if unit not in UNITS:
        raise UnknownName("unit", unit, UNITS, ", ".join(UNITS))
    turned = [Side(_check_side(side)) for side in inverse]
    return Reading(chosen, unit, written.side in turned if turned else bool(written.inverse))


def list_unstated_parts(
    written: WrittenPoses, rotation: Iterable[str] = (), units: Iterable[str] = ()
) -> tuple[str, ...]:
    """List what neither the file nor the user states about one side's poses: `rotation`, `unit`."""
    known = written.rotation or _choose_word_for_side(written.side, rotation, ROTATIONS, "rotation")
    unit = written.unit or _choose_word_for_side(written.side, units, UNITS, "unit")
    return (*(() if known else ("rotation",)), *(() if unit else ("unit",)))


def convert_to_matrices(written: WrittenPoses, reading: Reading) -> Floats:
    """Turn written poses into n 4×4 matrices in metres, `base_from_gripper` or `camera_from_target`."""
    turns, shifts = (np.where(np.isfinite(x), x, np.nan) for x in (written.rotations, written.shifts))
    poses = tf.make_transform(convert_rotations(turns, reading.rotation), shifts * UNITS[reading.unit])
    return tf.invert_transform(poses) if reading.inverse else poses


def convert_rotations(values: Floats, rotation_format: str) -> Floats:
    """Turn written rotations into n 3×3 matrices.

    >>> convert_rotations(np.array([[0.0, 0.0, 90.0]]), "rpy-xyz-deg").round(6)[0, :, 0]
    array([0., 1., 0.])
    """
    if rotation_format in MATRICES:
        return values if rotation_format == MATRICES[0] else np.swapaxes(values, -1, -2)
    if rotation_format in QUATERNIONS:
        with np.errstate(invalid="ignore", divide="ignore"):
            return tf.rotation_from_quaternion(
                values if rotation_format == QUATERNIONS[0] else np.roll(values, -1, axis=-1)
            )
    bare = rotation_format.removesuffix("-deg")
    angles = np.radians(values) if bare != rotation_format else values
    if bare == ANGLES[0]:
        return tf.rotation_from_vector(angles)
    kind, _, order = bare.partition("-")
    turns = [tf.make_rotation_about_axis(axis, angles[..., n]) for n, axis in enumerate(order)]
    first, second, third = turns if kind == "euler" else reversed(turns)
    return first @ second @ third


def list_alternatives(reading: Reading) -> tuple[Reading, ...]:
    """Every other way to read the same numbers, the stated one first."""
    same_shape = [name for name in ROTATIONS if _get_rotation_shape(name) == _get_rotation_shape(reading.rotation)]
    return tuple(
        dict.fromkeys(
            replace(reading, rotation=rotation, unit=unit, inverse=inverse)
            for rotation in (reading.rotation, *same_shape)
            for unit in dict.fromkeys((reading.unit, "m", "mm"))
            for inverse in (reading.inverse, not reading.inverse)
        )
    )


def _get_rotation_shape(rotation: str) -> tuple[int, ...]:
    return (4,) if rotation in QUATERNIONS else (3, 3) if rotation in MATRICES else (3,)


def _choose_word_for_side(side: Side, given_words: Iterable[str], known_words: Iterable[str], option: str) -> str:
    """Pick the word for one side: `mm` is for both, `robot:mm` for one, and a later word replaces an earlier."""
    chosen = ""
    for words in given_words:
        whose, _, word = words.rpartition(":")
        if word not in known_words:
            raise UnknownName(
                option, word, known_words, ROTATIONS_LISTED if known_words is ROTATIONS else ", ".join(known_words)
            )
        if not whose or Side(_check_side(whose)) is side:
            chosen = word
    return chosen


def _check_side(word: str) -> str:
    if word not in list(Side):
        raise UnknownName("side", word, list(Side))
    return word
