"""ROS messages of both versions become streams."""

import json
import pickle
import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.mcap_makers import SECOND, read, ros, write

from fieldloop.ingest.messages.picture_peek import PicturePeek
from fieldloop.ingest.messages.ros import RosDecoder
from fieldloop.ingest.messages.spans import Spans
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop_robot.messages import CompressedImage, Imu, JointState, PoseStamped, WrenchStamped


def test_one_by_one_gives_what_all_at_once_gives():
    random = np.random.default_rng(1)
    for make in (
        lambda: JointState(("a", "b"), random.normal(size=2), random.normal(size=2), random.normal(size=2), "base"),
        lambda: JointState(("a", "b"), random.normal(size=2)),
        lambda: WrenchStamped(random.normal(size=6), "wrist"),
        lambda: Imu(random.normal(size=6)),
        lambda: PoseStamped(random.normal(size=7), "a frame with a name"),
    ):
        made = [make() for _ in range(6)]
        payloads = [message.payload(SECOND * (i + 1) + 7) for i, message in enumerate(made)]
        decoder = RosDecoder(made[0].TYPE, "cdr", "ros2msg", made[0].SCHEMA)
        fast, slow = decoder(Spans.from_payloads(payloads)), decoder.decode_one_by_one(Spans.from_payloads(payloads))
        assert fast.stamps_ns.tolist() == slow.stamps_ns.tolist() == [SECOND * (i + 1) + 7 for i in range(6)]
        assert fast.frame_id == slow.frame_id == made[0].frame_id
        assert fast.groups.keys() == slow.groups.keys()
        for key in fast.groups:
            np.testing.assert_array_equal(fast.groups[key].values, slow.groups[key].values)


def test_two_sets_of_joints_on_one_topic_become_two_streams(tmp_path):
    arm, hand = JointState(("a", "b"), (1.0, 2.0)), JointState(("finger",), (3.0,))
    got = read(write(tmp_path / "a.mcap", {"/joint_states": ros([arm, hand, arm], range(1, 4))}))
    assert {name: s.columns for name, s in got.streams.items()} == {
        "joint_states": ("a", "b"), "joint_states/finger": ("finger",),
    }  # fmt: skip
    assert got.streams["joint_states"].times_ns.tolist() == [1, 3]


def test_header_stamps_that_are_all_zero_are_no_clock(tmp_path):
    got = read(write(tmp_path / "a.mcap", {"/joints": ros([JointState(("a",), (1.0,))] * 3, [0, 0, 0])}))
    stream = got.streams["joints"]
    assert stream.clock is ClockKind.PUBLISH
    assert "zero" in stream.notes["header"]


def test_a_schema_that_cannot_be_understood_gives_stamps_and_a_note(tmp_path):
    schema = ("x/msg/Y", "ros2msg", "float64[ x")
    stream = read(write(tmp_path / "a.mcap", {"/y": ("cdr", schema, [(1, 1, b"\x00\x01\x00\x00")])})).streams["y"]
    assert "cannot be understood" in stream.notes["encoding"]


def test_a_schema_that_lacks_a_type_gives_stamps_and_a_defect(tmp_path):
    schema = ("x/msg/Y", "ros2msg", "absent_package/Thing thing")
    got = read(write(tmp_path / "a.mcap", {"/y": ("cdr", schema, [(1, 1, b"\x00\x01\x00\x00")])}))
    assert got.streams["y"].times_ns.tolist() == [1]
    assert "absent_package" in got.defects[0].message["reason"]


# ── any type

HEADER_TEXT = (
    "std_msgs/Header header\n", "=" * 80 + "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
    + "=" * 80 + "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
)  # fmt: skip
INNER = "=" * 80 + "\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
PRIMITIVES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"]
FIELDS = st.lists(
    st.tuples(
        st.sampled_from([*PRIMITIVES, "string", "geometry_msgs/Point", "builtin_interfaces/Time"]),
        st.sampled_from(["", "", "[3]", "[]"]),
    ),
    min_size=1,
    max_size=6,
)


def schema_of(fields, *, header):
    lines = [f"{kind}{many} f{i}" for i, (kind, many) in enumerate(fields)]
    return (HEADER_TEXT[0] if header else "") + "\n".join(lines) + "\n" + HEADER_TEXT[1] + INNER


