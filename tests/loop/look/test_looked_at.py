"""What the explorer opens: timing, pictures, labels; one episode without the others; nothing outside of the set."""

import shutil
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput, UnknownName
from fieldloop.ingest import open_log
from fieldloop.loop.look import thinning
from fieldloop.loop.look.decoded_ahead import DecodedAhead
from fieldloop.loop.look.of_path import look_at_log, open_path
from fieldloop.loop.look.open_set import OpenSet
from fieldloop.loop.look.opened import OpenedEpisode
from fieldloop.loop.look.picture_files import draw_depth, make_picture_file
from fieldloop.loop.look.timing import compute_seconds, compute_start_and_duration
from fieldloop.loop.look.view import EpisodeView, build_segment_json
from fieldloop.loop.work.run_on import run_apart
from fieldloop.model.annotation import Annotation
from fieldloop.model.explored import Beside
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import UNIT_NOTE
from fieldloop.release.writers import write_hdf5, write_lerobot, write_mcap
from fieldloop.testing.barcode import Mark, MarkedPictures, read_barcode
from fieldloop.testing.marked_video import make_marked_recording
from fieldloop.testing.synthetic import START_NS, make_healthy_recording

FRAMES = 12


@pytest.fixture(scope="module", autouse=True)
def check_in_this_process():
    """A process for each page would take longer than the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fieldloop.loop.look.checked.run_apart", lambda work, item: work(item))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("looked")
    write_lerobot([make_marked_recording(number, FRAMES, size=(64, 48)) for number in (1, 2)], made / "lerobot")
    write_mcap([make_marked_recording(3, FRAMES, size=(64, 48))], made / "mcap")
    write_hdf5([make_marked_recording(4, FRAMES, size=(64, 48))], made / "hdf5", actions_from="joints")
    return made


def read_picture(opened, camera, frame):
    import cv2

    found = opened.read_picture(camera, frame)
    return cv2.cvtColor(cv2.imdecode(np.frombuffer(found.data, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


@pytest.mark.parametrize(("form", "key", "episode"), [("lerobot", "1", 2), ("mcap", "0", 3), ("hdf5", "0", 4)])
def test_each_format_gives_its_frames_by_number(folder, form, key, episode):
    opened = open_path(folder / form).get_episode(key)
    view = opened.make_view()
    cameras = {camera.name: camera for camera in view.cameras}
    assert set(cameras) == {"camera/front", "camera/wrist"}
    assert view.grid in cameras
    assert view.duration_s == pytest.approx((FRAMES - 1) / 30, abs=1e-6)
    for number, name in enumerate(("camera/front", "camera/wrist")):
        camera = cameras[name]
        assert (camera.frames, camera.width, camera.height) == (FRAMES, 64, 48)
        assert np.allclose(opened.get_camera_times(camera.number), np.arange(FRAMES) / 30, atol=1e-6)
        for frame in (0, 5, FRAMES - 1):
            assert read_barcode(read_picture(opened, camera.number, frame)) == Mark(number, episode, frame)
    (joints,) = (signal for signal in view.signals if signal.name == "joints")
    times, values = opened.read_signal(joints.number)
    assert values.shape == (4, FRAMES)
    assert np.allclose(values[1], np.sin(times + 1 + episode), atol=1e-5)


@pytest.mark.parametrize("key", ["2", "-1", "../1", "1/../0", "x", "", "1e3", "٣"])
def test_a_key_that_is_not_of_the_set_is_refused(folder, key):
    with pytest.raises(UnknownName):
        open_path(folder / "lerobot").get_episode(key)


@pytest.mark.parametrize(("camera", "frame"), [(9, 0), (-1, 0), (0, FRAMES), (0, -1)])
def test_a_frame_that_does_not_exist_is_refused(folder, camera, frame):
    with pytest.raises(UnknownName):
        open_path(folder / "lerobot").get_episode("0").read_picture(camera, frame)


def test_an_episode_is_found_by_number_name_and_id(folder):
    episodes = open_path(folder / "lerobot")
    name = episodes.get_episode("1").recording.episode.name
    assert episodes.find_key("1") == "1"
    assert episodes.find_key(name) == "1"
    assert episodes.find_key(episodes.get_episode("1").recording.episode.id) == "1"
    with pytest.raises(UnknownName):
        episodes.find_key("nothing")


def test_one_episode_is_read_without_the_others(tmp_path):
    """The other episode's rows and statistics may be gone: what is looked at does not need them."""
    dataset = tmp_path / "many"
    limits = {"data_mb": 1e-6, "video_mb": 1e-6}
    from fieldloop.release.writers.lerobot.dataset import Limits

    write_lerobot(
        [make_marked_recording(number, FRAMES, size=(64, 48)) for number in (1, 2, 3)], dataset, limits=Limits(**limits)
    )
    log = open_log(dataset)
    whole = next(log.read_part(1, 2))
    data = sorted((dataset / "data").rglob("*.parquet"))
    assert len(data) == 3
    for other in (data[0], data[2]):
        other.write_bytes(b"PAR1 but not any more PAR1")
    opened = open_path(dataset)
    assert opened.count == 3
    episode = opened.get_episode("1")
    assert episode.recording.episode == whole.episode
    assert read_barcode(read_picture(episode, 0, 7)) == Mark(0, 2, 7)


