"""MCAP out: nothing resampled, nothing lost in silence, and another decoder reads the same numbers."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
from mcap.reader import make_reader
from tests.release.mcap_made import START, channels, messages, of, read_again, same_stream, series

from fieldloop.errors import BadInput, StoreError
from fieldloop.ingest import open_log
from fieldloop.model.stream import ClockKind, EncodedSource, Stream, StreamKind
from fieldloop.release.writers.mcap import logs, numbers, write_mcap
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case, make_healthy_recording


@pytest.fixture(scope="module")
def recording():
    """Half a second of everything."""
    return keep_span(make_healthy_case(recording=make_healthy_recording()), lambda at_s: at_s < 0.5).recording


@pytest.fixture(scope="module")
def written(recording, tmp_path_factory):
    return write_mcap([recording], tmp_path_factory.mktemp("mcap") / "pick.mcap", pictures="png")


@pytest.fixture(scope="module")
def theirs(written):
    return messages(written.path)


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
    found = [write_note_facts(loss) for loss in done.left_out if loss.subject.stream != "clocks"]
    assert sorted(found) == [
        "release.fact_named_like_field name=task",
        "release.facts_repeated",
        "release.no_numbers hollow",
        "release.no_numbers words dtype=<U1",
        "release.no_samples nothing",
        "release.no_values only/stamps reason=stamps only: no schema",
        "release.rows_flattened deep width=6 shape=2 × 3",
        "release.timestamps_too_early ancient",
        "release.values_rounded count stored=float64",
    ]
    clocks = [loss for loss in done.left_out if loss.subject.stream == "clocks"]
    assert [loss.code for loss in clocks] == ["release.clock_without_slot"] * 2  # five clocks, three stamps


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
    assert [write_note_facts(loss) for loss in done.left_out] == [
        "release.pixels_recompressed camera/front how=JPEG of quality 95"
    ]


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
    assert ("release.depth_rounded_to_mm" in [loss.code for loss in coarse.left_out]) is rounded
    assert messages(coarse.path)["/camera/front"][0][0].format == "16UC1; png"


@pytest.mark.parametrize("kind", [StreamKind.RGB, StreamKind.DEPTH])
def test_a_frame_that_is_lost_keeps_its_stamp(tmp_path, kind):
    whole = np.full((4, 6), 0.5, np.float32) if kind is StreamKind.DEPTH else np.full((4, 6, 3), 99, np.uint8)
    source = Kept([whole, np.empty((0, 0, 3), np.uint8), whole], count=4)  # and the last is never yielded
    done = write_mcap([of(camera(source, kind))], tmp_path / "a.mcap", pictures="png")
    assert [write_note_facts(loss) for loss in done.left_out] == ["release.frames_empty camera/front"]
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
        ([], BadInput, "No recordings"),
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
    monkeypatch.setattr(numbers, "make_text_fit_for_message", lambda _text: "\udce9")  # no UTF-8
    with pytest.raises(StoreError, match=r"not written completely: /"):
        write_mcap([recording], tmp_path / "a.mcap")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_is_refused(tmp_path, recording):
    (tmp_path / "a.mcap").write_bytes(b"mine")
    with pytest.raises(BadInput, match="already exists"):
        write_mcap([recording], tmp_path / "a.mcap")
    assert (tmp_path / "a.mcap").read_bytes() == b"mine"


# ── there and back


def test_our_own_reader_gives_the_same_recording(recording, written):
    got = read_again(written.path)
    assert list(got.streams.keys() ^ recording.streams.keys()) == []
    for name, stream in recording.streams.items():
        same_stream(stream, got.streams[name])
        if stream.pictures is not None:
            for frame, again in zip(stream.pictures.frames(), got.streams[name].pictures.frames(), strict=True):
                assert np.array_equal(frame, again)
    assert got.defects == ()
