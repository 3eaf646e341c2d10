"""Protobuf messages, by descriptors built here; pictures and video among them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, duration_pb2, message_factory, timestamp_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.mcap_makers import SECOND, read, write

from fieldloop.ingest.messages.protobuf import ProtobufDecoder
from fieldloop.ingest.messages.spans import Spans
from fieldloop.model.stream import ClockKind, StreamKind

F = descriptor_pb2.FieldDescriptorProto
TIMESTAMP = ".google.protobuf.Timestamp"


def described(name, messages, *, backwards=False):
    """Describe types given as {type: [(field, kind or type name, is repeated), …]} and return class and descriptors."""
    file = descriptor_pb2.FileDescriptorProto(name="made.proto", package=name.rpartition(".")[0], syntax="proto3")
    file.dependency.extend(["google/protobuf/timestamp.proto", "google/protobuf/duration.proto"])
    for title, fields in messages.items():
        message = file.message_type.add(name=title)
        for number, (field, kind, *many) in enumerate(fields, 1):
            made = message.field.add(name=field, number=number, label=F.LABEL_REPEATED if many else F.LABEL_OPTIONAL)
            if isinstance(kind, str):
                made.type, made.type_name = F.TYPE_ENUM if kind.endswith("Mode") else F.TYPE_MESSAGE, kind
            else:
                made.type = kind
    mode = file.enum_type.add(name="Mode")
    mode.value.add(name="SLOW", number=0)
    mode.value.add(name="FAST", number=7)
    known = [descriptor_pb2.FileDescriptorProto() for _ in range(2)]
    timestamp_pb2.DESCRIPTOR.CopyToProto(known[0])
    duration_pb2.DESCRIPTOR.CopyToProto(known[1])
    pool = descriptor_pool.DescriptorPool()
    for each in (*known, file):
        pool.AddSerializedFile(each.SerializeToString())
    files = [file, *known] if backwards else [*known, file]
    descriptors = descriptor_pb2.FileDescriptorSet(file=files).SerializeToString()
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name)), descriptors


POINT = [("x", F.TYPE_DOUBLE), ("y", F.TYPE_FLOAT)]
STATE = [
    ("timestamp", TIMESTAMP), ("frame_id", F.TYPE_STRING), ("at", ".made.Point"), ("mode", ".made.Mode"),
    ("ok", F.TYPE_BOOL), ("count", F.TYPE_SINT64), ("joints", F.TYPE_DOUBLE, True), ("ways", ".made.Point", True),
    ("took", ".google.protobuf.Duration"), ("blob", F.TYPE_BYTES), ("words", F.TYPE_STRING, True),
]  # fmt: skip


@pytest.mark.parametrize("backwards", [False, True])
def test_every_number_has_its_dotted_name(tmp_path, backwards):
    State, descriptors = described("made.State", {"Point": POINT, "State": STATE}, backwards=backwards)  # noqa: N806
    rows = []
    for i in (1, 2):
        message = State(frame_id="base", mode=7, ok=True, count=-i, joints=[0.5, i], blob=b"x", words=["w"])
        message.timestamp.seconds, message.timestamp.nanos = i, 5
        message.took.seconds, message.took.nanos = 1, 500_000_000
        message.ways.add(x=i, y=2)
        if i == 2:
            message.at.x = 9.0
        rows.append((i, i, message.SerializeToString()))
    rows.append((3, 3, b"\x08\xff"))
    got = read(write(tmp_path / "a.mcap", {"/s": ("protobuf", ("made.State", "protobuf", descriptors), rows)}))
    stream = got.streams["s"]
    assert stream.columns == (
        "at.x", "at.y", "mode", "ok", "count", "joints[0]", "joints[1]", "ways[0].x", "ways[0].y", "took",
    )  # fmt: skip
    assert stream.values[1].tolist() == [9, 0, 7, 1, -2, 0.5, 2, 2, 2, 1.5]
    assert [math.isnan(v) for v in stream.values[0]] == [True, True] + [False] * 8
    assert stream.clocks[ClockKind.HEADER].tolist() == [SECOND + 5, 2 * SECOND + 5]
    assert (stream.frame_id, stream.notes["left out"]) == ("base", "blob, words")
    (defect,) = got.defects
    assert (defect.subject, defect.place) == ("/s", "message 2")


def test_a_stamp_may_stand_in_the_header(tmp_path):
    made, descriptors = described(
        "made.Tick",
        {
            "Header": [("stamp", TIMESTAMP), ("frame_id", F.TYPE_STRING)],
            "Tick": [("header", ".made.Header"), ("v", F.TYPE_INT32)],
        },
    )
    message = made(v=4)
    message.header.stamp.seconds, message.header.frame_id = 8, "lens"
    rows = [(1, 1, message.SerializeToString())]
    stream = read(
        write(tmp_path / "a.mcap", {"/t": ("protobuf", ("made.Tick", "protobuf", descriptors), rows)})
    ).streams["t"]
    assert (stream.columns, stream.frame_id, stream.times_ns.tolist()) == (("v",), "lens", [8 * SECOND])


@pytest.mark.parametrize("descriptors", [b"", b"\xff\xff", b"no descriptors at all"])
def test_descriptors_that_cannot_be_understood_give_stamps_and_a_note(tmp_path, descriptors):
    schema = ("made.State", "protobuf", descriptors)
    stream = read(write(tmp_path / "a.mcap", {"/s": ("protobuf", schema, [(1, 1, b"")])})).streams["s"]
    assert stream.values is None
    assert "cannot be understood" in stream.notes["encoding"]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_fail_alone(payload):
    decoder = ProtobufDecoder("made.State", described("made.State", {"Point": POINT, "State": STATE})[1])
    got = decoder(Spans.from_payloads([payload, b""]))
    assert got.failed <= 1
    assert any(1 in rows.messages for rows in got.groups.values())


IMAGE = [("timestamp", TIMESTAMP), ("frame_id", F.TYPE_STRING), ("data", F.TYPE_BYTES), ("format", F.TYPE_STRING)]


def test_a_picture(tmp_path):
    import cv2

    png = cv2.imencode(".png", np.full((4, 6, 3), 90, np.uint8))[1].tobytes()
    made, descriptors = described("foxglove.CompressedImage", {"CompressedImage": IMAGE})
    message = made(frame_id="lens", data=png, format="png")
    message.timestamp.seconds = 3
    schema = ("foxglove.CompressedImage", "protobuf", descriptors)
    stream = read(
        write(tmp_path / "a.mcap", {"/c": ("protobuf", schema, [(1, 1, message.SerializeToString())])})
    ).streams["c"]
    assert (stream.kind, stream.frame_id, stream.times_ns.tolist()) == (StreamKind.RGB, "lens", [3 * SECOND])
    assert (next(stream.pictures.frames()) == 90).all()


def h264(count, gap):
    """Frames that grow brighter, a key frame every `gap`, as packets with start codes."""
    import av

    context = av.CodecContext.create("libx264", "w")
    context.width, context.height, context.pix_fmt, context.framerate = 64, 48, "yuv420p", 30
    context.time_base = Fraction(1, 30)
    context.gop_size = gap
    context.options = {"preset": "ultrafast", "tune": "zerolatency", "x264-params": "scenecut=0:repeat-headers=1"}
    packets = []
    for i in range(count):
        frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 20 + 5 * i, np.uint8), format="rgb24")
        frame.pts = i
        packets += [bytes(packet) for packet in context.encode(frame)]
    return packets + [bytes(packet) for packet in context.encode(None)]


def test_video_is_decoded_from_the_key_frame_before(tmp_path):
    packets = h264(30, 10)
    assert len(packets) == 30
    made, descriptors = described("foxglove.CompressedVideo", {"CompressedVideo": IMAGE})
    rows = []
    for i, packet in enumerate(packets, 1):
        message = made(data=packet, format="h264")
        message.timestamp.seconds = i
        rows.append((i, i, message.SerializeToString()))
    schema = ("foxglove.CompressedVideo", "protobuf", descriptors)
    stream = read(write(tmp_path / "a.mcap", {"/v": ("protobuf", schema, rows)})).streams["v"]
    assert (stream.kind, len(stream), stream.pictures.size) == (StreamKind.RGB, 30, (64, 48))
    assert stream.pictures._keys.tolist() == [0, 10, 20]
    for wanted in (list(range(30)), [0], [29], [25, 3, 3, 14], []):
        levels = [float(frame.mean()) for frame in stream.pictures.frames(wanted)]
        np.testing.assert_allclose(levels, [20 + 5 * i for i in sorted(wanted)], atol=3)


def test_a_video_packet_that_is_broken_is_an_empty_frame(tmp_path):
    packets = h264(12, 4)
    packets[5] = b"\x00\x00\x01\x09 nothing"
    made, descriptors = described("foxglove.CompressedVideo", {"CompressedVideo": IMAGE})
    rows = [(i, i, made(data=p, format="h264").SerializeToString()) for i, p in enumerate(packets, 1)]
    schema = ("foxglove.CompressedVideo", "protobuf", descriptors)
    stream = read(write(tmp_path / "a.mcap", {"/v": ("protobuf", schema, rows)})).streams["v"]
    frames = list(stream.pictures.frames())
    assert len(frames) == 12
    assert frames[5].size == 0
    assert all(frames[i].size for i in (0, 4, 8, 11))
