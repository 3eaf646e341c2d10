"""Poses are read from JSON, CSV and archives; whatever else comes gets a clear answer."""

import json
import zipfile

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.ingest.poses import KNOWN, MOUNT, SEEN, read_marker_views, read_poses, read_wrenches
from fieldloop.testing.hand_eye_scene import SILENT, make_hand_eye_scene

MADE = make_hand_eye_scene(5, 30, SILENT, np.random.default_rng(0))
ROBOT, TARGET = MADE.base_from_gripper, MADE.camera_from_target


def as_csv(path, poses, head, stamps=None):
    rows = tf.pose_from_matrix(poses)
    lines = [",".join(head)] if head else []
    for n, row in enumerate(rows):
        cells = [*([stamps[n]] if stamps is not None else []), *row]
        lines.append(", ".join(repr(float(cell)) for cell in cells))
    path.write_text("\n".join(lines) + "\n")
    return path


def pose_names(prefix):
    return [f"{prefix}_{axis}" for axis in ("x", "y", "z", "qx", "qy", "qz", "qw")]


def test_json_with_matrices_says_everything_but_the_unit(tmp_path):
    file = tmp_path / "p.json"
    rows = [
        {"base_from_gripper": a.tolist(), "camera_from_target": b.tolist()} for a, b in zip(ROBOT, TARGET, strict=True)
    ]
    file.write_text(json.dumps({"poses": rows, "units": "m"}))
    given = read_poses([file])
    assert np.allclose(given.robot.rotations, ROBOT[:, :3, :3])
    assert (given.robot.rotation, given.robot.unit, given.robot.inverse) == ("matrix", "m", False)
    assert not given.by_stamp


def test_json_with_parts_and_the_other_direction(tmp_path):
    file = tmp_path / "p.json"
    part = {"translation": [1, 2, 3], "quaternion_wxyz": [1, 0, 0, 0]}
    seen = {"translation": [1, 2, None], "rotation": [0.1, 0.2, 0.3]}
    file.write_text(json.dumps([{"gripper_from_base": part, "camera_from_target": seen, "name": "a"}]))
    given = read_poses([file])
    assert (given.robot.rotation, given.robot.inverse, given.robot.names) == ("quaternion-wxyz", True, ("a",))
    assert (given.target.rotation, given.target.rotations.shape) == ("", (1, 3))
    assert np.isnan(given.target.shifts[0, 2])


def test_csv_with_both_sides(tmp_path):
    both = np.concatenate([tf.pose_from_matrix(ROBOT), tf.pose_from_matrix(TARGET)], axis=1)
    file = tmp_path / "p.csv"
    head = ",".join(pose_names("robot") + pose_names("target"))
    np.savetxt(file, both, delimiter=",", header=head, comments="")
    given = read_poses([file])
    assert np.allclose(given.target.shifts, TARGET[:, :3, 3])
    assert (given.target.rotation, given.target.names[0]) == ("quaternion-xyzw", "line 2")


def test_units_may_stand_in_the_columns_names(tmp_path):
    file = tmp_path / "p.csv"
    head = [
        f"{side}_{axis}"
        for side in ("robot", "target")
        for axis in ("x_mm", "y_mm", "z_mm", "roll_deg", "pitch_deg", "yaw_deg")
    ]
    file.write_text(",".join(head) + "\n" + ",".join("1" * 12) + "\n")
    given = read_poses([file])
    assert (given.robot.unit, given.robot.rotation) == ("mm", "rpy-xyz-deg")


def test_two_files_are_distinguished_by_name_and_matched_by_stamp(tmp_path):
    robot = as_csv(tmp_path / "arm.csv", ROBOT, None, stamps=range(5))
    target = as_csv(tmp_path / "marker.csv", TARGET, None, stamps=range(5))
    given = read_poses([target, robot])
    assert given.by_stamp
    assert np.allclose(given.robot.shifts, ROBOT[:, :3, 3])
    assert given.robot.rotation == ""  # eight bare columns do not say
    named = as_csv(tmp_path / "a.csv", TARGET, pose_names("target"))
    other = as_csv(tmp_path / "b.csv", ROBOT, pose_names("robot"))
    assert not read_poses([named, other]).by_stamp


def test_an_archive_counts_as_the_files_in_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.write(as_csv(tmp_path / "hand.csv", ROBOT, None, stamps=range(5)), "x/hand.csv")
        archive.write(as_csv(tmp_path / "camera.csv", TARGET, None, stamps=range(5)), "x/camera.csv")
    assert np.allclose(read_poses([tmp_path / "both.zip"]).target.shifts, TARGET[:, :3, 3])


