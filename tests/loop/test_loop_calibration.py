"""Hand-eye, verification, force-torque and schedule as a user meets them: files in, answers and memory out."""

import json
import random

import numpy as np
import pytest
from tests.calibrate.test_force_torque import felt

from fieldloop.calibrate.hand_eye import Setup
from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.doors.written import convert_to_json
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.geometry import transforms as tf
from fieldloop.loop.calibrate.extrinsics import list_calibrations
from fieldloop.loop.calibrate.force_torque import calibrate_force_torque
from fieldloop.loop.calibrate.hand_eye import calibrate_hand_eye
from fieldloop.loop.calibrate.schedule import list_due_calibrations
from fieldloop.loop.calibrate.touch import compare_touched_points
from fieldloop.loop.calibrate.verification import verify_camera_calibration
from fieldloop.loop.collect.sessions import enrol_demonstrator, open_session
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import LogIngested, RobotRegistered
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot, Sensor
from fieldloop.model.stream import StreamKind
from fieldloop.model.verification import Verification
from fieldloop.model.written_poses import Side
from fieldloop.say import write_sentence
from fieldloop.store import open_shelf, open_store
from fieldloop.testing.hand_eye_scene import GOOD_ARM, compute_pose_error, make_hand_eye_scene
from fieldloop.testing.shared import find_shared_data

NOW, HOUR = 1_794_700_000 * 10**9, 3600 * 10**9
MADE = make_hand_eye_scene(20, 30, GOOD_ARM, np.random.default_rng(0))
WHO = {"robot": "arm", "sensor": "camera/wrist"}


class Clock:
    def __init__(self, at_ns=NOW):
        self.at_ns = at_ns

    def __call__(self):
        return self.at_ns


@pytest.fixture
def workspace(tmp_path):
    create_workspace(tmp_path / "w", name="leipzig")
    given = {"store": open_store("sqlite://"), "shelf": open_shelf("memory://"), "clock": Clock()}
    opened = open_workspace(tmp_path / "w", random_bits=random.Random(7).getrandbits, **given)
    sensors = (Sensor("D435", StreamKind.RGB, "camera/wrist"), Sensor("FT", StreamKind.FORCE_TORQUE, "force"))
    opened.write(RobotRegistered(Robot("arm", "ur5", "hall", sensors)))
    yield opened
    opened.close()


def pose_file(path, robot=MADE.base_from_gripper, target=MADE.camera_from_target):
    rows = [
        {"base_from_gripper": a.tolist(), "camera_from_target": b.tolist()} for a, b in zip(robot, target, strict=True)
    ]
    path.write_text(json.dumps({"poses": rows}))
    return path


def view_file(path, seed=1, shift_mm=0.0, views=6):
    made = make_hand_eye_scene(views, 30, GOOD_ARM, np.random.default_rng(seed))
    moved = tf.make_transform(np.eye(3), [0, 0, shift_mm / 1e3])
    seen = tf.invert_transform(moved) @ made.camera_from_target
    rows = [
        {
            "base_from_marker": made.base_from_target.tolist(),
            "camera_from_marker": b.tolist(),
            "base_from_gripper": a.tolist(),
        }
        for a, b in zip(made.base_from_gripper, seen, strict=True)
    ]
    path.write_text(json.dumps({"views": rows}))
    return path


def test_hand_eye_needs_no_workspace_and_says_what_was_promised(tmp_path):
    found = calibrate_hand_eye(None, (pose_file(tmp_path / "p.json"),))
    written = convert_to_json(found)
    promised = {
        "method",
        "camera_pose",
        "translation_residual_mm",
        "rotation_residual_deg",
        "held_out",
        "poses_used",
        "poses_rejected",
    }
    assert promised <= set(written)
    assert (written["status"], written["calibration"], found.exit_ok) == ("passed", None, True)
    assert compute_pose_error(MADE.gripper_from_camera, np.array(written["camera_pose"]["matrix"]))[1] < 2
    assert compute_pose_error(MADE.base_from_target, np.array(written["target_pose"]["matrix"]))[1] < 2
    json.dumps(written, allow_nan=False)


def test_hand_eye_is_remembered_for_a_sensor(workspace, tmp_path):
    found = calibrate_hand_eye(workspace, (pose_file(tmp_path / "p.json"),), **WHO)
    (kept,) = list_calibrations(workspace)
    assert (kept.id, kept.kind, kept.parent, kept.status) == (
        found.calibration.id,
        "hand_eye",
        "gripper",
        Status.PASSED,
    )
    assert kept.uncertainty_mm == pytest.approx(found.found.uncertainty_mm)


