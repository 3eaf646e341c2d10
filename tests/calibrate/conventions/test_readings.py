"""Written rotations mean what the names say, and what cannot be true is said."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fieldloop.calibrate.conventions import (
    ROTATIONS,
    Reading,
    choose_reading,
    compare_image_sizes,
    convert_to_matrices,
    find_impossible_poses,
    list_unstated_parts,
)
from fieldloop.calibrate.conventions.reading import ORDERS, convert_rotations
from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.written_poses import Side, WrittenPoses
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence

PROTOCOL = default_protocol()
TURNS = Rotation.random(20, random_state=1)


def as_written(name, turns):
    """What a file would hold, by the reference library."""
    if name.startswith("quaternion"):
        quaternion = turns.as_quat()
        return quaternion if name.endswith("xyzw") else np.roll(quaternion, 1, axis=-1)
    if name.startswith("matrix"):
        return turns.as_matrix() if name == "matrix" else np.swapaxes(turns.as_matrix(), -1, -2)
    degrees = name.endswith("-deg")
    if name.startswith("rotation-vector"):
        return turns.as_rotvec(degrees=degrees)
    kind, order = name.removesuffix("-deg").split("-")
    return turns.as_euler(order if kind == "rpy" else order.upper(), degrees=degrees)


def written(name, turns=TURNS, shifts=None, side=Side.ROBOT, **said):
    count = len(turns)
    shifts = np.full((count, 3), 0.3) if shifts is None else shifts
    return WrittenPoses(side, shifts, as_written(name, turns), tuple(map(str, range(count))), **said)


@pytest.mark.parametrize("name", ROTATIONS)
def test_a_rotation_is_read_as_the_reference_library_writes_it(name):
    assert np.allclose(convert_rotations(as_written(name, TURNS), name), TURNS.as_matrix(), atol=1e-9)


def test_all_orders_are_there_fixed_and_moving():
    assert {f"{kind}-{order}{unit}" for kind in ("rpy", "euler") for order in ORDERS for unit in ("", "-deg")} <= set(
        ROTATIONS
    )


def test_units_and_directions():
    poses = written("quaternion-xyzw", shifts=np.full((20, 3), 300.0))
    straight = convert_to_matrices(poses, Reading("quaternion-xyzw", "mm"))
    assert np.allclose(straight[:, :3, 3], 0.3)
    turned = convert_to_matrices(poses, Reading("quaternion-xyzw", "mm", inverse=True))
    assert np.allclose(turned @ straight, np.eye(4), atol=1e-12)


def test_the_user_counts_more_than_the_file_and_the_file_more_than_habit():
    poses = written("rpy-xyz", rotation="rpy-xyz", unit="mm", inverse=True)
    assert choose_reading(poses) == Reading("rpy-xyz", "mm", inverse=True)
    assert choose_reading(poses, ("euler-zyx", "target:rotation-vector"), ("m",)) == Reading(
        "euler-zyx", "m", inverse=True
    )
    assert choose_reading(poses, inverse=("target",)).inverse is False
    bare = written("rotation-vector")
    assert choose_reading(bare) == Reading("rotation-vector", "m")
    assert list_unstated_parts(bare) == ("rotation", "unit")
    assert list_unstated_parts(bare, ("rpy-xyz",), ("robot:mm",)) == ()


def test_words_that_mean_nothing_are_refused():
    with pytest.raises(UnknownName, match="Did you mean"):
        choose_reading(written("rotation-vector"), ("rpy-xzx",))
    with pytest.raises(UnknownName, match="side"):
        choose_reading(written("rotation-vector"), ("robto:rpy-xyz",))
    with pytest.raises(UnknownName, match=r"Known: m, cm, mm\."):
        choose_reading(written("rotation-vector"), units=("inch",))
    with pytest.raises(UnknownName, match=r"Known: quaternion-xyzw, .*-deg"):
        choose_reading(written("rotation-vector"), ("foo",))
    with pytest.raises(UnknownName, match="unit"):
        choose_reading(written("rotation-vector", unit="inch"))
    with pytest.raises(UnknownName, match="rotation"):
        choose_reading(written("rotation-vector", rotation="yaw"))
    with pytest.raises(BadInput, match="4 numbers"):
        choose_reading(written("quaternion-xyzw"), ("rpy-xyz",))


def found(poses, rotation, unit="m"):
    return find_impossible_poses(poses, Reading(rotation, unit), PROTOCOL)


def test_a_marker_three_hundred_metres_away_is_in_millimetres():
    (far,) = found(written("quaternion-xyzw", shifts=np.full((20, 3), 300.0)), "quaternion-xyzw").complaints
    assert (far.code, far.details[0].code) == ("calibrate.beyond_reach", "calibrate.try_millimetres")
    assert write_sentence(far.details[0]).endswith("--units robot:mm")
    assert not found(written("quaternion-xyzw", shifts=np.full((20, 3), 300.0)), "quaternion-xyzw", "mm").complaints


def test_a_hundred_radians_are_degrees():
    wrong = found(written("rpy-xyz-deg"), "rpy-xyz")
    assert "--rotation robot:rpy-xyz-deg" in wrong.complaints[0].details[0]["option"]
    assert not wrong.facts[0].details


def test_rows_that_are_no_rotation_are_named():
    poses = written("quaternion-xyzw")
    poses.rotations[3] *= 1.2
    poses.shifts[5, 0] = np.nan
    assert set(found(poses, "quaternion-xyzw").rows) == {3, 5}
    poses = written("matrix")
    poses.rotations[1] *= 1.1
    poses.rotations[2, :, 0] *= -1
    poses.rotations[4] = np.nan
    reasons = found(poses, "matrix").rows
    assert set(reasons) == {1, 2, 4}
    assert reasons[2].code == "calibrate.left_handed"


@pytest.mark.parametrize(
    ("size", "picture", "code"),
    [
        ((640, 480), (640, 480), None),
        ((1280, 960), (640, 480), "calibrate.rescale"),
        ((1280, 720), (640, 480), "calibrate.cropped"),
        ((0, 0), (640, 480), "calibrate.empty_picture"),
    ],
)
def test_intrinsics_of_another_picture_size_are_reported(size, picture, code):
    wrong = compare_image_sizes(size, picture)
    assert (wrong.details[0].code if wrong else None) == code
