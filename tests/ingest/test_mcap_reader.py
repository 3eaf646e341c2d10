"""MCAP logs: whole, cut, damaged, strange."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

from fieldloop.ingest import open_log
from fieldloop.ingest.messages.ros2 import Ros2Decoder
from fieldloop.ingest.readers.mcap import McapReader
from fieldloop.model.condition import Stratum
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.testing.logs import write_mcap
from fieldloop.testing.synthetic import healthy, with_streams
from fieldloop_robot.messages import CompressedImage, Imu, JointState, PoseStamped, WrenchStamped

SECOND = 1_000_000_000


def read(path):
    (recording,) = open_log(path).recordings
    return recording


def write(path, channels, *, metadata=None, **options):
    """Write messages given as {topic: (encoding, schema (name, encoding, text) or None, [(log, publish, data), …])}."""
    with path.open("wb") as file:
        writer = Writer(file, **{"compression": CompressionType.NONE, **options})
        writer.start()
        if metadata:
            writer.add_metadata("fieldloop.episode", metadata)
        messages = []
        for topic, (encoding, schema, rows) in channels.items():
            number = writer.register_schema(schema[0], schema[1], schema[2].encode()) if schema else 0
            channel = writer.register_channel(topic, encoding, number)
            messages += [(log, channel, publish, data) for log, publish, data in rows]
        for log, channel, publish, data in sorted(messages, key=lambda m: m[:2]):
            writer.add_message(channel, log, data, publish)
        writer.finish()
    return path


def ros(made, stamps):
    rows = [(stamp + 2000, stamp + 1000, message.payload(stamp)) for message, stamp in zip(made, stamps, strict=True)]
    return ("cdr", (made[0].TYPE, "ros2msg", made[0].SCHEMA), rows)


def test_what_was_written_is_read(recording, mcap_log):
    got = read(mcap_log)
    assert got.defects == ()
    assert got.streams.keys() == recording.streams.keys()
    for name, wanted in recording.streams.items():
        stream = got.streams[name]
        assert (stream.kind, stream.unit, stream.columns) == (wanted.kind, wanted.unit, wanted.columns)
        assert stream.clock is ClockKind.HEADER
        for kind, times in wanted.clocks.items():
            np.testing.assert_array_equal(stream.clocks[kind], times)
        if wanted.values is not None:
            np.testing.assert_array_equal(stream.values, wanted.values)


def test_facts_of_the_episode_are_read(recording, mcap_log):
    got, wanted = read(mcap_log).episode, recording.episode
    for name in (
        "name",
        "task",
        "robot",
        "site",
        "operator",
        "session",
        "protocol",
        "stratum",
        "simulated",
        "succeeded",
    ):
        assert getattr(got, name) == getattr(wanted, name)
    assert got.format == "mcap"
    assert got.start_ns == int(min(s.clocks[ClockKind.LOG][0] for s in recording.streams.values()))


def test_further_facts_are_kept_and_wrong_ones_named(tmp_path):
    facts = {"lux": "420", "stratum": "nonsense", "simulated": "perhaps", "name": "x"}
    log = write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, b'{"a": 1}')])}, metadata=facts)
    got = read(log)
    assert got.episode.facts == (("lux", "420"),)
    assert got.episode.stratum == Stratum()
    assert got.episode.simulated is None
    assert {d.place for d in got.defects} == {"stratum", "simulated"}


@pytest.mark.parametrize("size", [(64, 48), (63, 47)])
def test_pictures_come_back_on_demand(tmp_path, size):
    made = healthy()
    camera, depth = made.streams["camera/wrist"], made.streams["depth/overhead"]
    sized = [replace(s, pictures=replace(s.pictures, width=size[0], height=size[1])) for s in (camera, depth)]
    short = with_streams(made, dict.fromkeys(made.streams) | {s.name: s for s in sized})
    got = read(write_mcap(short, tmp_path / "a.mcap"))
    colour, distance = got.streams["camera/wrist"].pictures, got.streams["depth/overhead"].pictures
    assert colour.size == distance.size == size
    assert len(colour) == len(camera)
    frames = list(colour.frames([250, 3, 3]))
    wanted = list(sized[0].pictures.frames([3, 3, 250]))
    assert [f.shape for f in frames] == 3 * [(size[1], size[0], 3)]
    assert max(np.abs(a.astype(int) - b).max() for a, b in zip(frames, wanted, strict=True)) < 40  # JPEG
    (metres,) = distance.frames([9])
    assert metres.dtype == np.float32
    np.testing.assert_allclose(metres, next(sized[1].pictures.frames([9])), atol=6e-4)  # stored in whole millimetres


def test_a_picture_that_does_not_decode_is_an_empty_frame(tmp_path):
    good = read_bytes_of_a_jpeg()
    made = [CompressedImage("jpeg", data) for data in (good, b"\xff\xd8 no jpeg", b"", good)]
    got = read(write(tmp_path / "a.mcap", {"/camera/x": ros(made, range(1, 5))}))
    assert [frame.size > 0 for frame in got.streams["camera/x"].pictures.frames()] == [True, False, False, True]
    assert got.streams["camera/x"].kind is StreamKind.RGB


def read_bytes_of_a_jpeg():
    import cv2

    return cv2.imencode(".jpg", np.full((48, 64, 3), 90, np.uint8))[1].tobytes()


RAW_IMAGE = (
    "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\n"
    "uint8 is_bigendian\nuint32 step\nuint8[] data\n"
    + "=" * 80 + "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
    + "=" * 80 + "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
)  # fmt: skip


def raw_image(encoding, height, width, step, data, *, big_endian=0):
    body = struct.pack("<iiI", 5, 0, 1) + 4 * b"\x00"
    body += struct.pack("<II", height, width)
    body += struct.pack("<I", len(encoding) + 1) + encoding.encode() + b"\x00"
    body += struct.pack("B", big_endian)
    body += (-len(body) % 4) * b"\x00" + struct.pack("<II", step, len(data)) + data
    return b"\x00\x01\x00\x00" + body


@pytest.mark.parametrize(
    ("encoding", "pixels", "wanted"),
    [
        ("rgb8", bytes(range(12)), [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]),
        ("bgr8", bytes(range(12)), [[[2, 1, 0], [5, 4, 3]], [[8, 7, 6], [11, 10, 9]]]),
        ("mono8", bytes([9, 8, 7, 6]), [[[9] * 3, [8] * 3], [[7] * 3, [6] * 3]]),
        ("16UC1", struct.pack("<4H", 1500, 0, 250, 65535), [[1.5, np.nan], [0.25, 65.535]]),
        ("32FC1", struct.pack("<4f", 1.5, float("nan"), 0.25, 2.0), [[1.5, np.nan], [0.25, 2.0]]),
    ],
)
def test_raw_images(tmp_path, encoding, pixels, wanted):
    payload = raw_image(encoding, 2, 2, len(pixels) // 2, pixels)
    schema = ("sensor_msgs/msg/Image", "ros2msg", RAW_IMAGE)
    got = read(write(tmp_path / "a.mcap", {"/front": ("cdr", schema, [(1, 1, payload)])})).streams["front"]
    assert got.kind is (StreamKind.DEPTH if encoding in ("16UC1", "32FC1") else StreamKind.RGB)
    assert got.pictures.size == (2, 2)
    np.testing.assert_allclose(next(got.pictures.frames()), np.asarray(wanted), rtol=1e-6)


# ── identity


@pytest.mark.parametrize(
    "options",
    [
        {"chunk_size": 400},
        {"chunk_size": 1 << 20, "compression": CompressionType.LZ4},
        {"compression": CompressionType.ZSTD, "use_statistics": False},
        {"use_chunking": False},
    ],
)
def test_the_same_messages_in_other_chunks_have_the_same_id(mcap_log, tmp_path, options):
    again = tmp_path / "again.mcap"
    with mcap_log.open("rb") as source, again.open("wb") as file:
        writer, numbers = Writer(file, **options), {}
        writer.start()
        for schema, channel, message in make_reader(source).iter_messages(log_time_order=False):
            if channel.id not in numbers:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                numbers[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, number)
            writer.add_message(numbers[channel.id], message.log_time, message.data, message.publish_time)
        writer.finish()
    assert again.read_bytes() != mcap_log.read_bytes()
    assert read(again).episode.id == read(mcap_log).episode.id
    assert read(again).defects == ()


def test_another_message_is_another_id(tmp_path):
    def log(name, rows):
        return read(write(tmp_path / name, {"/t": ("json", None, rows)})).episode.id

    first = log("a.mcap", [(1, 1, b"[1]"), (2, 2, b"[2]")])
    assert log("b.mcap", [(1, 1, b"[1]"), (2, 2, b"[3]")]) != first
    assert log("c.mcap", [(1, 1, b"[1]"), (3, 2, b"[2]")]) != first
    assert log("d.mcap", [(1, 1, b"[1]")]) != first


# ── damage


def small_log(path, **options):
    stamps = [SECOND + i * 10_000_000 for i in range(40)]
    joints = [JointState(("a", "b"), (0.1 * i, 0.2 * i)) for i in range(40)]
    return write(
        path, {"/joints": ros(joints, stamps)}, **{"chunk_size": 600, "compression": CompressionType.ZSTD, **options}
    )


@pytest.mark.parametrize("options", [{}, {"compression": CompressionType.LZ4}, {"use_chunking": False}])
def test_cut_anywhere_it_gives_a_prefix_and_a_defect(tmp_path, options):
    whole = small_log(tmp_path / "whole.mcap", **options)
    values = read(whole).streams["joints"].values
    data, counts = whole.read_bytes(), []
    for length in [*range(8, len(data), 61), len(data) - 1]:
        cut = tmp_path / "cut.mcap"
        cut.write_bytes(data[:length])
        got = read(cut)
        assert got.defects, f"cut at {length} of {len(data)} and nothing was said"
        assert all(d.place.startswith("byte ") and int(d.place.split()[1]) <= length for d in got.defects)
        rows = got.streams["joints"].values if got.streams else values[:0]
        np.testing.assert_array_equal(rows, values[: len(rows)])
        counts.append(len(rows))
    assert counts == sorted(counts)
    assert counts[-1] == len(values)


def test_a_damaged_chunk_is_left_out_and_the_rest_is_read(tmp_path):
    log = small_log(tmp_path / "a.mcap", compression=CompressionType.NONE)
    data = bytearray(log.read_bytes())
    at = data.find(struct.pack("<d", 0.1 * 20))  # a value in the middle
    data[at] ^= 0xFF
    log.write_bytes(data)
    got = read(log)
    assert any("checksum does not fit" in d.message for d in got.defects)
    times = got.streams["joints"].times_ns
    assert 20 < len(times) < 40
    assert times[0] == SECOND
    assert times[-1] == SECOND + 39 * 10_000_000


def test_a_broken_record_length_is_stepped_over_by_the_index(tmp_path):
    log = small_log(tmp_path / "a.mcap")
    data = bytearray(log.read_bytes())
    at = [
        i
        for i in range(8, len(data))
        if data[i] == 0x06 and data[i + 9 : i + 13] == struct.pack("<Q", SECOND + 2000)[:4]
    ]
    data[at[0] + 1 : at[0] + 9] = struct.pack("<Q", 1 << 60)
    log.write_bytes(data)
    got = read(log)
    assert any("reading went on at the next chunk" in d.message for d in got.defects)
    assert 30 <= len(got.streams["joints"]) < 40
    assert got.streams["joints"].times_ns[-1] == SECOND + 39 * 10_000_000


def test_a_changed_byte_outside_chunks_is_noticed(tmp_path):
    log = small_log(tmp_path / "a.mcap", use_chunking=False, enable_data_crcs=True)
    data = bytearray(log.read_bytes())
    data[data.find(struct.pack("<d", 0.1 * 20))] ^= 1
    log.write_bytes(data)
    assert any("data section's checksum" in d.message for d in read(log).defects)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_crashes_it(tmp_path, data):
    whole = getattr(test_no_damage_crashes_it, "bytes", None)
    if whole is None:
        whole = test_no_damage_crashes_it.bytes = small_log(tmp_path / "whole.mcap").read_bytes()
    spoilt = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(8, len(spoilt) - 1))] = data.draw(st.integers(0, 255))
    log = tmp_path / "spoilt.mcap"
    log.write_bytes(spoilt)
    (got,) = McapReader().read(log)
    assert len(got.streams.get("joints", ())) <= 40


def test_a_message_that_does_not_fit_its_type_is_a_defect_of_that_message(tmp_path):
    encoding, schema, rows = ros([JointState(("a",), (1.0 * i,)) for i in range(5)], range(1, 6))
    rows[2] = (rows[2][0], rows[2][1], rows[2][2][:20])
    got = read(write(tmp_path / "a.mcap", {"/joints": (encoding, schema, rows)}))
    assert got.streams["joints"].values.ravel().tolist() == [0.0, 1.0, 3.0, 4.0]
    (defect,) = got.defects
    assert (defect.subject, defect.place) == ("/joints", "message 2")
    assert "1 of 5 messages" in defect.message


# ── what messages become


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
        decoder = Ros2Decoder(made[0].TYPE, "ros2msg", made[0].SCHEMA)
        fast, slow = decoder(payloads), decoder._one_by_one(payloads)
        assert fast.stamps_ns == slow.stamps_ns == [SECOND * (i + 1) + 7 for i in range(6)]
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


def test_json_messages(tmp_path):
    rows = [
        (
            i,
            i,
            json.dumps(
                {"timestamp": {"sec": i, "nsec": 5}, "pose": {"x": i, "ok": True}, "s": "t", "v": [1, 2]}
            ).encode(),
        )
        for i in range(1, 4)
    ]
    stream = read(write(tmp_path / "a.mcap", {"/tool_pose": ("json", None, rows)})).streams["tool_pose"]
    assert stream.columns == ("pose.x", "pose.ok", "v[0]", "v[1]")
    assert stream.values.tolist() == [[i, 1, 1, 2] for i in (1.0, 2.0, 3.0)]
    assert stream.times_ns.tolist() == [i * SECOND + 5 for i in (1, 2, 3)]
    assert stream.kind is StreamKind.POSE


def test_an_unknown_encoding_gives_stamps_and_a_note(tmp_path):
    got = read(write(tmp_path / "a.mcap", {"/blob": ("protobuf", None, [(5, 4, b"\x08\x01"), (9, 8, b"")])}))
    stream = got.streams["blob"]
    assert stream.values is None
    assert stream.times_ns.tolist() == [4, 8]
    assert "'protobuf' are not decoded" in stream.notes["encoding"]
    assert got.defects == ()


def test_a_schema_that_cannot_be_understood_gives_stamps_and_a_note(tmp_path):
    schema = ("x/msg/Y", "ros2msg", "float64[ x")
    stream = read(write(tmp_path / "a.mcap", {"/y": ("cdr", schema, [(1, 1, b"\x00\x01\x00\x00")])})).streams["y"]
    assert "cannot be understood" in stream.notes["encoding"]


def test_a_schema_that_lacks_a_type_gives_stamps_and_a_defect(tmp_path):
    schema = ("x/msg/Y", "ros2msg", "absent_package/Thing thing")
    got = read(write(tmp_path / "a.mcap", {"/y": ("cdr", schema, [(1, 1, b"\x00\x01\x00\x00")])}))
    assert got.streams["y"].times_ns.tolist() == [1]
    assert "absent_package" in got.defects[0].message


def test_a_log_without_messages_is_whole_but_says_so(tmp_path):
    got = read(write(tmp_path / "a.mcap", {}))
    assert got.streams == {}
    assert [d.message for d in got.defects] == ["The log is whole but holds no message."]


# ── real logs


def test_all_conformance_logs_are_read_whole(shared):
    logs = sorted(shared("mcap-conformance").rglob("*.mcap"))
    assert len(logs) == 312
    for log in logs:
        got = read(log)
        wanted = json.loads(log.with_suffix(".json").read_text())["records"]
        messages = [dict(record["fields"]) for record in wanted if record["type"] == "Message"]
        stamps = sorted(int(message["log_time"]) for message in messages)
        found = sorted(t for s in got.streams.values() for t in s.clocks[ClockKind.LOG].tolist())
        assert found == stamps, log.name
        assert len(got.defects) == (0 if messages else 1), log.name


def test_the_zoo_of_ros_messages(shared):
    (log,) = shared("mcap-ros2").rglob("supported_ros2_messages.mcap")
    got = read(log)
    assert got.defects == ()
    assert got.streams["joint_state"].values.shape == (15, 4)
    assert got.streams["joint_state/effort"].kind is StreamKind.JOINT_EFFORT
    assert got.streams["imu"].columns == ("ax", "ay", "az", "gx", "gy", "gz")
    assert got.streams["image"].pictures.size == got.streams["compressed_image"].pictures.size == (640, 480)
    assert "data" in got.streams["point_cloud2"].notes["left out"]


def test_every_rosbag2_fixture_is_read(shared):
    log = open_log(shared("mcap-ros2") / "rosbag2" / "mcap")
    recordings = list(log.recordings)
    assert len(recordings) == 11
    assert not any(recording.defects for recording in recordings)
    assert log.defects == ()
    assert len({recording.episode.id for recording in recordings}) == 11