def test_hand_eye_refuses_half_a_name_and_unknown_sensors(workspace, tmp_path):
    file = pose_file(tmp_path / "p.json")
    with pytest.raises(BadInput, match="both --sensor and --robot"):
        calibrate_hand_eye(workspace, (file,), sensor="camera/wrist")
    with pytest.raises(BadInput, match="not a workspace"):
        calibrate_hand_eye(None, (file,), **WHO)
    with pytest.raises(UnknownName, match="camera/wrist"):
        calibrate_hand_eye(workspace, (file,), robot="arm", sensor="camera/wirst")


def test_a_wrong_direction_is_proposed_and_applied_when_named(tmp_path):
    file = pose_file(tmp_path / "p.json", target=tf.invert_transform(MADE.camera_from_target))
    found = calibrate_hand_eye(None, (file,))
    assert not found.exit_ok
    assert ("--inverse target",) in {p.options for p in found.proposals}
    assert calibrate_hand_eye(None, (file,), inverse=(Side.TARGET,)).exit_ok


def test_both_poses_the_other_way_round_are_caught_by_reach(tmp_path):
    file = pose_file(
        tmp_path / "p.json", tf.invert_transform(MADE.base_from_gripper), tf.invert_transform(MADE.camera_from_target)
    )
    found = calibrate_hand_eye(None, (file,))
    assert found.found.status is Status.CANNOT_TELL
    assert "--inverse robot --inverse target" in found.complaints[0]["advice"]


def test_millimetres_are_not_taken_for_metres(tmp_path):
    far = [m.copy() for m in (MADE.base_from_gripper, MADE.camera_from_target)]
    for poses in far:
        poses[:, :3, 3] *= 1e3
    found = calibrate_hand_eye(None, (pose_file(tmp_path / "p.json", *far),))
    assert found.found.status is Status.CANNOT_TELL
    assert any("--units robot:mm" in write_sentence(complaint) for complaint in found.complaints)
    assert calibrate_hand_eye(None, (tmp_path / "p.json",), units=("mm",)).exit_ok


def test_a_fixed_camera(tmp_path):
    # the two unknowns change places when the target is looked at from the other end
    file = pose_file(tmp_path / "p.json", target=tf.invert_transform(MADE.camera_from_target))
    found = calibrate_hand_eye(None, (file,), setup=Setup.EYE_TO_HAND)
    assert (found.exit_ok, convert_to_json(found)["camera_pose"]["parent"]) == (True, "base")
    assert compute_pose_error(MADE.base_from_target, found.found.answer.mount_from_camera)[1] < 2


def test_intrinsics_of_another_picture_size_are_caught(tmp_path):
    file = pose_file(tmp_path / "p.json")
    sizes = {"image_size": [640, 480], "intrinsics_image_size": [1280, 960]}
    file.write_text(json.dumps(json.loads(file.read_text()) | sizes))
    found = calibrate_hand_eye(None, (file,))
    assert (found.found.status, found.complaints[0].details[0]["factor"]) == (Status.CANNOT_TELL, 0.5)


def test_a_file_of_nothing_but_gaps_cannot_tell(tmp_path):
    file = pose_file(tmp_path / "p.json")
    rows = json.loads(file.read_text())["poses"]
    for row in rows:
        row["base_from_gripper"] = [[None] * 4] * 3 + [[0, 0, 0, 1]]
    file.write_text(json.dumps(rows))
    found = calibrate_hand_eye(None, (file,))
    assert (found.found.status, len(found.found.rejected)) == (Status.CANNOT_TELL, 20)
    json.dumps(convert_to_json(found), allow_nan=False)


def test_a_broken_row_is_left_out_with_its_reason(tmp_path):
    robot = MADE.base_from_gripper.copy()
    robot[3, 0, 0] = 2.0
    found = calibrate_hand_eye(None, (pose_file(tmp_path / "p.json", robot),))
    (left_out,) = found.found.rejected
    assert (left_out.pose, left_out.reason.code, found.exit_ok) == ("4", "calibrate.not_a_rotation", True)


