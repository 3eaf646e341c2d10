"""Topics of other people's robots: what the reader may conclude from a name or a type, and what it must leave open."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from fieldloop import check
from fieldloop.check import Case
from fieldloop.ingest import open_log
from fieldloop.ingest.mapping import apply_mapping, parse_mapping
from fieldloop.model.episode import Recording
from fieldloop.model.finding import Status
from fieldloop.model.provenance import Provenance, StreamFact
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD
from fieldloop.protocol import default_protocol

STORE = get_typestore(Stores.ROS2_HUMBLE)
STORE.register(get_types_from_msg("float64 rate\nfloat64 depth", "own_msgs/msg/Dive"))
START = 1_767_225_600_000_000_000
TYPES = STORE.types


def header(at_ns: int) -> Any:
    stamp = TYPES["builtin_interfaces/msg/Time"](sec=at_ns // 10**9, nanosec=at_ns % 10**9)
    return TYPES["std_msgs/msg/Header"](stamp=stamp, frame_id="base")


def vector(*xyz: float) -> Any:
    return TYPES["geometry_msgs/msg/Vector3"](*xyz)


def imu(at_ns: int, reading: float) -> Any:
    turned, none = TYPES["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0), np.zeros(9)
    return TYPES["sensor_msgs/msg/Imu"](
        header=header(at_ns), orientation=turned, orientation_covariance=none,
        angular_velocity=vector(reading, 0, 0), angular_velocity_covariance=none,
        linear_acceleration=vector(0, reading, 0), linear_acceleration_covariance=none,
    )  # fmt: skip


def joints(at_ns: int, position: float, effort: float = 0.0) -> Any:
    return TYPES["sensor_msgs/msg/JointState"](
        header=header(at_ns), name=["elbow"], position=np.asarray([position]), velocity=np.zeros(0),
        effort=np.asarray([effort]),
    )  # fmt: skip


def twist(x: float) -> Any:
    return TYPES["geometry_msgs/msg/Twist"](linear=vector(x, 0, 0), angular=vector(0, 0, 0))


def transform(at_ns: int, x: float) -> Any:
    moved = TYPES["geometry_msgs/msg/Transform"](vector(x, 0, 0), TYPES["geometry_msgs/msg/Quaternion"](0, 0, 0, 1.0))
    one = TYPES["geometry_msgs/msg/TransformStamped"](header(at_ns), "wheel", moved)
    return TYPES["tf2_msgs/msg/TFMessage"]([one])


def scan(at_ns: int) -> Any:
    ranges = np.ones(360, np.float32)
    return TYPES["sensor_msgs/msg/LaserScan"](header(at_ns), 0.0, 6.2, 0.01, 0.0, 0.1, 0.1, 9.0, ranges, ranges)


def recorded(folder: Path, rows: Iterable[tuple[str, int, Any]], late_ns: int = 1_000_000) -> Recording:
    """Write topic, time and message of each row into a bag, and read it."""
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
    with writer:
        connections: dict[str, Any] = {}
        for topic, at_ns, message in sorted(rows, key=lambda row: row[1]):
            type_ = message.__msgtype__
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, type_, typestore=STORE)
            writer.write(connections[topic], at_ns + late_ns, STORE.serialize_cdr(message, type_))
    (recording,) = open_log(folder).recordings
    return recording


def statuses(recording: Recording, name: str) -> dict[str, Status]:
    """Judge a recording by one check, under the shipped protocol: subject → status."""
    case = Case(recording, default_protocol())
    measured = [one for one in check.measure_episode(case, pixels=False) if one.check == name]
    return {
        finding.subject: finding.status for finding in check.judge_measurements(measured, case.protocol, named=True)
    }


def steps(count: int, hz: float) -> list[int]:
    return [START + round(i * 10**9 / hz) for i in range(count)]


def test_odometry_of_a_velocity_controller_is_not_a_joint(tmp_path: Path) -> None:
    pose = TYPES["geometry_msgs/msg/PoseWithCovariance"](
        TYPES["geometry_msgs/msg/Pose"](
            TYPES["geometry_msgs/msg/Point"](0, 0, 0), TYPES["geometry_msgs/msg/Quaternion"](0, 0, 0, 1.0)
        ),
        np.zeros(36),
    )
    speed = TYPES["geometry_msgs/msg/TwistWithCovariance"](twist(0.1), np.zeros(36))
    odometry = TYPES["nav_msgs/msg/Odometry"]
    rows = [("/husky_velocity_controller/odom", at, odometry(header(at), "base", pose, speed)) for at in steps(20, 10)]
    stream = recorded(tmp_path / "bag", rows).streams["husky_velocity_controller/odom"]
    assert stream.kind is StreamKind.OTHER
    assert NOT_UNDERSTOOD not in stream.notes  # the type defines what its numbers mean


def test_bare_numbers_are_joints_only_where_a_word_says_so(tmp_path: Path) -> None:
    number = TYPES["std_msgs/msg/Float64"]
    rows = [(topic, at, number(0.1)) for at in steps(9, 10) for topic in ("/joint_velocity", "/vehicle_velocity")]
    streams = recorded(tmp_path / "bag", rows).streams
    assert streams["joint_velocity"].kind is StreamKind.JOINT_VELOCITY
    assert streams["joint_velocity"].get_provenance(StreamFact.MEANING) is Provenance.ASSUMED
    assert streams["vehicle_velocity"].kind is StreamKind.OTHER


@pytest.mark.parametrize("topic", ["/servo/in/state", "/controller/out/positions", "/joint_command"])
def test_joints_on_the_way_into_a_device_are_commanded(topic: str, tmp_path: Path) -> None:
    stream = recorded(tmp_path / "bag", [(topic, at, joints(at, 0.1)) for at in steps(9, 10)]).streams[topic[1:]]
    assert stream.kind is StreamKind.ACTION
    assert stream.get_provenance(StreamFact.RATE) is Provenance.ASSUMED


@pytest.mark.parametrize("undecoded", ["own type", "scan", "zeros"])
def test_a_log_with_a_stream_that_was_not_understood_cannot_pass(undecoded: str, tmp_path: Path) -> None:
    made = {
        "own type": lambda _: TYPES["own_msgs/msg/Dive"](1.0, 2.0),
        "scan": scan,
        "zeros": lambda at: imu(at, 0.0),
    }[undecoded]
    known = [("/joint_states", at, joints(at, 0.01 * i)) for i, at in enumerate(steps(60, 20))]
    plain = recorded(tmp_path / "known", known)
    assert statuses(plain, "integrity.readable") == {"": Status.PASSED}
    recording = recorded(tmp_path / "bag", [*known, *(("/strange", at, made(at)) for at in steps(60, 20))])
    assert NOT_UNDERSTOOD in recording.streams["strange"].notes
    assert statuses(recording, "integrity.readable") == {"": Status.CANNOT_TELL}
    mapping = parse_mapping('schema = "mapping/1"\n[streams.strange]\nkind = "other"\n', "test")
    assert statuses(apply_mapping(mapping, recording), "integrity.readable") == {"": Status.PASSED}


def test_bookkeeping_is_understood(tmp_path: Path) -> None:
    message = TYPES["rosgraph_msgs/msg/Clock"](TYPES["builtin_interfaces/msg/Time"](1, 0))
    rows = [("/clock", at, message) for at in steps(9, 10)]
    assert not [s for s in recorded(tmp_path / "bag", rows).streams.values() if NOT_UNDERSTOOD in s.notes]


def test_commands_and_transforms_promise_no_rate(tmp_path: Path) -> None:
    moments = [at for i, at in enumerate(steps(100, 12)) if not 40 < i < 50]
    rows = [("/cmd_vel", at, twist(0.1)) for at in moments]
    rows += [("/tf", at, transform(at - at % 200_000_000, 0.1)) for at in steps(100, 12)]  # sent again, same stamp
    rows += [("/imu", at, imu(at, 0.1 * i)) for i, at in enumerate(steps(300, 36))]
    recording = recorded(tmp_path / "bag", rows)
    for name in ("timing.longest_gap", "timing.repeated_stamps", "timing.jitter", "timing.stream_offset"):
        assert Status.FAILED not in statuses(recording, name).values(), name
    asked = [at for i, at in enumerate(steps(300, 36)) if not 100 < i < 110]
    lost = recorded(tmp_path / "lost", [("/imu", at, imu(at, 0.1)) for at in asked])
    assert statuses(lost, "timing.longest_gap")["imu"] is Status.FAILED  # a sensor does


def test_efforts_that_are_never_set_are_not_frozen_nor_missing(tmp_path: Path) -> None:
    for name, effort in (("zero", 0.0), ("nan", np.nan)):
        rows = [("/joint_states", at, joints(at, 0.02 * i, effort)) for i, at in enumerate(steps(200, 20))]
        recording = recorded(tmp_path / name, rows)
        assert recording.streams["joint_states/effort"].get_provenance(StreamFact.MEANING) is Provenance.ASSUMED
        assert statuses(recording, "integrity.not_finite")["joint_states/effort"] is not Status.FAILED
        assert statuses(recording, "integrity.frozen").get("joint_states/effort") is not Status.FAILED


def test_simulated_time_that_all_sensors_share_accuses_none_of_them(tmp_path: Path) -> None:
    """Headers at 0.8 of the recorder's pace count another time; a third sensor that drifts by 0.1 % is at fault."""

    def slow(at: int, pace: float) -> int:
        return START + round((at - START) * pace)

    moments = steps(400, 20)
    rows = [("/imu", at, imu(slow(at, 0.8), 0.1)) for at in moments]
    rows += [("/joint_states", at, joints(slow(at, 0.8), 0.01)) for at in moments]
    alike = statuses(recorded(tmp_path / "alike", rows), "timing.clock_drift")
    assert {alike["imu"], alike["joint_states"]} == {Status.CANNOT_TELL}
    rows += [("/wrist_imu", at, imu(slow(at, 0.999), 0.1)) for at in moments]
    apart = statuses(recorded(tmp_path / "apart", rows), "timing.clock_drift")
    assert apart["wrist_imu"] is Status.FAILED
    assert {apart["imu"], apart["joint_states"]} == {Status.CANNOT_TELL}, "a pace of 0.8 is another time, not a drift"


