"""Messages nobody expects: one of them never costs the log, and what is not kept of it is said."""

import json

import numpy as np
import pytest
from google.protobuf import descriptor_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.mcap_makers import SECOND, read, ros, write
from tests.ingest.test_messages_protobuf import POINT, TIMESTAMP, F, described

from fieldloop.ingest.messages.calibration import parse_json_or_yaml
from fieldloop.ingest.messages.json_messages import JsonDecoder
from fieldloop.ingest.messages.plain_yaml import parse_yaml
from fieldloop.ingest.messages.protobuf import ProtobufDecoder
from fieldloop.ingest.messages.spans import Spans
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.testing.facts import write_note_facts
from fieldloop_robot.messages import Imu, JointState

GOOD = ("json", None, [(5, 5, b'{"a": 1}')])
IMAGE_SCHEMA = """std_msgs/Header header
uint32 height
uint32 width
string encoding
uint8 is_bigendian
uint32 step
uint8[] data
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
"""


def with_maps(fields):
    """Descriptors and class of a type whose fields are maps: {name: (key kind, value kind or type)}."""
    _, descriptors = described("made.State", {"Point": POINT, "State": [("n", F.TYPE_INT32)]})
    files = descriptor_pb2.FileDescriptorSet.FromString(descriptors)
    state = next(m for m in files.file[-1].message_type if m.name == "State")
    for number, (name, (key, value)) in enumerate(fields.items(), 2):
        entry = state.nested_type.add(name=f"{name.title()}Entry")
        entry.options.map_entry = True
        for index, (part, kind) in enumerate((("key", key), ("value", value)), 1):
            made = entry.field.add(name=part, number=index, label=F.LABEL_OPTIONAL)
            if isinstance(kind, str):
                made.type, made.type_name = F.TYPE_MESSAGE, kind
            else:
                made.type = kind
        state.field.add(
            name=name, number=number, label=F.LABEL_REPEATED, type=F.TYPE_MESSAGE,
            type_name=f".made.State.{name.title()}Entry",
        )  # fmt: skip
    return files.SerializeToString()


def test_a_protobuf_map_is_read_by_its_keys(tmp_path):
    maps = {"gains": (F.TYPE_INT32, F.TYPE_DOUBLE), "ways": (F.TYPE_STRING, ".made.Point"), "tags": (9, 9)}
    descriptors = with_maps(maps)
    message = ProtobufDecoder("made.State", descriptors)._class(n=1, gains={7: 0.5, 3: 2.0}, tags={"a": "b"})
    message.ways["home"].x = 4.0
    rows = [(9, 8, message.SerializeToString())]
    got = read(
        write(
            tmp_path / "a.mcap",
            {"/t": ("protobuf", ("made.State", "protobuf", descriptors), rows), "/good": GOOD},
        )
    )
    stream = got.streams["t"]
    assert stream.columns == ("n", "gains[3]", "gains[7]", "ways[home].x", "ways[home].y")
    assert stream.values.tolist() == [[1, 2, 0.5, 4, 0]]
    assert stream.notes["left out"] == "tags"
    assert got.streams["good"].values.tolist() == [[1]]


def test_a_stamp_beyond_all_numbers_is_no_stamp(tmp_path):
    odd = {"timestamp": {"sec": 1, "nsec": 10**30}, "format": "png", "data": ""}
    Picture, descriptors = described(  # noqa: N806
        "foxglove.CompressedImage", {"CompressedImage": [("timestamp", TIMESTAMP), ("data", 12), ("format", 9)]}
    )
    far = Picture(data=b"x", format="png")
    far.timestamp.seconds = 2**62
    got = read(
        write(
            tmp_path / "a.mcap",
            {
                "/json": (
                    "json",
                    ("foxglove.CompressedImage", "jsonschema", "{}"),
                    [(1, 1, json.dumps(odd).encode())],
                ),
                "/protobuf": (
                    "protobuf",
                    ("foxglove.CompressedImage", "protobuf", descriptors),
                    [(1, 1, far.SerializeToString())],
                ),
                "/good": GOOD,
            },
        )
    )
    assert set(got.streams) == {"json", "protobuf", "good"}
    assert all(ClockKind.HEADER not in stream.clocks for stream in got.streams.values())