def test_verification_warns_halts_and_flags_by_itself(workspace, tmp_path):
    calibrate_hand_eye(workspace, (pose_file(tmp_path / "p.json"),), **WHO)
    begun = workspace.clock.at_ns
    episodes = [
        Episode(f"e{n}", f"e{n}", "mcap", robot="arm", start_ns=begun + n * HOUR, end_ns=begun + n * HOUR + 10)
        for n in range(5)
    ]
    workspace.write(LogIngested(Log(Blob("b" * 64, 1), "log", "mcap", tuple(e.id for e in episodes)), tuple(episodes)))
    workspace.clock.at_ns = begun + HOUR + HOUR // 2
    good = verify_camera_calibration(workspace, view_file(tmp_path / "v.json"), **WHO)
    assert (good.status, good.halts, good.flagged) == (Status.PASSED, False, ())
    workspace.clock.at_ns += 2 * HOUR
    warned = verify_camera_calibration(workspace, view_file(tmp_path / "v.json", 2, shift_mm=2.6), **WHO)
    assert (warned.status, warned.halts) == (Status.FAILED, False)
    assert warned.flagged == ("e2", "e3", "e4")
    assert warned.verification.drift.moved
    workspace.clock.at_ns += 60 * 10**9
    assert verify_camera_calibration(workspace, view_file(tmp_path / "v.json", 3, shift_mm=5), **WHO).halts
    assert len(workspace.store.find(Verification)) == 3
    (due, *_) = list_due_calibrations(workspace).due
    assert (due.work, due.overdue) == ("calibrate", True)


def test_verification_asks_for_what_it_needs(workspace, tmp_path):
    with pytest.raises(UnknownName, match="calibrated sensor"):
        verify_camera_calibration(workspace, view_file(tmp_path / "v.json"), **WHO)
    calibrate_hand_eye(workspace, (pose_file(tmp_path / "p.json"),), **WHO)
    eye = np.eye(4).tolist()
    (tmp_path / "bare.json").write_text(json.dumps({"views": [{"base_from_marker": eye, "camera_from_marker": eye}]}))
    with pytest.raises(BadInput, match="base_from_gripper"):
        verify_camera_calibration(workspace, tmp_path / "bare.json", **WHO)
    nothing = [[None] * 4] * 3 + [[0, 0, 0, 1]]
    views = [{"base_from_marker": eye, "camera_from_marker": nothing, "base_from_gripper": eye}]
    (tmp_path / "blind.json").write_text(json.dumps({"views": views}))
    blind = verify_camera_calibration(workspace, tmp_path / "blind.json", **WHO)
    assert (blind.status, blind.halts) == (Status.CANNOT_TELL, True)