def test_a_clock_that_starts_again_is_named_also_where_no_sensor_is_known(tmp_path: Path) -> None:
    message = TYPES["geometry_msgs/msg/TwistStamped"]
    rows = [
        ("/state", at, message(header(START + (i % 50) * 10**8), twist(0.1))) for i, at in enumerate(steps(200, 10))
    ]
    assert statuses(recorded(tmp_path / "bag", rows), "timing.not_monotonic") == {"state": Status.FAILED}
    rows = [("/imu", at, imu(START + (i % 50) * 10**8, 0.1)) for i, at in enumerate(steps(200, 10))]
    again = recorded(tmp_path / "imu", rows)
    assert statuses(again, "timing.not_monotonic") == {"imu": Status.FAILED}
    assert statuses(again, "timing.jitter") == {"imu": Status.PASSED}  # one cause, one finding


def test_messages_that_arrive_within_one_tick_are_not_copies(tmp_path: Path) -> None:
    number = TYPES["std_msgs/msg/Float64"]
    rows = [("/joint_position", at - at % 2_000_000, number(0.01 * i)) for i, at in enumerate(steps(200, 1000))]
    assert statuses(recorded(tmp_path / "bag", rows), "timing.repeated_stamps") == {
        "joint_position": Status.CANNOT_TELL
    }