def random_value(draw, decoder, definition, length):
    kind, detail = int(definition[0]), definition[1]
    if kind == 2:
        make = decoder._store.types[detail]
        inner = {n: random_value(draw, decoder, d, length) for n, d in decoder._store.fielddefs[detail][1]}
        return make(**inner)
    if kind in (3, 4):
        count = detail[1] if kind == 3 else length
        values = [random_value(draw, decoder, detail[0], length) for _ in range(count)]
        numeric = int(detail[0][0]) == 1 and detail[0][1][0] != "string"
        return np.asarray(values, np.dtype(detail[0][1][0].replace("bool", "bool_"))) if numeric else values
    name = detail[0]
    if name == "string":
        return "abc"[:length]
    if name == "bool":
        return draw(st.booleans())
    if name.startswith("float"):
        return draw(st.floats(width=int(name[5:]), allow_nan=False))
    bits, signed = int(name.strip("uint")), not name.startswith("u")
    return draw(st.integers(-(2 ** (bits - 1)) if signed else 0, 2 ** (bits - signed) - 1))


@settings(max_examples=60, deadline=None)
@given(st.data(), FIELDS, st.booleans(), st.sampled_from(["cdr", "ros1"]), st.booleans())
def test_any_type_read_as_a_table_is_as_read_one_by_one(data, fields, header, encoding, little):
    decoder = RosDecoder(
        "x/msg/Y", encoding, f"ros{1 if encoding == 'ros1' else 2}msg", schema_of(fields, header=header)
    )
    length = data.draw(st.integers(0, 3))
    definition = (2, "x/msg/Y")
    messages = [random_value(data.draw, decoder, definition, length) for _ in range(3)]
    store = decoder._store
    payloads = [
        bytes(store.serialize_cdr(m, "x/msg/Y", little_endian=little))
        if encoding == "cdr"
        else bytes(store.serialize_ros1(m, "x/msg/Y"))
        for m in messages
    ]
    spans = Spans.from_payloads(payloads)
    fast, slow = decoder(spans), decoder.decode_one_by_one(spans)
    assert fast.failed == slow.failed == 0
    assert decoder._find_table_layout(spans[0]) is not None, "every such type can be read as a table"
    assert fast.groups.keys() == slow.groups.keys()
    assert fast.stamps_ns.tolist() == slow.stamps_ns.tolist()
    assert (fast.frame_id, fast.left_out) == (slow.frame_id, slow.left_out)
    for group in fast.groups:
        np.testing.assert_array_equal(fast.groups[group].values, slow.groups[group].values)
        assert fast.groups[group].messages.tolist() == slow.groups[group].messages.tolist()


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_broken_messages_fail_alone_and_nothing_else_is_raised(data):
    whole = JointState(("left", "right"), (1.0, 2.0), (3.0, 4.0), (), "base").payload(SECOND)
    broken = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(broken[: data.draw(st.integers(0, len(broken)))])
    decoder = RosDecoder(JointState.TYPE, "cdr", "ros2msg", JointState.SCHEMA)
    got = decoder(Spans.from_payloads([whole, cut, whole, bytes(broken), whole]))
    assert got.failed <= 2
    rows = got.groups["", ("left", "right")]
    assert {0, 2, 4} <= set(rows.messages.tolist())
    assert rows.values[0].tolist() == [1.0, 2.0]


def test_messages_of_several_layouts_are_sorted_out():
    decoder = RosDecoder(JointState.TYPE, "cdr", "ros2msg", JointState.SCHEMA)
    made = [
        JointState(("a", "b") if i % 3 else ("c",), [float(i)] * (2 if i % 3 else 1), (), (), "xy"[i % 2])
        for i in range(60)
    ]
    spans = Spans.from_payloads([message.payload(SECOND + i) for i, message in enumerate(made)])
    fast, slow = decoder(spans), decoder.decode_one_by_one(spans)
    assert fast.stamps_ns.tolist() == slow.stamps_ns.tolist() == [SECOND + i for i in range(60)]
    assert fast.groups.keys() == slow.groups.keys()
    for group in fast.groups:
        assert fast.groups[group].messages.tolist() == slow.groups[group].messages.tolist()
        np.testing.assert_array_equal(fast.groups[group].values, slow.groups[group].values)


def test_constants_are_no_numbers_and_fields_in_capitals_are(tmp_path):
    schema = ("x/msg/Y", "ros1msg", "uint8 FULL=3\nuint8 K\nfloat64 x\n")
    rows = [(i, i, struct.pack("<Bd", i, i / 2)) for i in range(1, 4)]
    stream = read(write(tmp_path / "a.mcap", {"/y": ("ros1", schema, rows)})).streams["y"]
    assert stream.columns == ("K", "x")
    assert stream.values.tolist() == [[1, 0.5], [2, 1.0], [3, 1.5]]


