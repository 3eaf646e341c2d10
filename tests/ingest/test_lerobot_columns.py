"""Other people's LeRobot datasets: columns that are stamps, texts, pictures or labels, and tables that lie."""

import json

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldloop.ingest import open_log
from fieldloop.ingest.readers.lerobot import shard
from fieldloop.model.stream import ClockKind, StreamKind

ROWS, FPS = 40, 20
EPOCH_NS = 1_767_225_600_000_000_000
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def column(values):
    """An Arrow column of rows of numbers, or whatever else it is."""
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return values if isinstance(values, pa.Array) else pa.array(values)


def dtype_of(values):
    if isinstance(values, np.ndarray):
        return str(values.dtype)
    kind = column(values).type
    return "image" if pa.types.is_struct(kind) else "language" if pa.types.is_list(kind) else "string"


def foreign(root, episodes=2, row_group=ROWS, listing=None, names=None, **columns):
    """Write a v3.0 dataset the way a stranger would: each column for all episodes, `ROWS` rows each."""
    count = episodes * ROWS
    random = np.random.default_rng(0)
    columns = {"observation.state": random.normal(size=(count, 3)).astype(np.float32), **columns}
    features = {
        key: {"dtype": dtype_of(values), "shape": [*getattr(values, "shape", ())[1:]] or [1], "names": None}
        for key, values in columns.items()
    }
    for key, given in (names or {}).items():
        features[key]["names"] = given
    frame, owner = np.tile(np.arange(ROWS), episodes), np.repeat(np.arange(episodes), ROWS)
    columns |= {
        "timestamp": (frame / FPS).astype(np.float32), "frame_index": frame, "episode_index": owner,
        "index": np.arange(count), "task_index": np.zeros(count, np.int64),
    }  # fmt: skip
    for folder in ("meta/episodes/chunk-000", "data/chunk-000"):
        (root / folder).mkdir(parents=True)
    table = pa.table({key: column(values) for key, values in columns.items()})
    pq.write_table(table, root / "data/chunk-000/file-000.parquet", row_group_size=row_group)
    starts = np.arange(episodes) * ROWS
    rows = {
        "episode_index": np.arange(episodes), "tasks": [["pick"]] * episodes, "length": np.full(episodes, ROWS),
        "data/chunk_index": np.zeros(episodes, np.int64), "data/file_index": np.zeros(episodes, np.int64),
        "dataset_from_index": starts, "dataset_to_index": starts + ROWS, **(listing or {}),
    }  # fmt: skip
    state = columns["observation.state"].reshape(episodes, ROWS, -1)
    rows |= {"stats/observation.state/min": state.min(1).tolist(), "stats/observation.state/max": state.max(1).tolist()}
    rows["stats/observation.state/count"] = [[ROWS]] * episodes
    pq.write_table(pa.table({key: column(v) for key, v in rows.items()}), root / LISTING)
    pq.write_table(pa.table({"task_index": [0], "task": ["pick"]}), root / "meta/tasks.parquet")
    whole = {"min": state.min((0, 1)).tolist(), "max": state.max((0, 1)).tolist(), "count": [count]}
    (root / "meta/stats.json").write_text(json.dumps({"observation.state": whole}))
    info = {"codebase_version": "v3.0", "fps": FPS, "robot_type": "so101", "features": features,
            "total_episodes": episodes, "total_frames": count}  # fmt: skip
    (root / "meta/info.json").write_text(json.dumps(info))
    return root


LISTING = "meta/episodes/chunk-000/file-000.parquet"
DATA = "data/chunk-000/file-000.parquet"


def read(root):
    log = open_log(root)
    recordings = list(log.recordings)
    return recordings, [
        f"{d.subject} {d.place}: {d.message}" for d in (*log.defects, *(d for r in recordings for d in r.defects))
    ]


def edit_json(path, change):
    raw = json.loads(path.read_text())
    change(raw)
    path.write_text(json.dumps(raw))


def edit_listing(root, change):
    table = pq.read_table(root / LISTING)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, table.schema), root / LISTING)


@pytest.fixture
def root(tmp_path):
    return tmp_path / "theirs"


def test_a_strangers_set_reads_without_complaint(root):
    recordings, said = read(foreign(root))
    assert said == []
    assert [r.episode.task for r in recordings] == ["pick", "pick"]
    assert {r.episode.robot for r in recordings} == {"so101"}
    joints = recordings[1].streams["joints"]
    assert (joints.clock, joints.kind, joints.values.shape) == (
        ClockKind.SYNTHETIC, StreamKind.JOINT_POSITION, (ROWS, 3),
    )  # fmt: skip


# ── stamps