def test_touching_proves_it(workspace, tmp_path):
    calibrate_hand_eye(workspace, (pose_file(tmp_path / "p.json"),), **WHO)
    wrist = MADE.base_from_gripper[:5]
    seen = np.array([[0.01, 0.02, 0.4]] * 5)
    touched = np.array([tf.transform_points(w @ MADE.gripper_from_camera, p) for w, p in zip(wrist, seen, strict=True)])
    names = [f"{frame}_{axis}" for frame in ("camera", "base") for axis in "xyz"]
    mount = [f"base_from_gripper_{axis}" for axis in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    rows = np.concatenate([seen, touched, tf.pose_from_matrix(wrist)], axis=1)
    np.savetxt(tmp_path / "t.csv", rows, delimiter=",", header=",".join(names + mount), comments="")
    proved = compare_touched_points(workspace, tmp_path / "t.csv", **WHO)
    assert (proved.status, len(proved.each_mm)) == (Status.PASSED, 5)
    np.savetxt(tmp_path / "t.csv", rows[:, :6], delimiter=",", header=",".join(names), comments="")
    with pytest.raises(BadInput, match="base_from_gripper_x"):
        compare_touched_points(workspace, tmp_path / "t.csv", **WHO)
    np.savetxt(tmp_path / "t.csv", rows[:, :3], delimiter=",", header=",".join(names[:3]), comments="")
    with pytest.raises(BadInput, match="no column base_x"):
        compare_touched_points(workspace, tmp_path / "t.csv", **WHO)


def wrench_file(path, turns, wrench):
    rows = np.concatenate([tf.quaternion_from_rotation(turns), wrench], axis=-1)
    np.savetxt(path, rows, delimiter=",", header="qx,qy,qz,qw,fx,fy,fz,tx,ty,tz", comments="")
    return path


def test_force_torque(workspace, tmp_path):
    turns, wrench = felt(turn_deg=2.0)
    found = calibrate_force_torque(
        workspace, wrench_file(tmp_path / "w.csv", turns, wrench), robot="arm", sensor="force"
    )
    assert (found.exit_ok, found.calibration.parent, convert_to_json(found)["schema"]) == (
        True,
        "wrist",
        "force-torque/1",
    )
    assert found.found.mass_kg == pytest.approx(1.2, abs=0.05)
    assert calibrate_force_torque(None, tmp_path / "w.csv", mounted=(0.0, 0.0, 2.0)).found.turn_deg < 1.0
    with pytest.raises(BadInput, match="three"):
        calibrate_force_torque(None, tmp_path / "w.csv", mounted=(1.0,))


def test_force_torque_proposes_the_other_direction(tmp_path):
    turns, wrench = felt(poses=16)
    file = wrench_file(tmp_path / "w.csv", np.swapaxes(turns, -1, -2), wrench)
    (proposal,) = calibrate_force_torque(None, file).proposals
    assert proposal.options == ("--inverse",)
    assert calibrate_force_torque(None, file, inverse=True).exit_ok


def test_the_schedule_begins_with_what_was_never_calibrated(workspace):
    made = list_due_calibrations(workspace)
    assert {(d.sensor, d.work, d.overdue) for d in made.due} == {
        ("camera/wrist", "calibrate", True),
        ("force", "calibrate", True),
    }
    assert not made.exit_ok
    assert list_due_calibrations(workspace, robot="arm").due == made.due


def test_the_schedule_knows_robots_that_only_calibrations_name(tmp_path):
    create_workspace(tmp_path / "bare")
    bare = open_workspace(tmp_path / "bare", store=open_store("sqlite://"), shelf=open_shelf("memory://"))
    poses = pose_file(tmp_path / "p.json")
    calibrate_hand_eye(bare, (poses,), robot="arm-9", sensor="camera/wrist", since="2026-01-05T08:00:00Z")
    (due,) = list_due_calibrations(bare).due
    assert (due.robot, due.sensor, due.work, due.overdue) == ("arm-9", "camera/wrist", "verify", True)
    assert list_due_calibrations(bare, robot="arm-9").due == list_due_calibrations(bare, robot="arm").due == (due,)
    with pytest.raises(UnknownName, match="Did you mean 'arm-9'"):
        list_due_calibrations(bare, robot="amr-9")
    bare.close()


def test_a_failed_look_keeps_a_session_from_opening(workspace, tmp_path):
    sensors = (Sensor("D435", StreamKind.RGB, "camera/wrist", synchronised_by="ptp"),)
    workspace.write(RobotRegistered(Robot("arm", "ur5", "hall", sensors)))
    enrol_demonstrator(workspace, "op-7")
    calibrate_hand_eye(workspace, (pose_file(tmp_path / "p.json"),), **WHO)
    done = tuple(workspace.operations["collect"]["checklist"])
    workspace.clock.at_ns += HOUR
    assert open_session(workspace, "arm", operator="op-7", checked=done).calibrations
    verify_camera_calibration(workspace, view_file(tmp_path / "v.json", shift_mm=5), **WHO)
    workspace.clock.at_ns += 10**9
    with pytest.raises(Refused, match="no calibration in force"):
        open_session(workspace, "arm", operator="op-7", checked=done)


def test_a_person_can_read_the_answers(workspace, tmp_path, capsys):
    wrong_way = pose_file(tmp_path / "p.json", target=tf.invert_transform(MADE.camera_from_target))
    show_result(calibrate_hand_eye(workspace, (wrong_way,)), Screen())
    show_result(calibrate_hand_eye(workspace, (pose_file(tmp_path / "p.json"),), **WHO), Screen())
    show_result(verify_camera_calibration(workspace, view_file(tmp_path / "v.json"), **WHO), Screen())
    show_result(calibrate_force_torque(workspace, wrench_file(tmp_path / "w.csv", *felt())), Screen())
    show_result(list_due_calibrations(workspace), Screen())
    told = capsys.readouterr().out
    for said in (
        "--inverse target",
        "camera in the gripper",
        "Stored for camera/wrist",
        "slow drift",
        "tool",
        "force",
    ):
        assert said in told


@pytest.mark.skipif(find_shared_data("handeye-eth") is None, reason="the ETH hand-eye sets are not on this machine")
def test_real_streams_with_clocks_of_their_own():
    folder = find_shared_data("handeye-eth")
    real = calibrate_hand_eye(None, (folder / "robot_arm_w_color_camera_real.zip",), inverse=(Side.TARGET,))
    assert real.found.verified.translation_mm < 4
    assert any(option.startswith("--clock-offset=-0.01") for p in real.proposals for option in p.options)
    better = calibrate_hand_eye(
        None, (folder / "robot_arm_w_color_camera_real.zip",), inverse=(Side.TARGET,), clock_offset=-0.016
    )
    assert better.found.verified.translation_mm < real.found.verified.translation_mm
    straight = calibrate_hand_eye(None, (folder / "robot_arm_w_color_camera_sim.zip",))
    assert ("--inverse target",) in {p.options for p in straight.proposals}
    one_axis = calibrate_hand_eye(None, (folder / "robot_arm_w_color_camera_sim.zip",), inverse=(Side.TARGET,))
    assert (one_axis.found.status, one_axis.found.reason.code) == (Status.CANNOT_TELL, "calibrate.one_axis")