def test_the_second_version_of_cdr_aligns_to_four(tmp_path):
    schema = ("x/msg/Y", "ros2msg", "uint8 a\nfloat64 b\n")
    rows = [(i, i, b"\x00\x07\x00\x00" + struct.pack("<Bxxxd", i, 2.5)) for i in (1, 2)]
    got = read(write(tmp_path / "a.mcap", {"/y": ("cdr", schema, rows)}))
    assert got.streams["y"].values.tolist() == [[1, 2.5], [2, 2.5]]


def test_a_representation_that_is_not_known_is_reported(tmp_path):
    schema = ("x/msg/Y", "ros2msg", "uint8 a\n")
    got = read(write(tmp_path / "a.mcap", {"/y": ("cdr", schema, [(1, 1, b"\x00\x09\x00\x00\x01")])}))
    assert "representation 0009 is not decoded" in got.defects[0].message["reason"]


def test_a_schema_in_idl(tmp_path):
    rule = "=" * 80 + "\nIDL: "
    text = (
        f'{rule}x/msg/Y\n#include "x/msg/Z.idl"\nmodule x {{ module msg {{\nenum Mode {{ SLOW, FAST }};\n'
        "typedef float float__2[2];\nstruct Y { double a; x::msg::Z z; float__2 c; Mode mode; }; }; };\n"
        f"{rule}x/msg/Z\nmodule x {{ module msg {{ struct Z {{ long b; }}; }}; }};\n"
    )
    rows = [(1, 1, b"\x00\x01\x00\x00" + struct.pack("<di2fI", 0.5, -3, 1.0, 2.0, 1))]
    stream = read(write(tmp_path / "a.mcap", {"/y": ("cdr", ("x/msg/Y", "ros2idl", text), rows)})).streams["y"]
    assert stream.columns == ("a", "z.b", "c[0]", "c[1]", "mode")
    assert stream.values.tolist() == [[0.5, -3, 1, 2, 1]]


def test_a_list_of_numbers_of_any_length_is_a_signal(tmp_path):
    text = "std_msgs/MultiArrayLayout layout\nfloat64[] data\n" + "=" * 80 + (
        "\nMSG: std_msgs/MultiArrayLayout\nstd_msgs/MultiArrayDimension[] dim\nuint32 data_offset\n" + "=" * 80
        + "\nMSG: std_msgs/MultiArrayDimension\nstring label\nuint32 size\nuint32 stride\n"
    )  # fmt: skip
    numbers = np.arange(100.0)
    body = struct.pack("<III", 0, 0, len(numbers)) + 4 * b"\x00" + numbers.tobytes()
    rows = [(i, i, b"\x00\x01\x00\x00" + body) for i in (1, 2)]
    schema = ("std_msgs/msg/Float64MultiArray", "ros2msg", text)
    stream = read(write(tmp_path / "a.mcap", {"/policy_action": ("cdr", schema, rows)})).streams["policy_action"]
    assert stream.kind is StreamKind.ACTION
    assert stream.columns[:2] == ("[0]", "[1]")
    np.testing.assert_array_equal(stream.values, [numbers, numbers])


def test_what_holds_no_number_keeps_its_header_clock_and_says_what_was_left_out(tmp_path):
    text = schema_of([("string", ""), ("float64", "[]")], header=True)
    long = np.arange(100.0)
    body = struct.pack("<iiI", 1, 5, 2) + b"a\x00" + 2 * b"\x00" + struct.pack("<I", 2) + b"b\x00" + 2 * b"\x00"
    body += struct.pack("<I", len(long))
    payload = b"\x00\x01\x00\x00" + body + (-len(body) % 8) * b"\x00" + long.tobytes()
    stream = read(write(tmp_path / "a.mcap", {"/y": ("cdr", ("x/msg/Y", "ros2msg", text), [(9, 8, payload)])})).streams[
        "y"
    ]
    assert stream.values is None
    assert (stream.clocks[ClockKind.HEADER].tolist(), stream.frame_id) == ([SECOND + 5], "a")
    assert stream.notes["left out"] == "f1"
    assert stream.notes["values"].startswith("its messages hold no numbers")


# ── frames and calibrations