def stamps_ns():
    """Two episodes at an uneven 20 Hz, an hour apart."""
    steps = np.random.default_rng(1).uniform(45e6, 55e6, (2, ROWS)).astype(np.int64)
    return (EPOCH_NS + np.cumsum(steps, 1) + np.array([[0], [3_600 * 10**9]])).ravel()


@pytest.mark.parametrize(
    ("name", "scale", "kind"),
    [
        ("observation.state.timestamp", 1, np.int64),
        ("observation.state_stamp_ns", 1, np.int64),
        ("observation.state.timestamp_us", 1_000, np.int64),
        ("state_timestamp", 1_000_000, np.int64),
        ("observation.state.timestamp", 1_000_000_000, np.float64),
        ("capture_timestamp", 1_000, np.int64),
        ("timestamp_ns", 1, np.int64),
    ],
)
def test_columns_that_plainly_are_stamps_are_the_streams_own(root, name, scale, kind):
    real = stamps_ns()
    recordings, said = read(foreign(root, **{name: (real // scale if kind is np.int64 else real / scale).astype(kind)}))
    assert said == []
    for recording, wanted in zip(recordings, real.reshape(2, ROWS), strict=True):
        joints = recording.streams["joints"]
        assert joints.clock is ClockKind.HEADER
        assert name in joints.notes["stamps"]
        assert np.abs(joints.times_ns - wanted).max() < max(scale, 512)  # a float64 of this century has 238 ns steps
        assert name not in recording.streams
        assert recording.episode.start_ns == joints.times_ns[0]


def test_a_stamp_of_one_stream_is_not_anothers(root):
    effort = np.ones((2 * ROWS, 2), np.float32)
    recordings, _ = read(foreign(root, **{"observation.effort": effort, "observation.effort.timestamp": stamps_ns()}))
    assert recordings[0].streams["observation.effort"].clock is ClockKind.HEADER
    assert recordings[0].streams["joints"].clock is ClockKind.SYNTHETIC


@pytest.mark.parametrize(
    "values",
    [
        np.tile(np.arange(ROWS) * (10**9 // FPS), 2),  # frame number over rate again
        np.random.default_rng(0).permutation(2 * ROWS) * 10**7,  # not rising
        np.arange(2 * ROWS) * 86_400 * 10**9,  # a frame a day
        np.zeros(2 * ROWS, np.int64),
        np.full(2 * ROWS, np.iinfo(np.int64).max),
        np.where(np.arange(2.0 * ROWS) == 3, np.nan, np.arange(2.0 * ROWS)),
    ],
)
def test_columns_that_only_sound_like_stamps_stay_streams(root, values):
    recordings, _ = read(foreign(root, **{"observation.state.timestamp_ns": values}))
    assert recordings[0].streams["joints"].clock is ClockKind.SYNTHETIC
    assert "observation.state.timestamp_ns" in recordings[0].streams


# ── texts and labels


def test_texts_are_facts_not_defects(root):
    subtasks = ["reach"] * 30 + ["lift"] * 10 + ["reach"] * 40
    recordings, said = read(foreign(root, instruction=["pick the squash"] * 80, subtask=subtasks))
    assert said == []
    assert recordings[0].episode.fact("instruction") == "pick the squash"
    assert json.loads(recordings[0].episode.fact("subtask")) == [[0, "reach"], [30, "lift"]]
    assert recordings[1].episode.fact("subtask") == "reach"


def test_language_columns(root):
    always = [{"role": "user", "content": "grasp", "style": "subtask", "timestamp": 0.5}]
    events = [[] for _ in range(2 * ROWS)]
    events[7] = [{"role": "user", "content": "faster", "style": "interjection"}]
    recordings, said = read(foreign(root, language_persistent=[always] * 80, language_events=events))
    assert said == []
    assert json.loads(recordings[0].episode.fact("language_persistent")) == always
    assert json.loads(recordings[0].episode.fact("language_events"))[0] == [7, events[7]]
    assert recordings[1].episode.fact("language_events") is None


def test_labels_are_streams_and_tell_success(root):
    success = np.zeros(2 * ROWS, np.bool_)
    success[ROWS - 1] = True
    columns = {
        "next.success": success, "intervention": ~success, "subtask_index": np.arange(2 * ROWS) // 10,
        "next.reward": success.astype(np.float32),
    }  # fmt: skip
    recordings, said = read(foreign(root, **columns))
    assert said == []
    assert [r.episode.succeeded for r in recordings] == [True, None]
    assert recordings[0].streams["intervention"].values.dtype == np.bool_
    assert recordings[0].streams["subtask_index"].values[-1] == 3


def test_what_the_table_of_episodes_says_more(root):
    listing = {
        "operator": ["ann", "bob"], "lux": [410.5, 380.0], "succeeded": [True, False], "stratum": ["bin=left", "oops"],
        "sparse_subtask_names": [["reach", "lift"], ["reach"]], "simulated": [False, None],
        "facts": ['{"surface": "steel", "grip_pressure": 3}', "{broken"],
    }  # fmt: skip
    (first, second), said = read(foreign(root, listing=listing))
    assert (first.episode.operator, first.episode.succeeded, first.episode.simulated) == ("ann", True, False)
    assert first.episode.stratum.level("bin") == "left"
    facts = dict(first.episode.facts)
    assert (facts["lux"], facts["surface"], facts["grip_pressure"]) == ("410.5", "steel", "3")
    assert json.loads(facts["sparse_subtask_names"]) == ["reach", "lift"]
    assert second.episode.succeeded is False
    assert any("facts episode 1: Further facts are no JSON" in line for line in said)
    assert any("stratum episode 1: 'oops' is not factor=level" in line for line in said)
    assert len(said) == 2


def test_tasks_are_looked_up_by_number_where_the_listing_is_lost(root):
    foreign(root)
    (root / LISTING).unlink()
    recordings, _ = read(root)
    assert [r.episode.task for r in recordings] == ["pick", "pick"]
    (root / "meta/tasks.parquet").unlink()
    _, said = read(root)
    assert any("meta/tasks.parquet : The file is missing" in line for line in said)


def test_names_in_all_their_forms(root):
    recordings, _ = read(foreign(root, names={"observation.state": {"motors": {"arm": ["a", "b"], "hand": ["c"]}}}))
    assert recordings[0].streams["joints"].columns == ("a", "b", "c")


# ── pictures inside the table


def pictures(values):
    coded = [cv2.imencode(".png", np.full((6, 8, 3), value, np.uint8))[1].tobytes() for value in values]
    return pa.array([{"bytes": data, "path": None} for data in coded])


@pytest.mark.parametrize("row_group", [ROWS, 7, 1000])
def test_pictures_in_the_table_stay_there_until_asked_for(root, row_group):
    values = np.arange(2 * ROWS)
    recordings, said = read(foreign(root, row_group=row_group, **{"observation.images.top": pictures(values)}))
    assert said == []
    camera = recordings[1].streams["camera/top"]
    assert (camera.kind, camera.pictures.size, len(camera.pictures)) == (StreamKind.RGB, (8, 6), ROWS)
    assert [int(f[0, 0, 0]) for f in camera.pictures.frames()] == values[ROWS:].tolist()
    assert [int(f[0, 0, 0]) for f in camera.pictures.frames([39, 0, 5, 5])] == [40, 45, 45, 79]
    assert next(camera.pictures.encoded([3]))[0] == "png"


def test_pictures_are_part_of_what_an_episode_is(tmp_path):
    values = np.arange(2 * ROWS)
    one, _ = read(foreign(tmp_path / "one", **{"observation.image": pictures(values)}))
    values[50] = 0
    other, _ = read(foreign(tmp_path / "other", **{"observation.image": pictures(values)}))
    assert one[0].episode.id == other[0].episode.id
    assert one[1].episode.id != other[1].episode.id


def test_a_picture_that_is_none_is_empty(root):
    cells = pictures(np.arange(2 * ROWS)).to_pylist()
    cells[3]["bytes"], cells[4]["bytes"], cells[5] = b"\x89PNG broken", None, None
    cells[6] = {"bytes": None, "path": "../../../etc/passwd"}
    recordings, _ = read(foreign(root, **{"observation.image": pa.array(cells)}))
    frames = list(recordings[0].streams["camera/image"].pictures.frames())
    assert [i for i, frame in enumerate(frames) if not frame.size] == [3, 4, 5, 6]


# ── tables that lie


def test_an_episode_is_the_same_however_its_rows_are_packed(tmp_path, monkeypatch):
    ids = []
    for number, (row_group, batch) in enumerate([(ROWS, 32 << 20), (7, 1), (1000, 1), (16, 2000)]):
        monkeypatch.setattr(shard, "BATCH_BYTES", batch)
        recordings, said = read(foreign(tmp_path / f"{number}", row_group=row_group, label=["a", "b"] * ROWS))
        assert said == []
        ids.append([r.episode.id for r in recordings])
    assert ids[1:] == ids[:-1]
    assert len(set(ids[0])) == 2


def test_rows_out_of_order_find_their_episode(root):
    whole, _ = read(foreign(root))
    table = pq.read_table(root / DATA)
    mixed = table.take([*range(60, 80), *range(40), *range(40, 60)])
    pq.write_table(mixed, root / DATA, row_group_size=25)
    recordings, said = read(root)
    assert recordings[0].episode.id == whole[0].episode.id
    values = [r.streams["joints"].values for r in (recordings[1], whole[1])]
    np.testing.assert_array_equal(values[0], np.concatenate([values[1][20:], values[1][:20]]))
    assert any("index episode 1: The table of episodes gives it frames 40 to 79" in line for line in said)


def test_a_broken_stretch_costs_its_own_episode_and_column(root):
    whole, _ = read(foreign(root, episodes=4))
    part = pq.ParquetFile(root / DATA).metadata.row_group(2).column(0)
    data = bytearray((root / DATA).read_bytes())
    start = part.dictionary_page_offset or part.data_page_offset
    data[start : start + part.total_compressed_size] = bytes(part.total_compressed_size)
    (root / DATA).write_bytes(data)
    recordings, said = read(root)
    assert [r.episode.id == w.episode.id for r, w in zip(recordings, whole, strict=True)] == [True, True, False, True]
    assert "joints" not in recordings[2].streams
    assert any(f"{DATA} episode 2, column observation.state: The file cannot be read" in line for line in said)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda rows: rows[1].update({"stats/observation.state/max": [9.0] * 3}), "The stated max of column 0 is 9"),
        (lambda rows: rows[1].update({"stats/observation.state/count": [7]}), "Statistics were made of 7 frames"),
        (lambda rows: rows[1].update({"dataset_from_index": 41}), "gives it frames 41 to 79"),
        (lambda rows: rows[1].update({"episode_index": 5}), "4 numbers of episodes are left out: 1 to 4"),
        (lambda rows: rows[1].update({"data/file_index": 3}), "LeRobot itself would read another episode's rows"),
        (lambda rows: rows[1].update({"episode_index": 0}), "An episode is listed twice"),
    ],
)
def test_what_the_listing_states_wrongly_is_named(root, change, line):
    edit_listing(foreign(root), change)
    recordings, said = read(root)
    assert len(recordings) == 2
    assert any(line in each for each in said), said


def test_statistics_of_the_whole(root):
    foreign(root)
    edit_json(root / "meta/stats.json", lambda raw: raw["observation.state"].update(max=[0.1, 0.1, 0.1]))
    _, said = read(root)
    assert any("meta/stats.json observation.state/max: Column 0 is stated as 0.1" in line for line in said)
    edit_listing(root, lambda rows: [row.update(dict.fromkeys([k for k in row if "stats" in k])) for row in rows])
    _, said = read(root)
    assert any("observation.state episode 0: Column 0 goes from" in line for line in said)
    (root / "meta/stats.json").unlink()
    _, said = read(root)
    assert any("meta/stats.json : The file is missing" in line for line in said)
    (root / "meta/stats.json").write_bytes(b"")
    _, said = read(root)
    assert any("meta/stats.json byte 0: The file is empty" in line for line in said)


def test_what_is_declared_and_what_is_there(root):
    foreign(root, extra=np.zeros(2 * ROWS))

    def change(raw):
        raw["features"]["observation.state"]["dtype"] = "float64"
        raw["features"]["ghost"] = {"dtype": "float32", "shape": [1], "names": None}
        del raw["features"]["extra"]

    edit_json(root / "meta/info.json", change)
    recordings, said = read(root)
    assert len(recordings) == 2
    assert said == [
        f"observation.state {DATA}: float64 is declared in meta/info.json, but the column holds float32.",
        f"ghost {DATA}: The feature is declared, but the table has no such column.",
        f"extra {DATA}: The column is not declared in meta/info.json; LeRobot will not open the dataset.",
    ]


def test_rows_of_unlike_length_are_a_defect_of_their_episode(root):
    ragged = pa.array([[1.0, 2.0]] * 70 + [[1.0]] * 10)
    foreign(root, **{"observation.odd": ragged})
    edit_json(root / "meta/info.json", lambda raw: raw["features"]["observation.odd"].update(dtype="float64"))
    recordings, said = read(root)
    assert recordings[0].streams["observation.odd"].values.shape == (ROWS, 2)
    assert "observation.odd" not in recordings[1].streams
    assert said == [f"{DATA} episode 1, column observation.odd: The column was left out: its rows differ in length."]


@pytest.mark.parametrize("name", [DATA, LISTING, "meta/info.json", "meta/stats.json"])
def test_a_pointer_in_place_of_a_file_says_what_to_do(root, name):
    foreign(root)
    (root / name).write_bytes(POINTER)
    _, said = read(root)
    assert any(name in line and "Git LFS pointer" in line and "git lfs pull" in line for line in said), said