HEAD = ",".join(pose_names("robot"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("{", "not valid JSON"),
        ("{}", "no list of poses"),
        ('{"poses": []}', "no list of poses"),
        ('{"poses": [{"x": 1}]}', "none of base_from_gripper"),
        ('{"poses": [{"base_from_gripper": [[1]]}]}', "4×4"),
        ('{"poses": [{"base_from_gripper": "no"}]}', "numbers"),
        ('{"poses": [{"base_from_gripper": {"translation": [1,2,3]}}]}', "one of quaternion_xyzw"),
        ('{"poses": [{"base_from_gripper": {"translation": [1,2,3], "rotation": [1,2]}}]}', "3, 4 or 3×3"),
        ('{"poses": [{"base_from_gripper": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[1,2,3,1]]}]}', "last row"),
        (HEAD, "no rows"),
        (f"{HEAD}\n1,2,3\n", "3 cells"),
        (f"{HEAD}\n1,2,3,4,5,6,x\n", "line 2"),
        (f"{HEAD}\n1,2,3,0,0,0,1\n", "no target poses"),
        ("1,2,3\n4,5,6\n", "unnamed columns"),
        ("a,b\n1,2\n", "no columns of a pose"),
        ("robot_x,robot_y,robot_z\n1,2,3\n", "no rotation"),
        ("robot_x_mm,robot_y,robot_z,robot_qx,robot_qy,robot_qz,robot_qw\n1,2,3,0,0,0,1\n", "several units"),
    ],
)
def test_what_is_wrong_is_reported(tmp_path, text, says):
    file = tmp_path / "poses.txt"
    file.write_text(text)
    with pytest.raises(BadInput, match=says):
        read_poses([file])


def test_files_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(BadInput, match="does not exist"):
        read_poses([tmp_path / "none.csv"])
    with pytest.raises(BadInput, match="one file with both"):
        read_poses([])
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01" * 9)
    with pytest.raises(BadInput, match="not a text file"):
        read_poses([tmp_path / "binary"])
    first = as_csv(tmp_path / "one.csv", ROBOT, None, stamps=range(5))
    second = as_csv(tmp_path / "two.csv", ROBOT, None, stamps=range(5))
    with pytest.raises(BadInput, match="Which of"):
        read_poses([first, second])
    as_csv(tmp_path / "target.csv", TARGET[:3], pose_names("target"))
    as_csv(tmp_path / "robot.csv", ROBOT, pose_names("robot"))
    with pytest.raises(BadInput, match="Give as many of each"):
        read_poses([tmp_path / "target.csv", tmp_path / "robot.csv"])


def test_marker_views(tmp_path):
    file = tmp_path / "v.json"
    eye = np.eye(4).tolist()
    file.write_text(json.dumps({"views": [{KNOWN: eye, SEEN: eye, MOUNT: eye}]}))
    assert set(read_marker_views(file)) == {KNOWN, SEEN, MOUNT}
    table = tmp_path / "v.csv"
    table.write_text(",".join(pose_names(KNOWN) + pose_names(SEEN)) + "\n" + ",".join(["0"] * 13 + ["1"]) + "\n")
    assert set(read_marker_views(table)) == {KNOWN, SEEN}
    file.write_text(json.dumps({"views": [{KNOWN: eye}]}))
    with pytest.raises(BadInput, match=f"no {SEEN}"):
        read_marker_views(file)


def test_wrenches(tmp_path):
    table = tmp_path / "w.csv"
    table.write_text("roll_deg,pitch_deg,yaw_deg,fx,fy,fz,tx,ty,tz\n1,2,3,4,5,6,7,8,9\n")
    given = read_wrenches(table)
    assert given.wrist.rotation == "rpy-xyz-deg"
    assert list(given.wrench[0]) == [4, 5, 6, 7, 8, 9]
    file = tmp_path / "w.json"
    file.write_text(json.dumps({"poses": [{"base_from_wrist": np.eye(4).tolist(), "wrench": [1, 2, 3, 4, 5, 6]}]}))
    assert read_wrenches(file).wrench.shape == (1, 6)
    for text, says in (("fx\n1\n", "no column fy"), ("fx,fy,fz,tx,ty,tz\n1,1,1,1,1,1\n", "no rotation")):
        table.write_text(text)
        with pytest.raises(BadInput, match=says):
            read_wrenches(table)