TRANSFORM = (
    "geometry_msgs/TransformStamped[] transforms\n" + "=" * 80 + "\nMSG: geometry_msgs/TransformStamped\n"
    "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n" + "=" * 80
    + "\nMSG: geometry_msgs/Transform\nVector3 translation\nQuaternion rotation\n" + "=" * 80
    + "\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n" + "=" * 80
    + "\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n" + HEADER_TEXT[1]
)  # fmt: skip


def transforms(entries):
    decoder = RosDecoder("tf2_msgs/msg/TFMessage", "cdr", "ros2msg", TRANSFORM)
    types = {name.rpartition("/")[2]: made for name, made in decoder._store.types.items()}

    def one(parent, child, stamp, x):
        header = types["Header"](types["Time"](*divmod(stamp, SECOND)), parent)
        pose = types["Transform"](types["Vector3"](x, 0.0, 0.0), types["Quaternion"](0.0, 0.0, 0.0, 1.0))
        return types["TransformStamped"](header, child, pose)

    message = types["TFMessage"]([one(*entry) for entry in entries])
    return bytes(decoder._store.serialize_cdr(message, "tf2_msgs/msg/TFMessage"))


def test_each_child_frame_is_a_stream_of_poses(tmp_path):
    rows = [
        (10, 9, transforms([("base", "arm", 5, 1.0), ("arm", "hand", 6, 2.0)])),
        (20, 19, transforms([("base", "arm", 15, 3.0)])),
    ]
    still = [(1, 1, transforms([("base", "camera", 0, 7.0)])), (2, 2, transforms([("camera", "lens", 0, 8.0)]))]
    schema = ("tf2_msgs/msg/TFMessage", "ros2msg", TRANSFORM)
    got = read(write(tmp_path / "a.mcap", {"/tf": ("cdr", schema, rows), "/tf_static": ("cdr", schema, still)}))
    arm, hand = got.streams["tf/arm"], got.streams["tf/hand"]
    assert arm.kind is StreamKind.POSE
    assert (arm.frame_id, hand.frame_id) == ("base", "arm")
    assert arm.columns == ("x", "y", "z", "qx", "qy", "qz", "qw")
    assert arm.values[:, 0].tolist() == [1.0, 3.0]
    assert arm.clocks[ClockKind.HEADER].tolist() == [5, 15]
    assert hand.clocks[ClockKind.LOG].tolist() == [10]
    assert json.loads(got.episode.get_fact("transform.base.camera")) == [7, 0, 0, 0, 0, 0, 1]
    assert json.loads(got.episode.get_fact("transform.camera.lens")) == [8, 0, 0, 0, 0, 0, 1]
    assert got.streams["tf_static"].values is None


def test_frames_read_as_a_table_are_as_read_one_by_one():
    decoder = RosDecoder("tf2_msgs/msg/TFMessage", "cdr", "ros2msg", TRANSFORM)
    every = [("base", "arm", 5, 1.0), ("/arm", "/hand", 6, 2.0)]
    payloads = Spans.from_payloads(
        [transforms(part) for part in (every, every[:1], every, [], [every[0], every[0]], [*every, ("x", "", 7, 3.0)])]
    )
    fast, slow = decoder(payloads), decoder.decode_one_by_one(payloads)
    assert fast.failed == slow.failed == 0
    assert fast.groups.keys() == slow.groups.keys()
    for group in fast.groups:
        one, other = fast.groups[group], slow.groups[group]
        assert one.messages.tolist() == other.messages.tolist()
        assert one.stamps_ns.tolist() == other.stamps_ns.tolist()
        assert one.frame_id == other.frame_id
        np.testing.assert_array_equal(one.values, other.values)


def test_a_type_that_only_bears_a_well_known_name_fails_alone(tmp_path):
    other = TRANSFORM.replace("Time stamp", "Time moment")
    rows = [(1, 1, transforms([("base", "arm", 5, 1.0)])), (2, 2, transforms([]))]
    got = read(write(tmp_path / "a.mcap", {"/tf": ("cdr", ("tf2_msgs/msg/TFMessage", "ros2msg", other), rows)}))
    assert [d.place for d in got.defects] == ["message 0"]
    assert len(got.streams["tf"]) == 2


CAMERA_INFO = (
    "std_msgs/Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\nfloat64[9] k\n"
    "float64[9] r\nfloat64[12] p\n" + HEADER_TEXT[1]
)


