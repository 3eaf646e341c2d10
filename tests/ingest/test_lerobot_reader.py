"""LeRobot datasets: real ones, our own, and every way they lie about themselves."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.ingest.pictures.video import VideoSpan, read_packets
from fieldloop.ingest.readers.lerobot import LeRobotReader
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.release.writers.grid import resample_stream
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.synthetic import make_healthy_recording


def read(folder):
    log = open_log(folder)
    return log, list(log.recordings)


def said(log, recordings=()):
    return [
        f"{d.subject} {d.place}: {write_note_facts(d.message)}"
        for d in (*log.defects, *(d for r in recordings for d in r.defects))
    ]


def edit_info(folder, **changes):
    path = folder / "meta/info.json"
    info = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in info.items() if value is not None}))
    return info


# ── our own v3.0


def test_writer_to_reader(v3):
    log, recordings = read(v3)
    assert said(log, recordings) == []
    assert log.format == "lerobot"
    for seed, got in enumerate(recordings):
        wanted = make_healthy_recording(seed=seed)
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
            assert getattr(got.episode, name) == getattr(wanted.episode, name)
        assert got.episode.get_fact("uid") == wanted.episode.id
        assert got.streams.keys() == wanted.streams.keys()
        grid_ns = wanted.streams["camera/overhead"].times_ns
        for name, stream in got.streams.items():
            before = wanted.streams[name]
            assert (stream.kind, stream.unit, stream.columns) == (before.kind, before.unit, before.columns)
            np.testing.assert_array_equal(stream.clocks[ClockKind.HEADER], grid_ns)
            if before.values is not None:
                np.testing.assert_array_equal(stream.values, resample_stream(before, grid_ns).astype(np.float32))


def test_the_right_pictures_come_out_of_a_shared_video(v3):
    _, recordings = read(v3)
    for seed, got in enumerate(recordings):
        for name in ("camera/overhead", "camera/wrist"):
            picks = [0, 1, 150, 299]
            wanted = list(make_healthy_recording(seed=seed).streams[name].pictures.frames(picks))
            frames = list(got.streams[name].pictures.frames(picks))
            errors = [np.abs(a.astype(int) - b).mean() for a, b in zip(frames, wanted, strict=True)]
            assert max(errors) < 4
            other = next(iter(make_healthy_recording(seed=seed).streams[name].pictures.frames([60])))
            assert np.abs(frames[0].astype(int) - other).mean() > 4


def test_container_stamps_begin_at_each_episodes_own_zero(v3):
    _, recordings = read(v3)
    for got in recordings:
        times = got.streams["camera/wrist"].clocks[ClockKind.CONTAINER]
        assert times[0] == 0
        np.testing.assert_allclose(np.diff(times), 1e9 / 30, atol=1e5)


def test_the_id_is_the_content_not_the_place(v3):
    _, before = read(v3)
    path = v3 / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    moved = table.set_column(
        table.column_names.index("index"), "index", pa.compute.add(table["index"], 1000)
    )  # fmt: skip
    pq.write_table(moved, path)
    _, after = read(v3)
    assert [r.episode.id for r in after] == [r.episode.id for r in before]
    assert len({r.episode.id for r in before}) == 3
    column = table.column_names.index("observation.state")
    changed = pa.FixedSizeListArray.from_arrays(pa.compute.add(table[column].combine_chunks().flatten(), 1e-3), 6)
    pq.write_table(table.set_column(column, "observation.state", changed), path)
    _, other = read(v3)
    assert not {r.episode.id for r in other} & {r.episode.id for r in before}


# ── v3.0, hurt


def test_rows_in_another_file_than_the_table_says_are_found(v3):
    path = v3 / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    for number, wanted in enumerate(([0], [1, 2])):
        keep = pa.compute.is_in(table["episode_index"], pa.array(wanted))
        pq.write_table(table.filter(keep), path.with_name(f"file-{number:03d}.parquet"))
    log, recordings = read(v3)
    assert [len(r.streams["joints"]) for r in recordings] == [300, 300, 300]
    assert (
        sum(
            "ingest.rows_elsewhere" in line and "found=data/chunk-000/file-001.parquet" in line
            for line in said(log, recordings)
        )
        == 2
    )


def test_a_missing_video_is_a_defect_of_its_episodes(v3):
    shutil.copy(
        v3 / "videos/observation.images.wrist/chunk-000/file-000.mp4", v3 / "videos/observation.images.wrist/other.mp4"
    )
    (v3 / "videos/observation.images.wrist/chunk-000/file-000.mp4").unlink()
    log, recordings = read(v3)
    assert all("camera/wrist" not in r.streams and "camera/overhead" in r.streams for r in recordings)
    assert sum("the file is missing" in line for line in said(log, recordings)) == 3


def test_a_camera_without_any_video_is_reported_once(v3):
    shutil.rmtree(v3 / "videos/observation.images.wrist")
    log, recordings = read(v3)
    assert said(log, recordings) == [
        "observation.images.wrist meta/info.json: ingest.declared_but_missing part=camera missing=video"
    ]


def test_a_video_that_is_none(v3):
    (v3 / "videos/observation.images.wrist/chunk-000/file-000.mp4").write_bytes(b"no video at all" * 100)
    log, recordings = read(v3)
    assert sum("ingest.part_unreadable part=video" in line for line in said(log, recordings)) == 3


def test_a_parquet_without_footer_is_named_and_the_rest_is_read(v3):
    path = v3 / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    first = table.filter(pa.compute.equal(table["episode_index"], 0))
    pq.write_table(first, path)
    (path.with_name("file-001.parquet")).write_bytes(b"PAR1 and then the power went")
    log, recordings = read(v3)
    assert [r.episode.name for r in recordings] == ["synthetic-0"]
    lines = said(log)
    assert any("data/chunk-000/file-001.parquet : ingest.file_unreadable" in line for line in lines)
    assert any("ingest.episodes_without_data count=2 listed=3 which=1 to 2" in line for line in lines)


def test_no_table_of_episodes(v3):
    shutil.rmtree(v3 / "meta/episodes")
    log, recordings = read(v3)
    assert len(recordings) == 3
    assert any("ingest.episode_table_missing" in line for line in said(log))


def test_an_info_file_of_zero_bytes_is_named_and_the_files_speak_for_themselves(v3):
    (v3 / "meta/info.json").write_bytes(b"")
    log, recordings = read(v3)
    assert len(recordings) == 3
    assert recordings[0].streams["joints"].values.shape == (300, 6)
    assert "camera/wrist" in recordings[0].streams
    assert any("meta/info.json byte 0: ingest.file_empty" in line for line in said(log))


@pytest.mark.parametrize(
    ("changes", "said_of_it"),
    [
        ({"total_frames": 7}, "total_frames: ingest.count_mismatch stated=7 what=frames found=900"),
        ({"total_episodes": 2}, "total_episodes: ingest.count_mismatch stated=2 what=episodes found=3"),
        ({"fps": 0}, "fps: ingest.rate_not_stated"),
        ({"fps": "thirty"}, "fps: ingest.rate_not_stated"),
        ({"codebase_version": None}, "ingest.version_not_stated version=v3.0"),
        ({"codebase_version": "3.0"}, "codebase_version: ingest.version_without_v stated=3.0 version=v3.0"),
        ({"codebase_version": 3.0}, "codebase_version: ingest.version_is_number stated=3.0 version=v3.0"),
        ({"features": [1, 2]}, "ingest.features_not_declared"),
    ],
)
def test_what_the_description_states_wrongly_is_named(v3, changes, said_of_it):
    edit_info(v3, **changes)
    log, recordings = read(v3)
    assert len(recordings) == 3
    assert any(said_of_it in line for line in said(log, recordings))


def test_a_version_not_known_yet(v3):
    edit_info(v3, codebase_version="v9.0")
    log, recordings = read(v3)
    assert recordings == []
    assert any("version v9.0" in line for line in said(log))
    with pytest.raises(UnreadableLog, match=r"v2\.0, v2\.1 and v3\.0 can be read"):
        next(LeRobotReader().read(v3))


def test_lengths_that_differ_are_named(v3):
    path = v3 / "meta/episodes/chunk-000/file-000.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[1]["length"] = 299
    rows[2]["videos/observation.images.wrist/to_timestamp"] -= 0.1
    pq.write_table(pa.Table.from_pylist(rows), path)
    log, recordings = read(v3)
    lines = said(log, recordings)
    assert any("length episode 1: ingest.count_mismatch stated=299 what=frames found=300" in line for line in lines)
    assert any("camera/wrist episode 2: ingest.video_length_differs frames=297 rows=300" in line for line in lines)


def test_a_video_of_another_size_than_is_stated_is_named(v3):
    info = json.loads((v3 / "meta/info.json").read_text())
    feature = info["features"]["observation.images.wrist"]
    named = dict(zip(feature["names"], feature["shape"], strict=True))
    sizes = [named["width"], named["height"]]
    feature["shape"], feature["names"] = [3, 10, 20], ["channels", "height", "width"]
    info["features"]["observation.images.overhead"]["shape"] = [10, 20, 3]
    info["features"]["observation.images.overhead"]["names"] = None
    (v3 / "meta/info.json").write_text(json.dumps(info))
    log, recordings = read(v3)
    complaint = "ingest.picture_size_differs width={} height={} stated_width=20 stated_height=10".format(*sizes)
    assert [line for line in said(log, recordings) if "picture_size" in line][:2] == [
        f"camera/overhead file-000.mp4: {complaint}",
        f"camera/wrist file-000.mp4: {complaint}",
    ]
    assert all("camera/wrist" in r.streams for r in recordings)


@pytest.mark.parametrize("template", ["{chunk_index:0999999999d}.mp4", "{file_index:{chunk_index}d}", "{nobody}", "{"])
def test_a_path_that_cannot_be_filled_is_the_usual_one(v3, template):
    edit_info(v3, video_path=template)
    log, recordings = read(v3)
    assert said(log, recordings) == []
    assert "camera/wrist" in recordings[0].streams


def test_degrees_are_not_taken_for_radians(v3):
    info = json.loads((v3 / "meta/info.json").read_text())
    del info["features"]["observation.state"]["info"]
    (v3 / "meta/info.json").write_text(json.dumps(info))
    _, recordings = read(v3)
    assert recordings[0].streams["joints"].unit == "rad"
    assert "assumed" in recordings[0].streams["joints"].notes["unit"]
    path = v3 / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    degrees = pa.compute.multiply(table["observation.state"].combine_chunks().flatten(), np.float32(57.3))
    column = pa.FixedSizeListArray.from_arrays(degrees, 6)
    pq.write_table(table.set_column(table.column_names.index("observation.state"), "observation.state", column), path)
    _, recordings = read(v3)
    assert recordings[0].streams["joints"].unit == ""
    assert "hardly radians" in recordings[0].streams["joints"].notes["unit"]


# ── v2.x


def test_the_older_layout_reads_alike(v2, v3):
    log, recordings = read(v2)
    assert said(log, recordings) == []
    _, newer = read(v3)
    for old, new in zip(recordings, newer, strict=True):
        assert old.episode.format == "lerobot v2.1"
        np.testing.assert_array_equal(old.streams["joints"].values, new.streams["joints"].values)
        assert len(old.streams["camera/wrist"].pictures) == 300


@pytest.mark.parametrize(
    ("hurt", "said_of_it", "left"),
    [
        (
            lambda f: (f / "data/chunk-000/episode_000001.parquet").unlink(),
            "ingest.episodes_without_data count=1 listed=3 which=1",
            2,
        ),
        (
            lambda f: (f / "data/chunk-000/episode_000001.parquet").write_bytes(b""),
            "episode_000001.parquet : ingest.file_empty",
            3,
        ),
        (lambda f: (f / "meta/episodes.jsonl").write_bytes(b""), "meta/episodes.jsonl byte 0: ingest.file_empty", 3),
        (lambda f: (f / "meta/episodes.jsonl").write_text("{oops\n[1]"), "line 1: ingest.not_json", 3),
        (lambda f: (f / "meta/episodes.jsonl").unlink(), "meta/episodes.jsonl : ingest.file_missing", 3),
        (lambda f: (f / "meta/info.json").write_bytes(b""), "meta/info.json byte 0: ingest.file_empty", 3),
        (lambda f: shutil.rmtree(f / "data"), "ingest.episodes_without_data count=3 listed=3", 0),
        (
            lambda f: (f / "videos/chunk-000/observation.images.wrist/episode_000002.mp4").unlink(),
            "the file is missing",
            3,
        ),
        (
            lambda f: (f / "videos/chunk-000/observation.images.wrist/episode_000002.mp4").write_bytes(b""),
            "ingest.part_unreadable part=video",
            3,
        ),
    ],
)
def test_every_way_to_break_it_is_named_and_the_rest_is_read(v2, hurt, said_of_it, left):
    hurt(v2)
    log, recordings = read(v2)
    assert len(recordings) == left
    assert any(said_of_it in line for line in said(log, recordings)), said(log, recordings)


def test_a_cut_video_gives_fewer_frames_and_a_defect(v2):
    path = v2 / "videos/chunk-000/observation.images.wrist/episode_000000.mp4"
    whole = read_packets(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    log, recordings = read(v2)
    assert any("camera/wrist" in line for line in said(log, recordings))
    assert len(whole.pts) == 300


def test_frames_that_do_not_decode_are_empty_not_skipped(v2):
    path = v2 / "videos/chunk-000/observation.images.wrist/episode_000000.mp4"
    packets = read_packets(path)
    data = bytearray(path.read_bytes())
    for index in range(100, 110):  # a whole group of pictures, zeroed
        start = int(packets.positions[index])
        data[start : start + int(packets.sizes[index])] = bytes(int(packets.sizes[index]))
    path.write_bytes(data)
    frames = list(VideoSpan(path, packets, 0, 300).frames())
    assert len(frames) == 300
    assert any(not frame.size for frame in frames[100:110])
    assert all(frame.size for frame in frames[:99])


# ── real datasets


def test_the_real_v20_set(shared):
    log, recordings = read(shared("lerobot-v20-gr1"))
    assert [len(r.streams["joints"]) for r in recordings] == [416, 470, 470, 412, 328]
    assert recordings[0].episode.task == "pick the squash from the counter and place it in the plate"
    joints, camera = recordings[0].streams["joints"], recordings[0].streams["camera/ego_view"]
    assert (joints.clock, camera.clock) == (ClockKind.SYNTHETIC, ClockKind.CONTAINER)
    assert joints.values.shape == (416, 44)
    assert camera.pictures.size == (256, 256)
    assert camera.kind is StreamKind.RGB
    assert not any(r.defects for r in recordings)
    lines = said(log)
    assert "observation.images.egoview meta/info.json: ingest.declared_but_missing part=camera missing=video" in lines
    assert any("ingest.timestamps_start_late first_s=0.05" in line for line in lines)
    assert len(lines) == 2


def test_the_real_v21_excerpt(shared):
    log, recordings = read(shared("lerobot-v21-g1"))
    assert [r.episode.name for r in recordings] == ["episode_000010", "episode_000033"]
    assert [len(r.streams["camera/cam_high"].pictures) for r in recordings] == [290, 317]
    assert recordings[0].streams["joints"].columns[0] == "kLeftShoulderPitch"
    assert said(log, recordings) == [
        "data meta/episodes.jsonl: ingest.episodes_without_data count=98 listed=100 which=0 to 9, 11 to 32, 34 to 99"
    ]


def test_frames_by_index_are_the_frames_in_order(shared):
    (got, *_) = open_log(shared("lerobot-v20-gr1")).recordings
    source = got.streams["camera/ego_view"].pictures
    some = {0, 7, 8, 100, 101, 300, 415}
    every = {i: f for i, f in enumerate(source.frames()) if i in some}
    for index, frame in zip(sorted(some), source.frames(some), strict=True):
        np.testing.assert_array_equal(frame, every[index])
