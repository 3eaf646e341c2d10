"""MCAP out: nothing resampled, nothing lost in silence, and another decoder reads the same numbers."""

import dataclasses
import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from fieldloop.errors import BadInput, StoreError
from fieldloop.ingest import open_log
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, EncodedSource, Stream, StreamKind
from fieldloop.release.writers.mcap import logs, numbers, write_mcap
from fieldloop.testing.injuries import cut
from fieldloop.testing.synthetic import healthy_case

cv2 = pytest.importorskip("cv2")
START = 1_767_225_600_000_000_000


@pytest.fixture(scope="module")
def recording():
    """Half a second of everything."""
    return cut(healthy_case(), lambda at_s: at_s < 0.5).recording


@pytest.fixture(scope="module")
def written(recording, tmp_path_factory):
    return write_mcap([recording], tmp_path_factory.mktemp("mcap") / "pick.mcap", pictures="png")


@pytest.fixture(scope="module")
def theirs(written):
    return messages(written.path)


def messages(path):
    """Topic → list of (message, publish, log), read by the format's own packages."""
    found = {}
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, raw, message in reader.iter_decoded_messages(log_time_order=False):
            found.setdefault(channel.topic, []).append((message, raw.publish_time, raw.log_time))
    return found


def channels(path):
    with path.open("rb") as file:
        return {channel.topic: channel for channel in make_reader(file).get_summary().channels.values()}


def read_again(path):
    (got,) = open_log(path).recordings
    return got


def series(name, values, *, kind=StreamKind.OTHER, unit="", columns=(), clocks=None, **more):
    times = START + np.arange(len(values)) * 10_000_000
    return Stream(name, kind, unit, clocks or {ClockKind.HEADER: times}, np.asarray(values), columns=columns, **more)


def of(*streams, **facts):
    return Recording(Episode("id", "one", "test", **facts), {stream.name: stream for stream in streams})


# ── what another reader finds


def test_every_sample_with_its_three_clocks(recording, theirs):
    inside = {"joints/velocity", "gripper/effort"}
    assert set(theirs) == {f"/{name}" for name in recording.streams if name not in inside}
    for topic, rows in theirs.items():
        clocks = recording.streams[topic[1:]].clocks
        header = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m, _, _ in rows]
        assert np.array_equal(header, clocks[ClockKind.HEADER]), topic
        assert np.array_equal([row[1] for row in rows], clocks[ClockKind.PUBLISH]), topic
        assert np.array_equal([row[2] for row in rows], clocks[ClockKind.LOG]), topic


def test_every_number(recording, theirs):
    streams = recording.streams
    for topic, field, name in [
        ("/joints", "position", "joints"),
        ("/joints", "velocity", "joints/velocity"),
        ("/gripper", "effort", "gripper/effort"),
        ("/action", "position", "action"),
    ]:
        assert np.array_equal([getattr(m, field) for m, _, _ in theirs[topic]], streams[name].values), topic
        assert tuple(theirs[topic][0][0].name) == streams[name].columns
    wrench = [
        [getattr(part, axis) for part in (m.wrench.force, m.wrench.torque) for axis in "xyz"]
        for m, _, _ in theirs["/force"]
    ]
    assert np.array_equal(wrench, streams["force"].values)
    felt = [
        [getattr(part, axis) for part in (m.linear_acceleration, m.angular_velocity) for axis in "xyz"]
        for m, _, _ in theirs["/imu"]
    ]
    assert np.array_equal(felt, streams["imu"].values)
    pose = [
        [getattr(m.pose.position, a) for a in "xyz"] + [getattr(m.pose.orientation, a) for a in "xyzw"]
        for m, _, _ in theirs["/tool"]
    ]
    assert np.array_equal(pose, streams["tool"].values)


def test_every_pixel(recording, theirs):
    for name in ("camera/overhead", "camera/wrist", "depth/overhead"):
        for (message, _, _), frame in zip(theirs[f"/{name}"], recording.streams[name].pictures.frames(), strict=True):
            seen = cv2.imdecode(np.frombuffer(bytes(message.data), np.uint8), cv2.IMREAD_UNCHANGED)
            assert np.array_equal(seen if seen.ndim == 2 else seen[:, :, ::-1], frame)


def test_messages_lie_in_the_order_in_which_they_arrived(written):
    with written.path.open("rb") as file:
        times = [raw.log_time for _, _, raw in make_reader(file).iter_messages(log_time_order=False)]
    assert times == sorted(times)
    assert len(times) == written.frames


