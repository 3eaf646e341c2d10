"""After a conversion row k still shows frame k: frames with their number drawn in, any format to any format."""

import json
from dataclasses import replace
from pathlib import Path

import av
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.loop.ship import convert as ship
from fieldloop.loop.ship.convert import convert_log
from fieldloop.loop.ship.same_content import Pairing, compare_content
from fieldloop.loop.ship.same_frames import compare_frames
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import Status
from fieldloop.model.note import Subject
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.protocol import default_operations
from fieldloop.release.writers import write_hdf5, write_lerobot, write_mcap, write_rlds
from fieldloop.testing.barcode import MarkedPictures, read_barcode
from fieldloop.testing.panning import record_panning_camera

ROWS, FPS = 24, 20
STEP_NS = 10**9 // FPS
SOURCES = {"lerobot": write_lerobot, "hdf5": write_hdf5, "rlds": write_rlds, "mcap": write_mcap}
TARGETS = ("lerobot", "hdf5", "rlds", "mcap")


def recording(episode: int, clock=ClockKind.HEADER) -> Recording:
    """Values count rows, pictures show their number, and both were taken at the same moments."""
    times = 10**18 + episode * 10**12 + np.arange(ROWS) * STEP_NS
    rows = np.arange(ROWS, dtype=np.float32)[:, None]
    streams = [
        Stream("joints", StreamKind.JOINT_POSITION, "rad", {clock: times}, np.hstack([rows, rows * 2]), nominal_hz=FPS),
        Stream("action", StreamKind.ACTION, "rad", {clock: times}, rows + 0.5, nominal_hz=FPS),
        Stream("camera/front", StreamKind.RGB, "8-bit", {clock: times}, nominal_hz=FPS,
               pictures=MarkedPictures(1, episode, ROWS)),
    ]  # fmt: skip
    return Recording(Episode(f"id{episode}", f"take-{episode}", "test"), {s.name: s for s in streams})