def test_camera_info_calibrates_the_cameras_beside_it(tmp_path):
    decoder = RosDecoder("sensor_msgs/msg/CameraInfo", "cdr", "ros2msg", CAMERA_INFO)
    types = {name.rpartition("/")[2]: made for name, made in decoder._store.types.items()}
    matrix = np.asarray([600.0, 0, 320, 0, 601, 240, 0, 0, 1])
    header = types["Header"](types["Time"](1, 0), "wrist_optical")
    info = types["CameraInfo"](header, 480, 640, "plumb_bob", np.asarray([0.1, 0.2]), matrix, matrix, np.zeros(12))
    payload = bytes(decoder._store.serialize_cdr(info, "sensor_msgs/msg/CameraInfo"))
    schema = ("sensor_msgs/msg/CameraInfo", "ros2msg", CAMERA_INFO)
    picture = ros([CompressedImage("jpeg", b"")], [SECOND])
    got = read(
        write(tmp_path / "a.mcap", {"/wrist/camera_info": ("cdr", schema, [(1, 1, payload)]), "/wrist/image": picture})
    )
    calibration = json.loads(got.episode.get_fact("calibration.wrist/image"))
    assert calibration["camera_matrix"] == matrix.tolist()
    assert (calibration["width"], calibration["height"], calibration["model"]) == (640, 480, "plumb_bob")
    assert calibration["distortion"] == [0.1, 0.2]


# ── what the log says of a stream


def test_channel_metadata_overrides_what_names_imply(tmp_path):
    about = {
        "fieldloop.stream": "arm left", "fieldloop.kind": "action", "fieldloop.unit": "mm",
        "fieldloop.columns": '["x", "y"]', "fieldloop.frame_id": "world", "fieldloop.serial": "S-1",
        "fieldloop.dtype": "int32", "fieldloop.nominal_hz": "50.0",
        "fieldloop.clocks": '{"header": "container", "log": "log"}',
    }  # fmt: skip
    made = [JointState(("a", "b"), (1.0, 2.0)), JointState(("a", "b"), (3.0, 4.0))]
    got = read(write(tmp_path / "a.mcap", {"/joints": ros(made, [5, 6])}, about={"/joints": about}))
    stream = got.streams["arm left"]
    assert (stream.kind, stream.unit, stream.columns) == (StreamKind.ACTION, "mm", ("x", "y"))
    assert (stream.frame_id, stream.serial, stream.nominal_hz) == ("world", "S-1", 50.0)
    assert stream.values.dtype == np.int32
    assert {kind: times.tolist() for kind, times in stream.clocks.items()} == {
        ClockKind.CONTAINER: [5, 6], ClockKind.LOG: [2005, 2006],
    }  # fmt: skip


def test_metadata_that_makes_no_sense_is_skipped_and_reported(tmp_path):
    about = {"fieldloop.kind": "nonsense", "fieldloop.columns": "{", "fieldloop.dtype": "O", "fieldloop.clocks": "[1]"}
    got = read(
        write(tmp_path / "a.mcap", {"/joints": ros([JointState(("a",), (1.0,))], [5])}, about={"/joints": about})
    )
    stream = got.streams["joints"]
    assert stream.columns == ("a",)
    assert all(key in stream.notes["metadata"] for key in about)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_picture_head_is_what_the_whole_message_says(data):
    decoder = RosDecoder(CompressedImage.TYPE, "cdr", "ros2msg", CompressedImage.SCHEMA)
    peek = PicturePeek(decoder)
    for _ in range(3):
        message = CompressedImage(data.draw(st.sampled_from(["jpeg", "png"])), data.draw(st.binary(max_size=6)), "lens")
        payload = bytearray(message.payload(data.draw(st.integers(0, 2**31 - 1)) * SECOND + 7))
        if data.draw(st.booleans()):
            payload[data.draw(st.integers(0, len(payload) - 1))] ^= data.draw(st.integers(1, 255))
        try:
            head = peek(bytes(payload))
            whole = decoder.decode_message(bytes(payload))
        except ValueError:
            continue
        assert (head.stamp_ns, head.frame_id) == decoder.find_stamp_and_frame(whole)
        assert head.form == whole.format


def test_pictures_travel_to_another_process(tmp_path):
    got = read(write(tmp_path / "a.mcap", {"/camera": ros([CompressedImage("jpeg", b"no jpeg")] * 2, [1, 2])}))
    again = pickle.loads(pickle.dumps(got.streams["camera"].pictures))
    assert [frame.size for frame in again.frames()] == [0, 0]
    assert list(again.encoded([1])) == [("jpeg", b"no jpeg")]
