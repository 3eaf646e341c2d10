"""Labels inside LeRobot datasets: two forms written, three read, rows and files otherwise as they were."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.ingest.readers.lerobot.labels import Form, is_lerobot_folder, read_lerobot_labels
from fieldloop.loop.ship.dataset_labels import add_labels_to_dataset
from fieldloop.loop.work.label_files import read_dataset_labels
from fieldloop.model.annotation import Annotation
from fieldloop.release.writers import write_lerobot
from fieldloop.release.writers.lerobot.labels import write_lerobot_labels
from fieldloop.testing.synthetic import make_healthy_recording

S = 10**9


@pytest.fixture(scope="module")
def recordings():
    return [make_healthy_recording(seed=n) for n in range(2)]


def spans(recording, *rows):
    start = recording.episode.start_ns
    return [
        Annotation(recording.episode.id, kind, label, start + round(a * S), start + round(b * S), "ann")
        for kind, label, a, b in rows
    ]


@pytest.fixture
def written(recordings, tmp_path):
    folder = tmp_path / "set"
    write_lerobot(recordings, folder)
    return folder


@pytest.fixture
def labels(recordings):
    first, second = recordings
    return {
        first.episode.id: spans(
            first, ("phase", "approach", 0, 4), ("phase", "grasp", 4, 6), ("phase", "lift", 7, 9),
            ("action", "pick", 0, 9), ("grasp", "pinch", 4, 6),
        ),
        second.episode.id: [],
    }  # fmt: skip


def test_both_forms_are_written_and_read_back(written, labels, recordings):
    before = pq.read_table(written / "data/chunk-000/file-000.parquet")
    done = write_lerobot_labels(written, labels, 30.0)
    assert (done.episodes, done.labels, done.kinds_left_out, done.gaps) == (1, 4, ("grasp",), 1)
    found = read_lerobot_labels(written)
    by_form = {form: [(f.kind, f.label, f.start_s, f.end_s) for f in found if f.form is form] for form in Form}
    assert by_form[Form.SARM] == [
        ("phase", "approach", 0, 4), ("phase", "grasp", 4, 6), ("phase", "lift", 7, 9), ("action", "pick", 0, 9)
    ]  # fmt: skip
    language = by_form[Form.LANGUAGE]
    assert [row[:3] for row in language] == [("phase", "approach", 0), ("phase", "grasp", 4), ("phase", "lift", 7)]
    assert [row[3] for row in language] == pytest.approx([4, 7, 10], abs=1e-5)  # a state ends where the next begins
    assert {f.uid for f in found} == {recordings[0].episode.id}
    after = pq.read_table(written / "data/chunk-000/file-000.parquet")
    assert after.select(before.column_names).equals(before)
    stamps = after["timestamp"].to_numpy()
    atoms = after["language_persistent"][0].as_py()
    assert {np.float32(atom["timestamp"]) for atom in atoms} <= set(stamps)  # no tolerance: stamps of rows
    assert after["language_persistent"][299].as_py() == atoms
    assert after["language_persistent"][300].as_py() == []
    shares = json.loads((written / "meta/temporal_proportions_dense.json").read_text())
    assert shares == pytest.approx({"approach": 0.5, "grasp": 0.25, "lift": 0.25})


def test_the_dataset_still_opens_as_it_was(written, labels):
    before = [(r.episode.name, sorted(r.streams)) for r in open_log(written).recordings]
    write_lerobot_labels(written, labels, 30.0)
    log = open_log(written)
    assert [(r.episode.name, sorted(r.streams)) for r in log.recordings] == before
    assert not log.defects


def test_of_several_forms_the_one_that_states_ends_is_taken(written, labels):
    write_lerobot_labels(written, labels, 30.0)
    assert is_lerobot_folder(written)
    taken = read_dataset_labels(written)
    assert [(s.kind, s.label, s.end / S) for s in taken.spans] == [
        ("phase", "approach", 4), ("phase", "grasp", 6), ("phase", "lift", 9), ("action", "pick", 9)
    ]  # fmt: skip


def test_the_older_table_is_read(written):
    table = pa.table({"subtask": ["approach", "grasp"], "subtask_index": [0, 1]})
    pq.write_table(table, written / "meta/subtasks.parquet")
    path = written / "data/chunk-000/file-000.parquet"
    data = pq.read_table(path)
    frame = data["frame_index"].to_numpy()
    number = np.where(frame < 90, 0, np.where(frame < 150, 1, -1))
    pq.write_table(data.append_column("subtask_index", pa.array(number)), path)
    found = read_lerobot_labels(written)
    assert [(f.form, f.episode_index, f.label, f.start_s, f.end_s) for f in found] == [
        (Form.LEGACY, n, label, pytest.approx(a), pytest.approx(b))
        for n in (0, 1)
        for label, a, b in (("approach", 0, 3), ("grasp", 3, 5))
    ]


def test_an_export_states_what_the_dataset_cannot_hold(written, labels):
    every = [a for several in labels.values() for a in several]
    lost = add_labels_to_dataset(written, "lerobot", every)
    assert [(n.code, dict(n.numbers)) for n in lost] == [
        ("release.labels_of_other_kinds", {"kinds": ("grasp",)}), ("release.labels_without_gaps", {"gaps": 1})
    ]  # fmt: skip
    assert add_labels_to_dataset(written, "rlds", every) == ()


def test_a_dataset_without_labels_or_with_broken_ones_is_refused(written):
    with pytest.raises(BadInput, match="without labels"):
        read_dataset_labels(written)
    path = written / "meta/episodes/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    for part, rows in (("names", [["a"]] * 2), ("start_times", [[0.0, 1.0]] * 2), ("end_times", [[1.0]] * 2)):
        table = table.append_column(f"dense_subtask_{part}", pa.array(rows))
    pq.write_table(table, path)
    with pytest.raises(BadInput, match="dense_subtask_names, _start_times and _end_times differ in length"):
        read_lerobot_labels(written)
    path.write_bytes(b"PAR1")
    with pytest.raises(BadInput, match="cannot be read"):
        read_lerobot_labels(written)