def foreign_lerobot(folder: Path, *, starts_at: int = 0, frames: int = ROWS) -> Path:
    """Write a v2.1 set as others do; its timestamps begin `starts_at` frames behind those of its video."""
    features = {
        "observation.state": {"dtype": "float32", "shape": [2], "names": ["a", "b"]},
        "action": {"dtype": "float32", "shape": [1], "names": ["a"]},
        "observation.images.front": {
            "dtype": "video", "shape": [48, 64, 3], "names": ["height", "width", "channels"],
        },
    }  # fmt: skip
    info = {
        "codebase_version": "v2.1", "fps": FPS, "total_episodes": 1, "total_frames": ROWS, "chunks_size": 1000,
        "features": features, "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    }  # fmt: skip
    (folder / "meta").mkdir(parents=True)
    (folder / "meta/info.json").write_text(json.dumps(info))
    (folder / "meta/episodes.jsonl").write_text(json.dumps({"episode_index": 0, "tasks": ["t"], "length": ROWS}))
    (folder / "meta/tasks.jsonl").write_text(json.dumps({"task_index": 0, "task": "t"}))
    rows = np.arange(ROWS)
    columns = {
        "observation.state": [[float(k), 2.0 * k] for k in rows], "action": [[k + 0.5] for k in rows],
        "timestamp": ((rows + starts_at) / FPS).astype(np.float32), "frame_index": rows,
        "episode_index": np.zeros(ROWS, np.int64), "index": rows, "task_index": np.zeros(ROWS, np.int64),
    }  # fmt: skip
    (folder / "data/chunk-000").mkdir(parents=True)
    pq.write_table(pa.table(columns), folder / "data/chunk-000/episode_000000.parquet")
    video = folder / "videos/chunk-000/observation.images.front/episode_000000.mp4"
    video.parent.mkdir(parents=True)
    with av.open(str(video), "w") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "12", "bf": "2"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for picture in MarkedPictures(1, 0, frames).frames():
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return folder


def foreign_aloha(path: Path) -> Path:
    """Write a file in ALOHA's layout, which has no timestamps."""
    rows = np.arange(ROWS, dtype=np.float32)[:, None]
    with h5py.File(path, "w") as file:
        file["observations/qpos"] = np.hstack([rows, rows * 2])
        file["action"] = rows + 0.5
        file["observations/images/front"] = np.stack([*MarkedPictures(1, 0, ROWS).frames()])
        file.attrs["sim"] = False
    return path


def shown(stream) -> list[int]:
    return [mark.frame if (mark := read_barcode(picture)) else -1 for picture in stream.pictures.frames()]


def assert_rows_show_their_frames(path: str, rows: int = ROWS) -> None:
    for after in open_log(Path(path)).recordings:
        (camera,) = [s for s in after.streams.values() if s.kind is StreamKind.RGB]
        (action,) = [s for s in after.streams.values() if s.kind is StreamKind.ACTION]
        assert shown(camera) == list(range(rows))
        assert action.values[:, 0].tolist() == (np.arange(rows) + 0.5).tolist()
        if after.episode.format == "mcap":  # it knows no rows: the same moment is the same row
            assert np.abs(camera.times_ns - action.times_ns).max() < STEP_NS // 2


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("form", SOURCES)
def test_row_k_still_shows_frame_k(tmp_path, form, to):
    source = SOURCES[form]([recording(0), recording(1)], tmp_path / "source").path
    done = convert_log(source, tmp_path / "target", to=to)
    assert done.exit_ok
    assert [one.status for one in done.compared if one.fact.code == "release.content_same"] == [Status.PASSED]
    assert (done.episodes, done.rows_left_out) == (2, 0)
    assert_rows_show_their_frames(done.path)


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("starts_at", [0, 1, 3])
def test_a_set_whose_timestamps_begin_late_is_paired_by_index(tmp_path, to, starts_at):
    done = convert_log(foreign_lerobot(tmp_path / "set", starts_at=starts_at), tmp_path / "target", to=to)
    assert_rows_show_their_frames(done.path)
    apart = [loss["apart_frames"] for loss in done.left_out if loss.code == "release.paired_by_index"]
    assert apart == ([pytest.approx(starts_at)] if starts_at else [])
    assert done.exit_ok


@pytest.mark.parametrize("to", TARGETS)
def test_a_file_without_timestamps_is_paired_by_index(tmp_path, to):
    done = convert_log(foreign_aloha(tmp_path / "episode_0.hdf5"), tmp_path / "target", to=to)
    assert_rows_show_their_frames(done.path)


def test_pairing_by_time_is_done_where_asked_for(tmp_path):
    source = foreign_lerobot(tmp_path / "set", starts_at=1)
    done = convert_log(source, tmp_path / "target", pair="time")
    (after,) = open_log(Path(done.path)).recordings
    assert dict(done.rules)["action"] == "hold"
    assert after.streams["action"].values[:2, 0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("to", ["lerobot", "hdf5", "rlds"])
def test_frames_beyond_the_rows_and_rows_beyond_the_frames_are_listed(tmp_path, to):
    for name, frames, stream in (("more", ROWS + 3, "camera/front"), ("fewer", ROWS - 3, "action")):
        done = convert_log(foreign_lerobot(tmp_path / name, frames=frames), tmp_path / f"{name}-{to}", to=to)
        assert_rows_show_their_frames(done.path, min(frames, ROWS))
        lost = {x.subject.stream: x["samples"] for x in done.left_out if x.code == "release.samples_without_row"}
        assert lost[stream] == 3


def test_video_packets_are_copied_and_every_pixel_stays(tmp_path):
    source = foreign_lerobot(tmp_path / "set")
    done = convert_log(source, tmp_path / "target")
    (before,), (after,) = (list(open_log(path).recordings) for path in (source, Path(done.path)))
    pairs = zip(*(one.streams["camera/front"].pictures.frames() for one in (before, after)), strict=True)
    assert all(np.array_equal(was, is_now) for was, is_now in pairs)
    assert "release.pixels_recompressed" not in [loss.code for loss in done.left_out]
    other = convert_log(source, tmp_path / "other", codec="av1")
    assert "release.pixels_recompressed" in [loss.code for loss in other.left_out]
    again = convert_log(Path(done.path), tmp_path / "again")
    assert "release.pixels_recompressed" not in [loss.code for loss in again.left_out]
    assert_rows_show_their_frames(again.path)


# ── what goes wrong is found


class Shifted:
    """Pictures some frames late."""

    def __init__(self, source, frames=1):
        self._source, self._late, self.size = source, frames, source.size

    def __len__(self):
        return len(self._source)

    def frames(self, indices=None):
        wanted = range(len(self)) if indices is None else sorted(indices)
        return self._source.frames([max(0, k - self._late) for k in wanted])


def with_changed(recordings, change):
    for one in recordings:
        yield replace(one, streams={name: change(stream) for name, stream in one.streams.items()})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda s: replace(s, pictures=Shifted(s.pictures)) if s.pictures else s, "release.frames_shifted"),
        (lambda s: replace(s, values=np.roll(s.values, 1, axis=0)) if s.name == "joints" else s,
         "release.values_differ"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("to", TARGETS)
def test_a_writer_that_shifts_rows_fails_the_conversion(tmp_path, monkeypatch, to, change, code):
    source = write_hdf5([recording(0)], tmp_path / "source.hdf5").path
    write = ship.write_recordings

    def write_wrongly(to, recordings, target, options, settings):
        return write(to, list(with_changed(recordings, change)), target, options, settings)

    monkeypatch.setattr(ship, "write_recordings", write_wrongly)
    done = convert_log(source, tmp_path / "target", to=to)
    assert not done.exit_ok
    assert code in [one.fact.code for one in done.compared if one.status is Status.FAILED]
    assert Path(done.path).exists()


@pytest.mark.parametrize("frames", [0, 3])
def test_a_writer_that_delays_pictures_by_three_frames_changes_the_measured_lag(tmp_path, frames):
    source = [
        replace(one, episode=replace(one.episode, name=f"pan-{k}"))
        for k, one in enumerate(map(record_panning_camera, range(3)))
    ]
    late = list(with_changed(source, lambda s: replace(s, pictures=Shifted(s.pictures, frames)) if s.pictures else s))
    path = write_mcap(late, tmp_path / "late.mcap").path
    how = Pairing("", dict.fromkeys(source[0].streams, "as recorded"))
    found = compare_content(source, path, len(source), how, default_operations()["convert"])
    (lag,) = [one for one in found if one.fact.code.startswith("release.lag")]
    assert (lag.status, lag.fact.code) == (
        (Status.FAILED, "release.lag_changed") if frames else (Status.PASSED, "release.lag_same")
    )
    assert lag.fact["before_ms"] - lag.fact["after_ms"] == pytest.approx(frames * 1000 / 30, abs=10)
    assert ("release.frames_shifted" in [one.fact.code for one in found]) == bool(frames)


class Changed:
    """Pictures of which each frame went through a function."""

    def __init__(self, source, change):
        self._source, self._change, self.size = source, change, source.size

    def __len__(self):
        return len(self._source)

    def frames(self, indices=None):
        return (self._change(frame) for frame in self._source.frames(indices))


def undecodable(frame):
    return frame[:0]


def smaller(frame):
    return frame[::2, ::2]


@pytest.mark.parametrize(
    ("before", "after", "status", "code"),
    [
        (None, undecodable, Status.FAILED, "release.frames_unreadable"),
        (undecodable, None, Status.CANNOT_TELL, "release.not_compared"),
        (None, smaller, Status.CANNOT_TELL, "release.not_compared"),
        (None, None, Status.PASSED, "release.frames_same"),
    ],
)
def test_frames_that_were_not_compared_never_pass(before, after, status, code):
    pictures, rows = MarkedPictures(1, 0, ROWS), np.arange(ROWS)
    was, is_now = (Changed(pictures, change) if change else pictures for change in (before, after))
    found, fact = compare_frames(Subject("camera"), was, is_now, rows, rows, default_operations()["convert"])
    assert (found, fact.code) == (status, code)


def compare_copies(tmp_path, source, written):
    path = write_hdf5(written, tmp_path / "written.hdf5").path
    how = Pairing("camera/front", dict.fromkeys(written[0].streams, "nearest"))
    return compare_content(source, path, len(written), how, default_operations()["convert"])


def test_a_set_of_which_no_stream_can_be_compared_does_not_pass(tmp_path):
    renamed = [
        replace(one, streams={f"old/{name}": stream for name, stream in one.streams.items()}) for one in [recording(0)]
    ]
    (found,) = compare_copies(tmp_path, renamed, [recording(0)])
    assert (found.status, found.fact.code) == (Status.CANNOT_TELL, "release.not_compared")


def test_episodes_of_one_name_are_never_compared_with_one_another(tmp_path):
    takes = [replace(one, episode=replace(one.episode, name="take")) for one in (recording(0), recording(1))]
    found = compare_copies(tmp_path, takes, takes)
    assert [(one.status, one.fact.code) for one in found] == [(Status.CANNOT_TELL, "release.not_compared")]


# ── where it is written


def test_a_file_gets_its_ending(tmp_path):
    source = write_lerobot([recording(0)], tmp_path / "takes").path
    (tmp_path / "folder").mkdir()
    for to, ending in (("hdf5", ".hdf5"), ("mcap", ".mcap")):
        assert convert_log(source, tmp_path / "set", to=to).path == str(tmp_path / f"set{ending}")
        with pytest.raises(BadInput, match="already exists"):
            convert_log(source, tmp_path / "folder", to=to)
    assert convert_log(source, tmp_path / "set.h5", to="hdf5").path == str(tmp_path / "set.h5")


@pytest.mark.parametrize("to", TARGETS)
def test_a_target_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path, monkeypatch, to):
    source = write_lerobot([recording(0)], tmp_path / "takes").path
    monkeypatch.setattr(ship, "write_recordings", None)
    for taken in ("set", "set.hdf5", "set.mcap"):
        (tmp_path / taken).touch()
    with pytest.raises(BadInput, match="already exists"):
        convert_log(source, tmp_path / "set", to=to)
    with pytest.raises(BadInput, match="is not a folder"):
        convert_log(source, tmp_path / "nowhere" / "set", to=to)