def test_a_channel_says_what_its_messages_cannot(tmp_path):
    stream = series("arm/state", [[1, 2]], columns=("a", "b"), unit="V", frame_id="base", serial="A-7", nominal_hz=50.0)
    write_mcap([of(stream)], tmp_path / "a.mcap")
    said = channels(tmp_path / "a.mcap")["/arm/state"].metadata
    assert json.loads(said.pop("fieldloop.clocks")) == {"header": "header"}
    assert json.loads(said.pop("fieldloop.columns")) == ["a", "b"]
    assert said == {
        "fieldloop.stream": "arm/state", "fieldloop.kind": "other", "fieldloop.unit": "V", "fieldloop.clock": "header",
        "fieldloop.frame_id": "base", "fieldloop.serial": "A-7", "fieldloop.dtype": "int64",
        "fieldloop.nominal_hz": "50.0", "fieldloop.notes": "{}",
    }  # fmt: skip


# ── what is said of it


def test_nothing_is_left_out_of_what_fits(written):
    assert (written.episodes, written.left_out, written.clock, written.rules) == (1, (), "", None)


def test_what_cannot_be_kept_is_named(tmp_path):
    many = {kind: START + np.arange(3) for kind in ClockKind}
    stamps = Stream("only/stamps", StreamKind.OTHER, "", many, notes={"encoding": "stamps only: no schema"})
    done = write_mcap(
        [
            of(
                stamps,
                series("nothing", np.empty((0, 2))),
                series("hollow", np.empty((3, 0))),
                series("words", np.asarray([["a"], ["b"]])),
                series("deep", np.zeros((2, 2, 3))),
                series("count", np.asarray([[2**60 + 1]])),
                series("clocks", [[1], [2], [3]], clocks=many),
                series("ancient", [[1]], clocks={ClockKind.HEADER: np.asarray([-(2**62)])}),
                facts=(("task", "other"), ("lux", "1"), ("lux", "2")),
            )
        ],
        tmp_path / "a.mcap",
    )
    assert dict(entry.split(": ", 1) for entry in done.left_out) == {
        "only/stamps": "stamps only: no schema",
        "nothing": "it has no sample",
        "hollow": "its samples hold no numbers",
        "words": "its values are <U1, not numbers",
        "deep": "its shape: rows of 2×3 are written as one list",
        "count": "whole numbers beyond 2^53 are rounded",
        "clocks": "its synthetic clock; a message has room for three stamps",
        "ancient": "its stamps lie before 1901 and fit no message",
        "fact task": "an episode's own field has this name",
        "facts stated twice": "the last one stands",
    } | {"clocks": dict(entry.split(": ", 1) for entry in done.left_out)["clocks"]}
    assert sum(entry.startswith("clocks: ") for entry in done.left_out) == 2  # five clocks, three stamps


# ── pictures