def test_the_listing_is_not_believed_where_it_is_wrong(folder, tmp_path):
    """Rows elsewhere than stated: the slow way finds them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    dataset = tmp_path / "moved"
    shutil.copytree(folder / "lerobot", dataset)
    (listing,) = (dataset / "meta/episodes").rglob("*.parquet")
    table = pq.read_table(listing)
    place = table.column_names.index("data/file_index")
    pq.write_table(table.set_column(place, "data/file_index", pa.array([7, 7])), listing)
    assert open_path(dataset).get_episode("1").recording.episode.name


def test_seconds_never_go_back_and_a_video_counts_from_its_own_start():
    recording = make_healthy_recording(seed=1)
    first, duration = compute_start_and_duration(recording)
    assert first == START_NS
    assert duration == pytest.approx(10.0, abs=0.1)
    assert compute_seconds(np.asarray([3, 2, 5]) * NS_PER_S, 2 * NS_PER_S, 6 * NS_PER_S).tolist() == [1, 1, 3]
    assert compute_seconds(np.empty(0, np.int64), 0, 1).tolist() == []
    at_zero = Stream("camera/x", StreamKind.RGB, "8-bit", {ClockKind.CONTAINER: np.arange(3) * NS_PER_S})
    assert compute_seconds(at_zero.times_ns, START_NS, START_NS + NS_PER_S).tolist() == [0, 1, 2]


@given(st.integers(1, 5), st.integers(10, 90), st.integers(0, 1000))
def test_a_thinned_signal_keeps_every_extreme(columns, rows, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thinning, "MOST_ROWS", 20)
        values = np.random.default_rng(seed).normal(size=(columns, rows)).astype(np.float32)
        values[0, seed % rows] = np.nan
        times = np.arange(rows) / 100
        moments, kept = thinning.reduce_signal(times, values)
        assert len(moments) == kept.shape[1] == thinning.count_sent_rows(rows) <= max(20, 22)
        assert (np.diff(moments) >= 0).all()
        assert moments[0] == 0.0
        if rows > 20:
            assert np.array_equal(np.nanmax(kept, axis=1), np.nanmax(values, axis=1))
            assert np.array_equal(np.nanmin(kept, axis=1), np.nanmin(values, axis=1))
        else:
            assert kept is values


def test_distances_are_coloured_and_holes_are_black():
    metres = np.asarray([[0.5, 2.0, np.nan]], np.float32)
    near, far, hole = draw_depth(metres, 0.5, 2.0)[0].tolist()
    assert near[0] > near[2], "near is red"
    assert far[2] > far[0], "far is blue"
    assert hole == [0, 0, 0]


def test_a_frame_that_does_not_decode_has_no_bytes():
    class Broken(MarkedPictures):
        def frames(self, indices=None):
            yield from (np.empty((0, 0, 3), np.uint8) for _ in indices)

    assert make_picture_file(Broken(0, 1, 3), 1).data == b""


def test_the_view_is_json_with_times_that_survive_javascript(folder):
    view = look_at_log(folder / "lerobot", episode="1")
    assert isinstance(view, EpisodeView)
    label = Annotation(
        view.episode.id, "phase", "grasp", view.start_ns + NS_PER_S // 2, view.start_ns + NS_PER_S, "anna"
    )
    made = replace(view, segments=(label,)).json_object()
    assert made["schema"] == "look/1"
    assert made["findings"] is None, "not checked yet"
    (segment,) = made["segments"]
    assert (segment["start_s"], segment["end_s"]) == (0.5, 1.0)
    assert segment["start_ns"] == str(label.start_ns)
    assert build_segment_json(label, label.start_ns)["start_s"] == 0.0


def test_an_episode_is_checked_while_it_is_looked_at(folder):
    view = open_path(folder / "lerobot").get_episode("0").check_now()
    findings = view.json_object()["findings"]
    assert findings
    assert {"message", "level", "at_s", "check", "counts"} <= set(findings[0])
    assert view.report is not None


def test_a_camera_without_frames_states_why_and_the_rest_is_there(folder, tmp_path):
    dataset = tmp_path / "broken"
    shutil.copytree(folder / "lerobot", dataset)
    next((dataset / "videos/observation.images.wrist").rglob("*.mp4")).write_bytes(b"not a video")
    view = open_path(dataset).get_episode("0").make_view()
    broken, whole = sorted(view.cameras, key=lambda camera: camera.frames)
    assert (broken.name, broken.frames) == ("camera/wrist", 0)
    assert "video" in broken.why_not
    assert (whole.name, whole.frames) == ("camera/front", FRAMES)
    assert view.grid == "camera/front"


def test_work_apart_comes_back_and_its_errors_too():
    assert run_apart(abs, -3) == 3
    with pytest.raises(TypeError):
        run_apart(len, 3)


def test_a_video_without_a_log_is_an_episode_of_one_camera(folder, tmp_path):
    video = next((folder / "lerobot/videos/observation.images.front").rglob("*.mp4"))
    shutil.copy(video, tmp_path / "b.mp4")
    (tmp_path / "a.mp4").write_bytes(b"not a video")
    (tmp_path / "notes.txt").write_text("nothing")
    for path, key in ((tmp_path, "1"), (tmp_path / "b.mp4", "0")):
        opened = open_path(path).get_episode(key)
        (camera,) = opened.make_view().cameras
        assert (camera.name, camera.frames, camera.packets) == ("camera/b", 2 * FRAMES, True)
        assert read_barcode(read_picture(opened, 0, FRAMES + 3)) == Mark(0, 2, 3)
        assert opened.check_now().json_object()["findings"] is None
    with pytest.raises(BadInput, match=r"a\.mp4 cannot be opened"):
        open_path(tmp_path).get_episode("0")


def test_video_in_messages_is_decoded_a_few_frames_at_once():
    class Counting(MarkedPictures):
        def frames(self, indices=None):
            calls.append(list(indices))
            yield from MarkedPictures.frames(self, indices)

    calls = []
    ahead = DecodedAhead(Counting(0, 1, 40))
    for frame in (0, 1, 2, 11, 12, 11, 30, 39, 0):
        assert read_barcode(next(ahead.frames([frame]))) == Mark(0, 1, frame)
    assert [(call[0], call[-1]) for call in calls] == [(0, 11), (8, 23), (26, 39), (0, 11)]


def test_an_episode_that_takes_long_delays_no_other():
    opened, may_go_on, results = OpenSet(), threading.Event(), []

    def open_slowly():
        assert may_go_on.wait(10)
        results.append("opened")
        return "slow"

    waiting = [threading.Thread(target=lambda: results.append(opened.get_episode("a", open_slowly))) for _ in range(2)]
    for thread in waiting:
        thread.start()
    assert opened.get_episode("b", lambda: "quick") == "quick"
    may_go_on.set()
    for thread in waiting:
        thread.join(10)
    assert sorted(results) == ["opened", "slow", "slow"], "opened once for both"


def test_a_unit_that_the_reader_assumed_is_marked_as_assumed():
    recording = make_marked_recording(1, FRAMES, size=(64, 48))
    streams = dict(recording.streams)
    name, stated = next((key, one) for key, one in streams.items() if one.unit and one.pictures is None)
    streams["guessed"] = replace(stated, name="guessed", notes={**stated.notes, UNIT_NOTE: "radians are assumed"})
    view = OpenedEpisode("0", "made", replace(recording, streams=streams), lambda _: Beside()).make_view()
    sent = {signal["name"]: signal["unit_from"] for signal in view.json_object()["signals"]}
    assert (sent["guessed"], sent[name]) == ("assumed", "stored")
