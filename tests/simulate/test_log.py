"""The logs that the floor writes are real: another decoder reads the same numbers from them."""

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from fieldloop.errors import StoreError
from fieldloop.loop.floor.floor import AS_CAMERAS_SEND
from fieldloop.model.stream import ClockKind
from fieldloop.release.writers.mcap import write_log
from fieldloop.simulate.arm.recording import add_true_phases

cv2 = pytest.importorskip("cv2")


@pytest.fixture(scope="module")
def log(demonstration, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "episode.mcap"
    written = write_log(add_true_phases(demonstration), path, AS_CAMERAS_SEND)
    assert [(loss.code, loss.subject.stream) for loss in written.left_out] == [
        ("release.pixels_recompressed", "camera/overhead"),
        ("release.pixels_recompressed", "camera/wrist"),
        ("release.depth_rounded_to_mm", "depth/overhead"),
    ]
    return path


@pytest.fixture(scope="module")
def read(log):
    """Topic → list of (message, publish, log)."""
    found = {}
    with log.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, raw, message in reader.iter_decoded_messages():
            found.setdefault(channel.topic, []).append((message, raw.publish_time, raw.log_time))
    return found


def stamps(rows):
    return np.array([m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m, _, _ in rows])


def test_every_stream_is_a_topic_with_its_three_clocks(demonstration, read):
    streams = demonstration.recording.streams
    assert set(read) == {f"/{name}" for name in streams if name not in ("joints/velocity", "gripper/effort")}
    for topic, rows in read.items():
        stream = streams[topic[1:]]
        assert np.array_equal(stamps(rows), stream.times_ns)
        assert np.array_equal([row[1] for row in rows], stream.clocks[ClockKind.PUBLISH])
        assert np.array_equal([row[2] for row in rows], stream.clocks[ClockKind.LOG])


def test_numbers_survive_exactly(demonstration, read):
    streams = demonstration.recording.streams
    assert np.array_equal([m.position for m, _, _ in read["/joints"]], streams["joints"].values)
    assert np.array_equal([m.velocity for m, _, _ in read["/joints"]], streams["joints/velocity"].values)
    assert np.array_equal([m.effort for m, _, _ in read["/gripper"]], streams["gripper/effort"].values)
    assert list(read["/action"][0][0].name)[-1] == "gripper"
    force = [(m.wrench.force.x, m.wrench.force.y, m.wrench.force.z) for m, _, _ in read["/force"]]
    assert np.array_equal(force, streams["force"].values[:, :3])
    pose = [(m.pose.position.x, m.pose.orientation.w) for m, _, _ in read["/tool"]]
    assert np.array_equal(pose, streams["tool"].values[:, [0, 6]])


def test_pictures_decode_to_what_was_rendered(demonstration, read):
    message = read["/camera/overhead"][0][0]
    assert message.format == "jpeg"
    picture = cv2.imdecode(np.frombuffer(bytes(message.data), np.uint8), cv2.IMREAD_COLOR)[..., ::-1]
    [drawn] = demonstration.recording.streams["camera/overhead"].pictures.frames([0])
    assert np.abs(picture.astype(int) - drawn).mean() < 4.0


def test_depth_decodes_to_millimetres(demonstration, read):
    message = read["/depth/overhead"][0][0]
    assert message.format == "16UC1; png"
    depth = cv2.imdecode(np.frombuffer(bytes(message.data), np.uint8), cv2.IMREAD_UNCHANGED)
    [drawn] = demonstration.recording.streams["depth/overhead"].pictures.frames([0])
    assert depth.dtype == np.uint16
    assert np.abs(depth / 1000 - np.nan_to_num(drawn)).max() <= 0.00051


def test_the_episode_s_facts_travel_as_metadata(demonstration, log):
    with log.open("rb") as file:
        [record] = [r for r in make_reader(file).iter_metadata() if r.name == "fieldloop.episode"]
    facts = record.metadata
    assert facts["stratum"] == str(demonstration.recording.episode.stratum)
    assert (facts["simulated"], facts["succeeded"], facts["operator"]) == ("true", "true", "op-amber")
    assert facts["sku"] == demonstration.scene.item.article.sku
    assert len(facts["truth_approach"].split()) == 2


def test_messages_lie_in_the_order_in_which_they_arrived(log):
    with log.open("rb") as file:
        times = [raw.log_time for _, _, raw in make_reader(file).iter_messages(log_time_order=False)]
    assert times == sorted(times)


def test_a_log_that_cannot_be_written_says_so(demonstration, tmp_path):
    with pytest.raises(StoreError, match="not written completely"):
        write_log(demonstration.recording, tmp_path / "nowhere" / "episode.mcap")
