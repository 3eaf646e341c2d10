"""MCAP logs that are whole: what was written is read."""

import hashlib
import json
import re
import struct
from dataclasses import replace

import numpy as np
import pytest
from bench.format_speed.mcap_stamps import stamps
from mcap.reader import make_reader
from mcap.writer import CompressionType, IndexType, Writer
from mcap_ros2.decoder import DecoderFactory
from tests.ingest.mcap_makers import read, ros, write

from fieldloop.ingest.readers.mcap import McapReader
from fieldloop.model.condition import Stratum
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.release.writers import write_mcap
from fieldloop.testing.synthetic import make_healthy_recording, replace_streams
from fieldloop_robot.messages import CompressedImage


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
    assert got.start_ns == int(min(s.clocks[ClockKind.HEADER][0] for s in recording.streams.values()))


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
    made = make_healthy_recording()
    camera, depth = made.streams["camera/wrist"], made.streams["depth/overhead"]
    sized = [replace(s, pictures=replace(s.pictures, width=size[0], height=size[1])) for s in (camera, depth)]
    short = replace_streams(made, dict.fromkeys(made.streams) | {s.name: s for s in sized})
    got = read(write_mcap([short], tmp_path / "a.mcap").path)
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


def test_a_log_without_messages_is_whole_but_says_so(tmp_path):
    got = read(write(tmp_path / "a.mcap", {}))
    assert got.streams == {}
    assert [d.message.code for d in got.defects] == ["ingest.no_messages"]


# ── facts


def test_records_of_others_become_facts_and_fill_what_ours_does_not_say(tmp_path):
    records = [("rig", {"operator_id": "op-7", "robot": "other", "lux": "400"}), ("notes", {"x": "y" * 70_000})]
    log = write(
        tmp_path / "a.mcap",
        {"/t": ("json", None, [(1, 1, b'{"a": 1}')])},
        metadata={"robot": "arm-1", "name": "x"},
        records=records,
    )
    episode = read(log).episode
    assert (episode.operator, episode.robot) == ("op-7", "arm-1")
    assert episode.get_fact("rig.lux") == "400"
    assert episode.get_fact("notes.x").startswith("70000 characters, sha256 ")


@pytest.mark.parametrize(
    ("name", "media_type", "text"),
    [
        ("wrist.json", "application/json", b'{"K": [[600, 0, 320], [0, 601, 240], [0, 0, 1]], "D": [0.1, 0.2]}'),
        (
            "calibration/any.yaml",
            "",
            (
                b"camera_name: wrist\nimage_width: 640\nimage_height: 480\ndistortion_model: plumb_bob\n"
                b"camera_matrix: {rows: 3, cols: 3, data: [600, 0, 320, 0, 601, 240, 0, 0, 1]}\n"
                b"distortion_coefficients: {rows: 1, cols: 2, data: [0.1, 0.2]}\n"
            ),
        ),
        (
            "all.json",
            "text/plain",
            b'{"cameras": {"wrist": {"camera_matrix": [600,0,320,0,601,240,0,0,1], "D": [0.1, 0.2]}}}',
        ),
    ],
)
def test_a_calibration_that_is_attached_is_a_fact(tmp_path, name, media_type, text):
    log = write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, b"[1]")])}, attachments=[(name, media_type, text)])
    episode = read(log).episode
    calibration = json.loads(episode.get_fact("calibration.wrist"))
    assert calibration["camera_matrix"] == [600, 0, 320, 0, 601, 240, 0, 0, 1]
    assert calibration["distortion"] == [0.1, 0.2]
    assert episode.get_fact(f"attachment.{name}").endswith(
        f"{len(text)} bytes, sha256 {hashlib.sha256(text).hexdigest()}"
    )


@pytest.mark.parametrize("text", [b"", b"\x00\xff", b"{", b"[1, 2]", b"a: [", b"K: [1, 2]", b"K: {a: b}", b"K: .nan"])
def test_an_attachment_that_is_no_calibration_is_only_named(tmp_path, text):
    log = write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, b"[1]")])}, attachments=[("a.yaml", "", text)])
    assert [key for key, _ in read(log).episode.facts] == ["attachment.a.yaml"]


# ── stamps alone


def test_stamps_come_from_the_index(mcap_log):
    by_topic = stamps(mcap_log)
    streams = read(mcap_log).streams
    for name, stream in streams.items():
        if f"/{name}" in by_topic:
            np.testing.assert_array_equal(by_topic[f"/{name}"], stream.clocks[ClockKind.LOG])
    assert len(by_topic) > 5


def test_stamps_come_from_the_messages_where_the_index_is_missing(tmp_path):
    rows = [(i, i, b"[1]") for i in (5, 3, 9)]
    for options in (
        {"use_chunking": False},
        {"index_types": IndexType.NONE},
        {"use_statistics": False},
        {"repeat_channels": False},
    ):
        log = write(tmp_path / "a.mcap", {"/t": ("json", None, rows)}, **options)
        assert {topic: times.tolist() for topic, times in stamps(log).items()} == {"/t": [3, 5, 9]}
        assert read(log).streams["t"].times_ns.tolist() == [3, 5, 9]


# ── real logs


def test_the_zoo_of_ros_messages(shared):
    (log,) = shared("mcap-ros2").rglob("supported_ros2_messages.mcap")
    got = read(log)
    assert got.defects == ()
    assert got.streams["joint_state"].values.shape == (15, 4)
    assert got.streams["joint_state/effort"].kind is StreamKind.JOINT_EFFORT
    assert got.streams["imu"].columns == ("ax", "ay", "az", "gx", "gy", "gz")
    assert got.streams["image"].pictures.size == got.streams["compressed_image"].pictures.size == (640, 480)
    assert "data" in got.streams["point_cloud2"].notes["left out"]


def test_every_file_of_a_rosbag2_fixture_is_read(shared):
    logs = sorted((shared("mcap-ros2") / "rosbag2" / "mcap").rglob("*.mcap"))
    recordings = [recording for log in logs for recording in McapReader().read(log)]
    assert len(recordings) == 11
    assert not any(recording.defects for recording in recordings)
    assert len({recording.episode.id for recording in recordings}) == 11


def number_at(message, path):
    """Follow a dotted path with indexes through a message decoded by somebody else."""
    for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        message = getattr(message, name) if name else message[int(index)]
    return float(message)


def test_every_number_is_as_another_reader_decodes_it(shared):
    """`mcap-ros2-support` decodes the zoo message by message; every column under its own name must agree."""
    (log,) = shared("mcap-ros2").rglob("supported_ros2_messages.mcap")
    theirs = {}
    with log.open("rb") as file:
        for found in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages(
            log_time_order=False
        ):
            theirs.setdefault(found.channel.topic.strip("/"), []).append(found.decoded_message)
    compared = 0
    for name, stream in read(log).streams.items():
        messages = theirs.get(name, [])
        if stream.values is None or len(messages) != len(stream):
            continue
        for column, path in enumerate(stream.columns):
            try:
                wanted = [number_at(message, path) for message in messages]
            except AttributeError:
                continue  # a column with a short name of ours
            np.testing.assert_array_equal(stream.values[:, column], wanted, f"{name} {path}")
            compared += len(wanted)
    assert compared > 500
