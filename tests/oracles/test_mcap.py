"""Our MCAP logs, opened by the format's own packages in a venv of their own: message by message, pixel by pixel."""

import base64
import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from tests.oracles import venvs

from fieldloop.ingest import open_log
from fieldloop.loop.floor.floor import alternate_operators, write_demonstrations
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.release.writers import write_mcap
from fieldloop.simulate.arm.floor import Floor
from fieldloop.testing.barcode import Mark, MarkedPictures, read_barcode
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case, make_healthy_recording, replace_streams

cv2 = pytest.importorskip("cv2")
pytestmark = pytest.mark.oracle

READER = """
import base64, json, sys
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

def plain(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, (list, tuple)) or type(value).__name__ == "array":
        return [plain(v) for v in value]
    if hasattr(value, "__slots__"):
        return {name.lstrip("_"): plain(getattr(value, name)) for name in value.__slots__}
    return value

found = {}
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
    facts = {m.name: dict(m.metadata) for m in reader.iter_metadata()}
    for schema, channel, message, decoded in reader.iter_decoded_messages(log_time_order=False):
        row = {"type": schema.name, "said": dict(channel.metadata), "publish": [], "log": [], "messages": []}
        row = found.setdefault(channel.topic, row)
        row["publish"].append(message.publish_time)
        row["log"].append(message.log_time)
        row["messages"].append(plain(decoded))
json.dump({"facts": facts, "topics": found}, sys.stdout)
"""


def as_they_read(log):
    told = subprocess.run([venvs.mcap(), "-c", READER, str(log)], check=True, capture_output=True, text=True)
    return json.loads(told.stdout)


def header_ns(message):
    stamp = message["header"]["stamp"]
    return stamp["sec"] * 10**9 + stamp["nanosec"]


def numbers(found, part):
    """Return what their decoder says a topic's numbers are, in the order of our columns."""
    xyz, xyzw = ("x", "y", "z"), ("x", "y", "z", "w")
    rows = {
        "sensor_msgs/msg/JointState": lambda m: m[part],
        "geometry_msgs/msg/WrenchStamped": lambda m: [m["wrench"][p][a] for p in ("force", "torque") for a in xyz],
        "sensor_msgs/msg/Imu": lambda m: [m[p][a] for p in ("linear_acceleration", "angular_velocity") for a in xyz],
        "geometry_msgs/msg/PoseStamped": lambda m: (
            [m["pose"]["position"][a] for a in xyz] + [m["pose"]["orientation"][a] for a in xyzw]
        ),
    }[found["type"]]
    return np.asarray([rows(message) for message in found["messages"]])


def pixels(message):
    data = np.frombuffer(base64.b64decode(message["data"]), np.uint8)
    seen = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
    if message["format"].startswith("16UC1"):
        return np.where(seen > 0, seen.astype(np.float32) / np.float32(1000), np.float32(np.nan))
    return seen if seen.ndim == 2 else seen[:, :, ::-1]


def same_stream(stream, found, part="position"):
    clocks = stream.clocks
    assert np.array_equal(clocks[ClockKind.HEADER], [header_ns(m) for m in found["messages"]]), stream.name
    assert np.array_equal(clocks[ClockKind.PUBLISH], found["publish"]), stream.name
    assert np.array_equal(clocks[ClockKind.LOG], found["log"]), stream.name
    if stream.values is not None:
        assert np.array_equal(stream.values, numbers(found, part)), stream.name
    else:
        for frame, message in zip(stream.pictures.frames(), found["messages"], strict=True):
            assert np.array_equal(frame, pixels(message), equal_nan=frame.dtype.kind == "f"), stream.name


def same_recording(recording, theirs):
    """Every stream is a topic, or a part of one, with equal stamps, numbers and frames; and no topic is left over."""
    topics = dict(theirs["topics"])
    for name, stream in recording.streams.items():
        base, _, part = name.rpartition("/")
        inside = f"/{name}" not in topics
        same_stream(stream, topics[f"/{base}" if inside else f"/{name}"], part if inside else "position")
    assert {f"/{name}" for name in recording.streams} >= topics.keys()


def test_every_message_stamp_value_and_frame_of_what_was_written(tmp_path):
    short = keep_span(make_healthy_case(recording=make_healthy_recording()), lambda at_s: at_s < 1.0).recording
    marked = {}
    for number, name in enumerate(("camera/overhead", "camera/wrist", "depth/overhead")):
        pictures = MarkedPictures(number, 7, len(short.streams[name]), depth=name.startswith("depth"))
        marked[name] = replace(short.streams[name], pictures=pictures)
    recording = replace_streams(short, marked)
    done = write_mcap([recording], tmp_path / "pick.mcap", pictures="png")
    assert done.left_out == ()
    theirs = as_they_read(done.path)
    same_recording(recording, theirs)
    for number, name in enumerate(marked):
        marks = [read_barcode(pixels(message)) for message in theirs["topics"][f"/{name}"]["messages"]]
        assert marks == [Mark(number, 7, frame) for frame in range(len(short.streams[name]))]
    assert sum(len(found["messages"]) for found in theirs["topics"].values()) == done.frames


def test_what_the_floor_s_stations_record(tmp_path):
    floor = Floor(5)
    stratum = floor.make_production_mix()[0].stratum
    (log,) = write_demonstrations(
        alternate_operators(floor, [stratum], tmp_path, floor.list_operators(), start_ns=1_760_000_000 * 10**9)
    )
    theirs = as_they_read(log)
    (ours,) = open_log(log).recordings
    assert theirs["facts"]["fieldloop.episode"]["stratum"] == str(stratum) == str(ours.episode.stratum)
    same_recording(ours, theirs)
    said = theirs["topics"]["/force"]["said"]
    assert (said["fieldloop.kind"], said["fieldloop.unit"]) == (StreamKind.FORCE_TORQUE, "N, N·m")
    assert said["fieldloop.serial"].startswith("force-")
    assert len(theirs["topics"]) >= 9
