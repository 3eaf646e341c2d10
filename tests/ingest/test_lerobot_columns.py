"""Other people's LeRobot datasets: columns that are stamps, texts, pictures or labels, and tables that lie."""

import json

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.ingest.lerobot_makers import DATA, LISTING, ROWS, foreign

from fieldloop.ingest import open_log
from fieldloop.ingest.readers.lerobot import shard
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.testing.facts import write_note_facts

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def read(root):
    log = open_log(root)
    recordings = list(log.recordings)
    return recordings, [
        f"{d.subject} {d.place}: {write_note_facts(d.message)}"
        for d in (*log.defects, *(d for r in recordings for d in r.defects))
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


# ── texts and labels


def test_texts_are_facts_not_defects(root):
    subtasks = ["reach"] * 30 + ["lift"] * 10 + ["reach"] * 40
    recordings, said = read(foreign(root, instruction=["pick the squash"] * 80, subtask=subtasks))
    assert said == []
    assert recordings[0].episode.get_fact("instruction") == "pick the squash"
    assert json.loads(recordings[0].episode.get_fact("subtask")) == [[0, "reach"], [30, "lift"]]
    assert recordings[1].episode.get_fact("subtask") == "reach"


def test_language_columns(root):
    always = [{"role": "user", "content": "grasp", "style": "subtask", "timestamp": 0.5}]
    events = [[] for _ in range(2 * ROWS)]
    events[7] = [{"role": "user", "content": "faster", "style": "interjection"}]
    recordings, said = read(foreign(root, language_persistent=[always] * 80, language_events=events))
    assert said == []
    assert json.loads(recordings[0].episode.get_fact("language_persistent")) == always
    assert json.loads(recordings[0].episode.get_fact("language_events"))[0] == [7, events[7]]
    assert recordings[1].episode.get_fact("language_events") is None


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
    assert any("facts episode 1: ingest.not_json" in line for line in said)
    assert any("stratum episode 1: ingest.conditions_invalid reason='oops' is not a condition" in line for line in said)
    assert len(said) == 2


def test_what_others_call_it_fills_the_field_and_stays_a_fact(root):
    listing = {"operator_id": ["ann", "bob"], "success": ["yes", "0.7"], "robot_id": ["arm-7", "arm-8"]}
    (first, second), said = read(foreign(root, listing=listing, instruction=["never mind"] * 80))
    assert said == []
    assert (first.episode.operator, first.episode.robot, first.episode.succeeded) == ("ann", "arm-7", True)
    assert (second.episode.succeeded, second.episode.get_fact("success")) == (None, "0.7")
    assert first.episode.task == "pick"  # the table of tasks stands above a column of texts


def test_a_text_too_long_for_a_fact_is_named_by_its_hash(root):
    (first, _), _ = read(foreign(root, listing={"config": ["x" * 70_000, "short"]}))
    assert first.episode.get_fact("config").startswith("70000 characters, sha256 ")


def test_tasks_are_looked_up_by_number_where_the_listing_is_lost(root):
    foreign(root)
    (root / LISTING).unlink()
    recordings, _ = read(root)
    assert [r.episode.task for r in recordings] == ["pick", "pick"]
    (root / "meta/tasks.parquet").unlink()
    _, said = read(root)
    assert any("meta/tasks.parquet : ingest.file_missing" in line for line in said)


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
    assert any("index episode 1: ingest.frame_numbers_differ first=40 last=79" in line for line in said)


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
    assert any(f"{DATA} episode 2, column observation.state: ingest.file_unreadable" in line for line in said)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            lambda rows: rows[1].update({"stats/observation.state/max": [9.0] * 3}),
            "statistic=max column=0 stated=9.0",
        ),
        (
            lambda rows: rows[1].update({"stats/observation.state/count": [7]}),
            "ingest.statistics_of_other_rows",
        ),
        (lambda rows: rows[1].update({"dataset_from_index": 41}), "ingest.frame_numbers_differ first=41 last=79"),
        (lambda rows: rows[1].update({"episode_index": 5}), "ingest.episode_numbers_skipped count=4 skipped=1 to 4"),
        (lambda rows: rows[1].update({"data/file_index": 3}), "ingest.rows_elsewhere"),
        (lambda rows: rows[1].update({"episode_index": 0}), "ingest.episodes_listed_twice"),
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
    assert any(
        "meta/stats.json observation.state/max: ingest.statistic_differs statistic=max column=0 stated=0.1" in line
        for line in said
    )
    edit_listing(root, lambda rows: [row.update(dict.fromkeys([k for k in row if "stats" in k])) for row in rows])
    _, said = read(root)
    assert any("observation.state episode 0: ingest.values_outside_statistics column=0" in line for line in said)
    (root / "meta/stats.json").unlink()
    _, said = read(root)
    assert any("meta/stats.json : ingest.file_missing" in line for line in said)
    (root / "meta/stats.json").write_bytes(b"")
    _, said = read(root)
    assert any("meta/stats.json byte 0: ingest.file_empty" in line for line in said)


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
        f"ghost {DATA}: ingest.columns_missing columns=('ghost',)",
        f"observation.state {DATA}: ingest.column_type_differs declared=float64 found=float32",
        f"extra {DATA}: ingest.columns_not_declared columns=('extra',) refuses=LeRobot",
    ]


def test_rows_of_unlike_length_are_a_defect_of_their_episode(root):
    ragged = pa.array([[1.0, 2.0]] * 70 + [[1.0]] * 10)
    foreign(root, **{"observation.odd": ragged})
    edit_json(root / "meta/info.json", lambda raw: raw["features"]["observation.odd"].update(dtype="float64"))
    recordings, said = read(root)
    assert recordings[0].streams["observation.odd"].values.shape == (ROWS, 2)
    assert "observation.odd" not in recordings[1].streams
    left_out = "ingest.column_left_out episode=1 column=observation.odd reason=its rows differ in length"
    assert said == [f"{DATA} episode 1, column observation.odd: {left_out}"]


@pytest.mark.parametrize("name", [DATA, LISTING, "meta/info.json", "meta/stats.json"])
@pytest.mark.parametrize(
    ("pointer", "advice"), [(POINTER, "git lfs pull"), (b"/annex/objects/SHA256E-s99--ab.parquet\n", "git annex get")]
)
def test_a_pointer_in_place_of_a_file_says_what_to_do(root, name, pointer, advice):
    foreign(root)
    (root / name).write_bytes(pointer)
    _, said = read(root)
    assert any(name in line and "pointer, not the file" in line and advice in line for line in said), said