class Stored:
    """Pictures that rest as JPEG, one of them plain."""

    size = (16, 12)

    def __init__(self):
        noise = np.random.default_rng(3).integers(0, 255, (3, 12, 16, 3), np.uint8)
        self.data = [cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 40])[1].tobytes() for frame in noise]

    def __len__(self):
        return 3

    def frames(self, indices=None):
        for index in range(3) if indices is None else sorted(indices):
            yield cv2.imdecode(np.frombuffer(self.data[index], np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1]

    def encoded(self, indices=None):
        for index in range(3) if indices is None else sorted(indices):
            yield ("jpeg", self.data[index]) if index != 1 else ("", b"")


class Kept:
    """A FrameSource over arrays; it may end before its time."""

    def __init__(self, frames, count=None):
        self.held, self.count = frames, count or len(frames)
        self.size = frames[0].shape[1::-1]

    def __len__(self):
        return self.count

    def frames(self, indices=None):
        wanted = range(self.count) if indices is None else sorted(indices)
        return (self.held[i] for i in wanted if i < len(self.held))


def camera(source, kind=StreamKind.RGB):
    times = START + np.arange(len(source)) * 33_000_000
    return Stream("camera/front", kind, "", {ClockKind.HEADER: times}, pictures=source)


def test_pictures_that_rest_compressed_are_passed_on_bit_by_bit(tmp_path):
    assert isinstance(Stored(), EncodedSource)
    done = write_mcap([of(camera(Stored()))], tmp_path / "a.mcap")
    data = [bytes(message.data) for message, _, _ in messages(done.path)["/camera/front"]]
    assert [data[0], data[2]] == [Stored().data[0], Stored().data[2]]
    assert data[1] != Stored().data[1]
    assert done.left_out == ("camera/front: pictures are compressed as JPEG of quality 95",)


def test_a_log_written_on_is_the_same_log(tmp_path, recording):
    first = write_mcap([recording], tmp_path / "first.mcap", quality=50, depth="millimetres")
    assert len(first.left_out) == 3
    again = write_mcap([read_again(first.path)], tmp_path / "again.mcap")
    assert again.left_out == ()
    assert raw(again.path) == raw(first.path)
    assert read_again(again.path).episode.id == read_again(first.path).episode.id


def raw(path):
    """Topic → every message as it is stored."""
    found = {}
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages(log_time_order=False):
            row = found.setdefault((channel.topic, schema.name, tuple(sorted(channel.metadata.items()))), [])
            row.append((message.log_time, message.publish_time, message.sequence, message.data))
    return found


@pytest.mark.parametrize(
    ("depth_m", "rounded", "form"),
    [
        ([[0.001, 1.234], [65.535, np.nan]], False, "16UC1; png"),
        ([[0.0, 1.0], [1.0, 1.0]], True, "32FC1; tiff"),  # zero is no return in millimetres
        ([[0.0005, 1.0], [1.0, np.nan]], True, "32FC1; tiff"),
        ([[66.0, -1.0], [np.inf, np.nan]], True, "32FC1; tiff"),
    ],
)
def test_depth_is_exact_unless_rounding_is_asked_for(tmp_path, depth_m, rounded, form):
    frame = np.asarray(depth_m, np.float32)
    stream = camera(Kept([frame]), StreamKind.DEPTH)
    exact = write_mcap([of(stream)], tmp_path / "exact.mcap")
    assert exact.left_out == ()
    assert messages(exact.path)["/camera/front"][0][0].format.startswith(form)
    (seen,) = read_again(exact.path).streams["camera/front"].pictures.frames()
    assert np.array_equal(seen, frame, equal_nan=True)
    coarse = write_mcap([of(stream)], tmp_path / "coarse.mcap", depth="millimetres")
    assert any("rounded to millimetres" in entry for entry in coarse.left_out) is rounded
    assert messages(coarse.path)["/camera/front"][0][0].format == "16UC1; png"


@pytest.mark.parametrize("kind", [StreamKind.RGB, StreamKind.DEPTH])
def test_a_frame_that_is_lost_keeps_its_stamp(tmp_path, kind):
    whole = np.full((4, 6), 0.5, np.float32) if kind is StreamKind.DEPTH else np.full((4, 6, 3), 99, np.uint8)
    source = Kept([whole, np.empty((0, 0, 3), np.uint8), whole], count=4)  # and the last is never yielded
    done = write_mcap([of(camera(source, kind))], tmp_path / "a.mcap", pictures="png")
    assert done.left_out == ("camera/front: frames that do not decode are written as empty messages",)
    got = read_again(done.path).streams["camera/front"]
    assert len(got) == 4
    assert [frame.size > 0 for frame in got.pictures.frames()] == [True, False, True, False]
    assert got.kind is kind


# ── files


def test_several_recordings_are_a_folder_of_files_named_after_them(tmp_path):
    names = ["pick 1", "pick/1", "Pick_1", "../..", ".hidden", "", "é" * 300]
    made = [of(series("s", [[i]]), task=str(i)) for i in range(len(names))]
    made = [replace(r, episode=replace(r.episode, name=name)) for r, name in zip(made, names, strict=True)]
    done = write_mcap(iter(made), tmp_path / "logs")
    files = sorted(path.name for path in done.path.iterdir())
    assert len({name.lower() for name in files}) == done.episodes == len(names)
    assert all(name.endswith(".mcap") and not name.startswith(".") and len(name) < 140 for name in files)
    assert {r.episode.task for r in open_log(done.path).recordings} == {str(i) for i in range(len(names))}


def test_it_appears_whole_or_not_at_all(tmp_path, recording):
    def breaking(count):
        yield from [recording] * count
        raise OSError("the disk is gone")

    for recordings, problem, said in [
        ([], BadInput, "no recording"),
        (breaking(0), OSError, "gone"),
        (breaking(1), OSError, "gone"),
        (breaking(2), OSError, "gone"),
    ]:
        with pytest.raises(problem, match=said):
            write_mcap(recordings, tmp_path / "set")
        assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails_leaves_nothing(tmp_path, recording, monkeypatch):
    class Failing(logs.write_log.__globals__["Recorder"]):
        def _finish(self):
            raise OSError(28, "No space left on device")

    monkeypatch.setitem(logs.write_log.__globals__, "Recorder", Failing)
    with pytest.raises(StoreError, match=r"not written completely: .*No space left"):
        write_mcap([recording], tmp_path / "a.mcap")
    assert list(tmp_path.iterdir()) == []


def test_one_message_that_cannot_be_written_is_no_log(tmp_path, recording, monkeypatch):
    monkeypatch.setattr(numbers, "spoken", lambda _text: "\udce9")  # no UTF-8
    with pytest.raises(StoreError, match=r"not written completely: /"):
        write_mcap([recording], tmp_path / "a.mcap")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_is_refused(tmp_path, recording):
    (tmp_path / "a.mcap").write_bytes(b"mine")
    with pytest.raises(BadInput, match="there already"):
        write_mcap([recording], tmp_path / "a.mcap")
    assert (tmp_path / "a.mcap").read_bytes() == b"mine"


# ── there and back


def same_stream(before, after):
    assert (after.name, after.kind, after.unit) == (before.name, before.kind, before.unit)
    assert (after.columns, after.frame_id, after.serial) == (before.columns, before.frame_id, before.serial)
    assert (after.nominal_hz, after.notes) == (before.nominal_hz, before.notes)
    assert after.clocks.keys() == before.clocks.keys()
    for kind, times in before.clocks.items():
        assert np.array_equal(after.clocks[kind], times), kind
    if before.values is not None:
        assert after.values.dtype == before.values.dtype
        assert np.array_equal(after.values, before.values, equal_nan=before.values.dtype.kind == "f")


def test_our_own_reader_gives_the_same_recording(recording, written):
    got = read_again(written.path)
    assert list(got.streams.keys() ^ recording.streams.keys()) == []
    for name, stream in recording.streams.items():
        same_stream(stream, got.streams[name])
        if stream.pictures is not None:
            for frame, again in zip(stream.pictures.frames(), got.streams[name].pictures.frames(), strict=True):
                assert np.array_equal(frame, again)
    assert got.defects == ()


def test_what_was_guessed_is_still_a_guess_when_written_on(tmp_path):
    noted = {"unit": "radians are assumed", "clock": "made up", "ünïcode\udce9": "x"}
    joints = series("joints", [[1.0], [2.0]], kind=StreamKind.JOINT_POSITION, unit="rad", notes=noted, nominal_hz=50.0)
    speed = series("joints/velocity", [[3.0], [4.0]], kind=StreamKind.JOINT_VELOCITY, unit="rad/s", nominal_hz=50.0)
    imu = series(
        "imu", np.ones((2, 6)), kind=StreamKind.IMU, unit="m/s², rad/s", columns=("ax", "ay", "az", "gx", "gy", "gz")
    )
    write_mcap([of(joints, speed, imu)], tmp_path / "a.mcap")
    got = read_again(tmp_path / "a.mcap").streams
    for stream in (joints, speed, imu):
        same_stream(stream, got[stream.name])


def test_texts_that_are_no_utf8_are_escaped_and_named(tmp_path):
    stream = series("arm\udce9", [[1.0]], frame_id="base\udce9")
    done = write_mcap([of(stream, task="caf\udce9")], tmp_path / "a.mcap")
    assert [entry.partition(" holds what is no UTF-8")[0] for entry in done.left_out] == [
        "arm\\udce9: its name", "arm\\udce9: its frame_id", "task: it",
    ]  # fmt: skip
    got = read_again(tmp_path / "a.mcap")
    assert (got.episode.task, list(got.streams)) == ("caf\\udce9", ["arm\\udce9"])


def test_an_episode_s_facts_come_back(tmp_path):
    episode = Episode(
        "id", "pick\n1", "test", "pick", "arm", "lab", "op", "s", "p", "v1", Stratum.of(bin="back"), 0, 0,
        simulated=True, succeeded=False, failure="slip", facts=(("lux", "420"), ("odd key ü", "")),
    )  # fmt: skip
    write_mcap([Recording(episode, {"s": series("s", [[1.0]])})], tmp_path / "a.mcap")
    got = read_again(tmp_path / "a.mcap").episode
    fields = [f.name for f in dataclasses.fields(Episode) if f.name not in ("id", "format", "start_ns", "end_ns")]
    assert {name: getattr(got, name) for name in fields} == {name: getattr(episode, name) for name in fields}


@pytest.mark.parametrize(("real", "start"), list(product([1, 0], [START, 0])))
def test_a_stream_gets_back_the_clocks_it_had_and_no_more(tmp_path, real, start):
    kinds = [ClockKind.SYNTHETIC, ClockKind.CONTAINER, ClockKind.LOG][real:]
    stream = series("s", [[1.0]], clocks={kind: np.asarray([start + i]) for i, kind in enumerate(kinds)})
    write_mcap([of(stream)], tmp_path / "a.mcap")
    same_stream(stream, read_again(tmp_path / "a.mcap").streams["s"])


def test_velocities_travel_inside_their_positions_only_where_the_message_says_all_of_them(tmp_path):
    position = series("arm", [[0.0], [1.0]], kind=StreamKind.JOINT_POSITION, unit="rad", columns=("j",))
    velocity = replace(position, name="arm/velocity", kind=StreamKind.JOINT_VELOCITY, unit="rad/s")
    others = {
        "equal": velocity,
        "unit": replace(velocity, unit="deg/s"),
        "stamps": replace(velocity, clocks={ClockKind.HEADER: velocity.times_ns + 1}),
        "kind": replace(velocity, kind=StreamKind.OTHER),
        "serial": replace(velocity, serial="2"),
    }
    for name, other in others.items():
        write_mcap([of(position, other)], tmp_path / f"{name}.mcap")
        assert len(channels(tmp_path / f"{name}.mcap")) == (1 if name == "equal" else 2), name
        got = read_again(tmp_path / f"{name}.mcap")
        same_stream(position, got.streams["arm"])
        same_stream(other, got.streams["arm/velocity"])


def test_what_travels_in_another_s_message_carries_nothing_itself(tmp_path):
    grip = series("grip", [[0.1]], kind=StreamKind.GRIPPER, unit="m")
    streams = [grip, replace(grip, name="grip/effort", unit="N"), replace(grip, name="grip/effort/effort", unit="N")]
    done = write_mcap([of(*streams)], tmp_path / "a.mcap")
    assert done.frames == 2
    assert read_again(done.path).streams.keys() == {stream.name for stream in streams}


TEXT = st.text(max_size=12)
DTYPES = st.sampled_from([np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8, np.bool_])
STAMP = st.one_of(st.integers(START, START + 10**10), st.integers(-(2**63), 2**63 - 1), st.integers(0, 10**9))


@st.composite
def streams(draw):
    count, width = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    kinds = draw(st.sets(st.sampled_from(ClockKind), min_size=1))
    clocks = {kind: np.asarray(draw(st.lists(STAMP, min_size=count, max_size=count)), np.int64) for kind in kinds}
    values = draw(arrays(draw(DTYPES), (count, width)))
    columns = tuple(draw(st.lists(TEXT, min_size=width, max_size=width))) if draw(st.booleans()) else ()
    name = draw(
        st.one_of(
            st.sampled_from(["arm", "arm/velocity", "arm/effort", "gripper", "/arm//1"]),
            st.text(min_size=1, max_size=9),
        )
    )
    return Stream(
        name, draw(st.sampled_from(StreamKind)), draw(st.sampled_from(["", "rad", "rad/s", "N·m", "m", "°"])), clocks,
        values, columns=columns, frame_id=draw(TEXT), serial=draw(TEXT),
    )  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(streams(), min_size=1, max_size=4, unique_by=lambda stream: stream.name))
def test_any_streams_come_back_or_are_named(tmp_path_factory, made):
    done = write_mcap([of(*made)], tmp_path_factory.mktemp("any") / "a.mcap")
    got = read_again(done.path)
    for before in made:
        lost = [
            entry.removeprefix(f"{before.name}: ") for entry in done.left_out if entry.startswith(f"{before.name}: ")
        ]
        after = got.streams.get(before.name)
        if after is None:
            assert lost, f"{before.name!r} is gone, and nobody said so"
            continue
        clocks = {kind: t for kind, t in before.clocks.items() if not any(f"its {kind} clock" in e for e in lost)}
        rounded = any("2^53" in entry for entry in lost)
        values = (
            np.minimum(before.values.astype(np.float64), 2.0**63 - 1024).astype(np.int64) if rounded else before.values
        )
        same_stream(replace(before, clocks=clocks, values=values), after)
    assert got.streams.keys() <= {stream.name for stream in made}