TYPES = (
    "sensor_msgs/msg/JointState",
    "sensor_msgs/msg/Imu",
    "tf2_msgs/msg/TFMessage",
    "std_msgs/msg/Float64MultiArray",
)
NAMES = st.sampled_from(("name", "position", "data", "header", "stamp", "sec", "nsec", "transforms", "x", "frame_id"))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
ANYTHING = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4))


@settings(deadline=None)
@given(st.lists(ANYTHING, min_size=1, max_size=4), st.sampled_from(TYPES))
def test_no_message_in_json_breaks_those_around_it(made, type_):
    good = {"position": [1.0, 2.0], "name": ["a", "b"]}
    payloads = [json.dumps(message).encode() for message in (good, *made, good)]
    decoded = JsonDecoder(type_)(Spans.from_payloads(payloads))
    assert len(decoded.stamps_ns) == len(payloads)
    assert {0, len(payloads) - 1} <= {m for rows in decoded.groups.values() for m in rows.messages.tolist()} or (
        type_ == TYPES[3]
    )


def test_transforms_in_json_are_numbers_by_their_names(tmp_path):
    body = {"transforms": [{"child_frame_id": "tool", "transform": {"translation": {"x": 1.0}}}]}
    schema = ("tf2_msgs/msg/TFMessage", "jsonschema", "{}")
    got = read(write(tmp_path / "a.mcap", {"/tf": ("json", schema, [(1, 1, json.dumps(body).encode())])}))
    assert got.streams["tf"].columns == ("transforms[0].transform.translation.x",)


@pytest.mark.parametrize("leaves", [[("x", F.TYPE_DOUBLE)], []])
def test_types_within_types_do_not_multiply(leaves):
    """Four of each in the next, eight deep, are 65,536 parts; of a type that holds itself there is no end."""
    own = [(f"f{i}", ".made.Own") for i in range(4)]
    Own, descriptors = described("made.Own", {"Own": [("x", F.TYPE_DOUBLE), *own]})  # noqa: N806
    message = Own(x=1.0)
    message.f0.x = 2.0
    decoded = ProtobufDecoder("made.Own", descriptors)(Spans.from_payloads([message.SerializeToString()]))
    assert {group: rows.values.tolist() for group, rows in decoded.groups.items()} == {("", ("x",)): [[1.0]]}
    assert decoded.left_out == {"f0"}
    levels = {f"L{i}": [(f"f{k}", f".made.L{i + 1}") for k in range(4)] for i in range(8)} | {"L8": leaves}
    Deep, descriptors = described("made.L0", levels)  # noqa: N806
    decoded = ProtobufDecoder("made.L0", descriptors)(Spans.from_payloads([Deep().SerializeToString()]))
    assert decoded.failed == 1
    assert "too many for a signal" in decoded.first_failure[1]


def image(encoding, pixels):
    body = np.asarray([1, 2], "<i4").tobytes()
    for text, behind in (("lens", np.asarray(pixels.shape, "<u4").tobytes()), (encoding, b"\x00")):
        data = text.encode() + b"\x00"
        body += np.uint32(len(data)).tobytes() + data
        body += (b"" if len(behind) == 1 else b"\x00" * (-len(body) % 4)) + behind
    body += b"\x00" * (-len(body) % 4) + np.asarray([pixels.shape[1] * 2, pixels.nbytes], "<u4").tobytes()
    return b"\x00\x01\x00\x00" + body + pixels.tobytes()


def test_grey_of_16_bits_is_depth_only_where_the_topic_says_so(tmp_path):
    pixels = np.asarray([[0, 65535], [1000, 257]], np.uint16)
    schema = ("sensor_msgs/msg/Image", "ros2msg", IMAGE_SCHEMA)
    topics = {"/thermal/image": "mono16", "/depth/image": "mono16", "/range/image": "16UC1"}
    channels = {topic: ("cdr", schema, [(9, 8, image(form, pixels))]) for topic, form in topics.items()}
    streams = read(write(tmp_path / "a.mcap", channels)).streams
    thermal = streams["thermal/image"]
    assert (thermal.kind, thermal.unit) == (StreamKind.RGB, "8-bit")
    assert thermal.notes["pixels"] == "16-bit grey is reduced to 8 bits"
    (frame,) = thermal.pictures.frames()
    assert (frame.dtype, frame[..., 0].tolist()) == (np.uint8, [[0, 255], [3, 1]])
    for name in ("depth/image", "range/image"):
        assert (streams[name].kind, streams[name].unit) == (StreamKind.DEPTH, "m")
        (frame,) = streams[name].pictures.frames()
        assert frame[1, 0] == np.float32(1.0)


