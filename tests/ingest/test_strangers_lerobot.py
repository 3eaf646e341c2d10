"""LeRobot datasets as other toolchains leave them: files elsewhere, another version's layout, doubled tables."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.ingest.hdf5_makers import pictures, video
from tests.ingest.lerobot_makers import DATA, FPS, LISTING, ROWS, foreign

from fieldloop.ingest import open_log
from fieldloop.model.episode import Harm
from fieldloop.model.provenance import Provenance, StreamFact
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD

CAMERA = "observation.images.top"


def read(root):
    log = open_log(root)
    recordings = list(log.recordings)
    defects = (*log.defects, *(defect for one in recordings for defect in one.defects))
    return recordings, {defect.message.code: defect.harm for defect in defects}


def edit_info(root, **changes):
    path = root / "meta/info.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def with_camera(root, path):
    """Write a set of one episode with a video at this path."""
    span = {f"videos/{CAMERA}/{name}": np.zeros(1, np.int64) for name in ("chunk_index", "file_index")}
    foreign(root, episodes=1, listing=span)
    info = json.loads((root / "meta/info.json").read_text())
    edit_info(root, features=info["features"] | {CAMERA: {"dtype": "video", "shape": [], "names": None}})
    (root / path).parent.mkdir(parents=True)
    (root / path).write_bytes(video(pictures(ROWS), fps=info["fps"]))
    return root


@pytest.fixture
def root(tmp_path):
    return tmp_path / "theirs"


def test_a_video_where_the_template_states_it_is_found(root):
    with_camera(root, f"videos/chunk-000/{CAMERA}/episode_000000.mp4")
    edit_info(root, video_path="videos/chunk-{chunk_index:03d}/{video_key}/episode_{file_index:06d}.mp4")
    (recording,), codes = read(root)
    assert len(recording.streams["camera/top"]) == ROWS
    assert codes == {}


def test_a_video_in_another_folder_is_read_and_named_once(root):
    with_camera(root, f"video/{CAMERA}/chunk-000/file-000.mp4")
    (recording,), codes = read(root)
    assert "camera/top" in recording.streams
    assert codes == {"ingest.videos_elsewhere": Harm.MISLEADS}


def test_a_camera_without_any_file_is_missing(root):
    with_camera(root, f"videos/{CAMERA}/chunk-000/file-000.mp4")
    shutil.rmtree(root / "videos")
    _, codes = read(root)
    assert codes == {"ingest.declared_but_missing": Harm.LOST}


def test_indices_stored_as_doubles_are_read_as_whole_numbers(root):
    with_camera(root, f"videos/{CAMERA}/chunk-000/file-000.mp4")
    table = pq.read_table(root / LISTING)
    for place, field in enumerate(table.schema):
        if pa.types.is_integer(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.float64()))
    pq.write_table(table, root / LISTING)
    (recording,), codes = read(root)
    assert len(recording.streams["camera/top"]) == ROWS
    assert codes == {}


@pytest.mark.parametrize(
    ("ends", "begins", "frames", "expected"),
    [
        ([ROWS - 1, 2 * ROWS - 1], [0, ROWS], 2 * ROWS, {}),  # the end is the last frame's own moment
        ([ROWS, 2 * ROWS], [0, ROWS], 2 * ROWS, {}),
        ([ROWS - 1, 2 * ROWS - 1], [0, ROWS - 1], 2 * ROWS - 1, {"ingest.video_length_differs": Harm.LOST}),
    ],
)
def test_a_video_span_goes_by_the_length_of_its_episode(root, ends, begins, frames, expected):
    span = {f"videos/{CAMERA}/{name}": np.zeros(2, np.int64) for name in ("chunk_index", "file_index")}
    span |= {f"videos/{CAMERA}/{name}_timestamp": np.divide(at, FPS) for name, at in (("from", begins), ("to", ends))}
    foreign(root, episodes=2, listing=span)
    info = json.loads((root / "meta/info.json").read_text())
    edit_info(root, features=info["features"] | {CAMERA: {"dtype": "video", "shape": [], "names": None}})
    (root / f"videos/{CAMERA}/chunk-000").mkdir(parents=True)
    (root / f"videos/{CAMERA}/chunk-000/file-000.mp4").write_bytes(video(pictures(frames), fps=FPS))
    recordings, codes = read(root)
    assert codes == expected
    assert len(recordings[1].streams["camera/top"]) == ROWS


def test_a_dataset_without_any_data_is_one_finding(root):
    foreign(root)
    (root / DATA).unlink()
    assert read(root) == ([], {"ingest.episodes_without_data": Harm.LOST})
    (root / LISTING).unlink()
    assert "ingest.no_episode" in read(root)[1]


def test_files_decide_over_a_stated_version(root):
    foreign(root)
    edit_info(root, codebase_version="v2.1")
    recordings, codes = read(root)
    assert len(recordings) == 2
    assert codes == {"ingest.version_contradicted": Harm.MISLEADS}


def test_a_table_of_episodes_kept_twice_is_one_finding(root):
    foreign(root)
    shutil.copy(root / LISTING, root / "meta/episodes/file-000.parquet")
    recordings, codes = read(root)
    assert (len(recordings), codes) == (2, {"ingest.episodes_listed_twice": Harm.MISLEADS})


def test_doubled_columns_are_read_once(root):
    foreign(root)
    for path in (root / LISTING, root / DATA):
        table = pq.read_table(path)
        pq.write_table(table.append_column(table.schema.names[0], table.column(0)), path)
    recordings, codes = read(root)
    assert len(recordings) == 2
    assert codes == {}


def test_another_type_than_declared_is_harmless(root):
    foreign(root)
    table = pq.read_table(root / DATA)
    place = table.schema.names.index("timestamp")
    pq.write_table(table.set_column(place, "timestamp", table.column(place).cast(pa.float64())), root / DATA)
    info = json.loads((root / "meta/info.json").read_text())
    edit_info(root, features=info["features"] | {"timestamp": {"dtype": "float32", "shape": [1], "names": None}})
    _, codes = read(root)
    assert codes == {"ingest.column_type_differs": Harm.HARMLESS}


def test_statistics_wider_than_the_data_are_harmless_and_narrower_ones_mislead(root):
    foreign(root)
    path = root / "meta/stats.json"
    whole = json.loads(path.read_text())["observation.state"]
    path.write_text(json.dumps({"observation.state": whole | {"max": [value + 9 for value in whole["max"]]}}))
    assert read(root)[1] == {"ingest.statistic_differs": Harm.HARMLESS}
    path.write_text(json.dumps({"observation.state": whole | {"max": [value - 0.5 for value in whole["max"]]}}))
    assert read(root)[1] == {"ingest.statistic_differs": Harm.MISLEADS}


@pytest.mark.parametrize(
    ("names", "kind", "meaning"),
    [
        (["shoulder_pan.pos", "elbow_flex.pos", "gripper.pos"], StreamKind.JOINT_POSITION, Provenance.STORED),
        (["x", "y", "joint_1"], StreamKind.JOINT_POSITION, Provenance.ASSUMED),
        (None, StreamKind.JOINT_POSITION, Provenance.ASSUMED),
        (["goal_rel_x", "vx", "vy"], StreamKind.OTHER, Provenance.STORED),
    ],
)
def test_column_names_say_whether_a_state_is_joints(root, names, kind, meaning):
    (recording, _), _ = read(foreign(root, names={"observation.state": names}))
    stream = recording.streams["observation.state" if kind is StreamKind.OTHER else "joints"]
    assert stream.kind is kind
    assert stream.get_provenance(StreamFact.MEANING) is meaning


def test_state_and_actions_by_other_names(root):
    values = np.random.default_rng(1).normal(size=(2 * ROWS, 3)).astype(np.float32)
    (recording, _), _ = read(foreign(root, state=values, actions=values, names={"state": ["j1", "j2", "j3"]}))
    kinds = {stream.kind for stream in recording.streams.values()}
    assert {StreamKind.JOINT_POSITION, StreamKind.ACTION} <= kinds
    assert recording.streams["action"].kind is StreamKind.ACTION


def test_a_column_of_unknown_meaning_is_not_understood(tmp_path):
    count = 2 * ROWS
    extra = np.cumsum(np.ones((count, 2), np.float32), axis=0)
    names = {"observation.state": ["shoulder.pos", "elbow.pos", "gripper.pos"], "wind": ["east", "north"]}
    root = foreign(tmp_path / "set", names=names, latent=extra, wind=extra, **{"next.reward": extra[:, 0]})
    (recording, *_) = open_log(root).recordings
    assert [name for name, one in recording.streams.items() if NOT_UNDERSTOOD in one.notes] == ["latent"]


def test_a_state_whose_columns_have_no_name_is_not_understood(tmp_path):
    (recording, *_) = open_log(foreign(tmp_path / "set")).recordings
    assert NOT_UNDERSTOOD in recording.streams["joints"].notes


@pytest.mark.parametrize("ends_at", [ROWS - 1, ROWS])
def test_a_span_that_ends_at_the_last_frame_or_behind_it_has_all_its_frames(root, ends_at):
    starts = np.asarray([0, ROWS])
    listing = {f"videos/{CAMERA}/{name}": np.zeros(2, np.int64) for name in ("chunk_index", "file_index")}
    listing |= {
        f"videos/{CAMERA}/from_timestamp": starts / FPS,
        f"videos/{CAMERA}/to_timestamp": (starts + ends_at) / FPS,
    }
    foreign(root, episodes=2, listing=listing)
    info = json.loads((root / "meta/info.json").read_text())
    edit_info(root, features=info["features"] | {CAMERA: {"dtype": "video", "shape": [], "names": None}})
    (path := root / f"videos/{CAMERA}/chunk-000/file-000.mp4").parent.mkdir(parents=True)
    path.write_bytes(video(pictures(2 * ROWS), fps=FPS))
    recordings, codes = read(root)
    assert [len(one.streams["camera/top"]) for one in recordings] == [ROWS, ROWS]
    assert "ingest.video_length_differs" not in codes


def old_set(root, ending, **info):
    """Write a set of v2.x with three listed episodes, whose rows have this ending."""
    for folder in ("meta", "data/chunk-000"):
        (root / folder).mkdir(parents=True)
    for index in range(3):
        (root / f"data/chunk-000/episode_{index:06d}{ending}").write_text('{"frame_index": 0, "action": [0.0]}\n')
    rows = [{"episode_index": index, "tasks": ["pick"], "length": 1} for index in range(3)]
    (root / "meta/episodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / "meta/tasks.jsonl").write_text('{"task_index": 0, "task": "pick"}\n')
    features = {"action": {"dtype": "float32", "shape": [1], "names": None}}
    (root / "meta/info.json").write_text(json.dumps({"fps": FPS, "features": features, **info}))
    return root


def test_rows_in_a_format_that_lerobot_does_not_read_are_not_called_absent(root):
    recordings, codes = read(old_set(root, ".jsonl", codebase_version="v2.0"))
    assert recordings == []
    assert codes["ingest.episodes_in_other_format"] is Harm.LOST
    assert codes.keys().isdisjoint({"ingest.episodes_without_data", "ingest.no_episode"})


def test_files_that_the_listing_states_are_not_called_absent(root):
    old_set(root, ".csv", codebase_version="v2.0")
    (root / "data/chunk-000").rename(root / "rows")
    rows = [{"episode_index": index, "length": 1, "data_path": f"rows/episode_{index:06d}.csv"} for index in range(3)]
    (root / "meta/episodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / "rows/episode_000002.csv").unlink()
    _, codes = read(root)
    assert codes.keys() >= {"ingest.episodes_in_other_format", "ingest.episodes_without_data"}


@pytest.mark.parametrize(
    ("version", "file", "expected"),
    [
        ({}, None, {"ingest.statistics_missing"}),
        ({}, "stats.json", set()),
        ({"codebase_version": "v2.0"}, None, {"ingest.file_missing"}),
        ({"codebase_version": "v2.1"}, "stats.json", {"ingest.file_missing"}),
    ],
)
def test_statistics_of_an_assumed_version_are_not_asked_for(root, version, file, expected):
    old_set(root, ".jsonl", **version)
    if file:
        (root / "meta" / file).write_text("{}")
    _, codes = read(root)
    assert codes.keys() & {"ingest.statistics_missing", "ingest.file_missing"} == expected


def test_what_only_a_version_asks_for_stays_open_where_no_version_is_stated(root):
    foreign(root)
    (root / "meta/stats.json").unlink(missing_ok=True)
    _, stated = read(root)
    edit_info(root, codebase_version="")
    _, assumed = read(root)
    assert stated["ingest.file_missing"] is Harm.LOST
    assert assumed["ingest.file_missing"] is Harm.UNCLEAR
    assert assumed["ingest.version_not_stated"] is Harm.MISLEADS