def test_log_texts_of_two_nodes_need_no_order(tmp_path: Path) -> None:
    log, stamp = TYPES["rcl_interfaces/msg/Log"], TYPES["builtin_interfaces/msg/Time"]
    rows = []
    for i, at in enumerate(steps(60, 1)):
        stamp_ns = at - (2 * 10**9 if i == 30 else 0)  # one text arrives late
        stamped = stamp(sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
        rows.append(("/rosout", at, log(stamped, 20, "node", "text", "file.cpp", "main", i)))
    recording = recorded(tmp_path / "bag", rows)
    assert (np.diff(recording.streams["rosout"].times_ns) < 0).any()
    assert Status.FAILED not in statuses(recording, "timing.not_monotonic").values()


@pytest.mark.parametrize("ahead_ms", [100, 1000])
def test_a_transform_that_is_dated_ahead_accuses_no_clock(ahead_ms: int, tmp_path: Path) -> None:
    rows: list[tuple[str, int, Any]] = []
    for i, at in enumerate(steps(200, 20)):
        stamped = at + ahead_ms * 1_000_000
        rows += [("/tf", at, transform(stamped, 0.01 * i)), ("/imu", at, imu(at, 0.1 * (i % 7)))]
    recording = recorded(tmp_path / "bag", rows)
    assert recording.streams["tf/wheel"].get_provenance(StreamFact.CLOCK) is Provenance.ASSUMED
    for name in ("timing.stamped_ahead", "timing.clock_drift", "timing.clock_step", "timing.stamped_behind"):
        assert Status.FAILED not in statuses(recording, name).values(), name
    late = [("/imu", at, imu(at + ahead_ms * 1_000_000, 0.1 * (i % 7))) for i, at in enumerate(steps(200, 20))]
    assert statuses(recorded(tmp_path / "late", late), "timing.stamped_ahead")["imu"] is Status.FAILED  # a sensor does


def test_a_recorder_that_counts_simulated_time_in_ticks_accuses_no_clock(tmp_path: Path) -> None:
    ticks = [(i + 10) * 100_000_000 for i in range(100)]
    rows = [("/imu", at, imu(at + 80_000_000, 0.1 * (i % 7))) for i, at in enumerate(ticks)]
    assert Status.FAILED not in statuses(recorded(tmp_path / "bag", rows), "timing.stamped_ahead").values()


def test_a_command_named_after_a_pose_is_no_pose(tmp_path: Path) -> None:
    definition = "string pose_name\nfloat32 speed_scaling\nfloat32 acc_scaling"
    STORE.register(get_types_from_msg(definition, "lab_msgs/msg/PoseCommand"))
    message = STORE.types["lab_msgs/msg/PoseCommand"]
    rows = [("/ur_pose_to_uni", at, message("home", 0.1, 0.1)) for at in steps(20, 10)]
    recording = recorded(tmp_path / "bag", rows)
    assert recording.streams["ur_pose_to_uni"].kind is StreamKind.OTHER
    assert statuses(recording, "integrity.readable") == {"": Status.CANNOT_TELL}


def test_three_bare_numbers_have_no_known_meaning(tmp_path: Path) -> None:
    vector = TYPES["geometry_msgs/msg/Vector3Stamped"]
    place = TYPES["geometry_msgs/msg/Vector3"](0.1, 0.2, 0.3)
    rows = [("/imu/magnetometer", at, vector(header(at), place)) for at in steps(9, 10)]
    stream = recorded(tmp_path / "bag", rows).streams["imu/magnetometer"]
    assert NOT_UNDERSTOOD in stream.notes