def test_a_compressed_picture_of_16_bits_too(tmp_path):
    import cv2

    from fieldloop_robot.messages import CompressedImage

    png = cv2.imencode(".png", np.full((2, 2), 1000, np.uint16))[1].tobytes()
    made = {"/thermal": CompressedImage("mono16; png", png), "/depth": CompressedImage("png", png)}
    streams = read(write(tmp_path / "a.mcap", {t: ros([m], [SECOND]) for t, m in made.items()})).streams
    assert (streams["thermal"].kind, streams["depth"].kind) == (StreamKind.RGB, StreamKind.DEPTH)
    (frame,) = streams["thermal"].pictures.frames()
    assert (frame.shape, frame.dtype) == ((2, 2, 3), np.uint8)


def test_a_unit_that_is_assumed_is_reported_as_such(tmp_path):
    joints = ros([JointState(("lift",), (0.4,), (0.1,))], [SECOND])
    about = {"/told": {"fieldloop.unit": "m"}}
    streams = read(write(tmp_path / "a.mcap", {"/joints": joints, "/told": joints}, about=about)).streams
    assert streams["joints"].notes["unit"].startswith("rad is assumed")
    assert streams["joints/velocity"].notes["unit"].startswith("rad/s is assumed")
    assert (streams["told"].unit, "unit" in streams["told"].notes) == ("m", False)


def test_parts_of_a_message_that_no_stream_has_are_named(tmp_path):
    log = write(tmp_path / "a.mcap", {"/imu": ros([Imu((1, 2, 3, 4, 5, 6))], [SECOND])})
    left_out = read(log).streams["imu"].notes["left out"].split(", ")
    assert {"orientation", "orientation_covariance", "angular_velocity_covariance"} <= set(left_out)


def test_too_many_sets_of_columns_are_a_defect(tmp_path):
    rows = [(i, i, json.dumps({f"k{i}": 1}).encode()) for i in range(1, 20)]
    got = read(write(tmp_path / "a.mcap", {"/t": ("json", None, rows)}))
    assert got.streams["t"].values is None
    (defect,) = got.defects
    assert (defect.subject, write_note_facts(defect.message)) == ("/t", "ingest.too_many_column_sets sets=16")


def test_one_message_without_a_stamp_is_reported(tmp_path):
    rows = [(i, i, json.dumps({"a": i, "stamp": {"sec": i, "nsec": 0}}).encode()) for i in range(1, 4)]
    got = read(write(tmp_path / "a.mcap", {"/t": ("json", None, [*rows, (9, 9, b'{"a": 9}')])}))
    assert ClockKind.HEADER not in got.streams["t"].clocks
    assert got.streams["t"].notes["header"].startswith("1 of 4 messages have no header timestamp")


def test_names_that_are_no_utf8_are_written_as_escapes(tmp_path):
    body = b'{"k\\udce9": 1, "frame_id": "f\\udce9"}'
    stream = read(write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, body)])})).streams["t"]
    assert (stream.columns, stream.frame_id) == (("k\\udce9",), "f\\udce9")


BOMB = "a: &a {x: 1}\nb: &b {<<: [*a, *a]}\nc: &c {<<: [*b, *b]}\n"


def test_yaml_that_refers_to_itself_is_refused(tmp_path):
    with pytest.raises(ValueError, match="line 2 refers to another part"):
        parse_yaml(BOMB)
    with pytest.raises(ValueError, match="refers"):
        parse_yaml("<<: {a: 1}\nb: 2")
    assert parse_json_or_yaml(BOMB.encode()) is None
    levels = [f"k{i}: &k{i} [{', '.join([f'*k{i - 1}'] * 9)}]" for i in range(1, 12)]
    bomb = "\n".join(["k0: &k0 [1, 2]", *levels]).encode()
    log = write(tmp_path / "a.mcap", {"/t": GOOD}, attachments=[("rig.yaml", "text/yaml", bomb)])
    assert read(log).episode.get_fact("attachment.rig.yaml").startswith("text/yaml, ")
