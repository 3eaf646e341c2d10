"""Our LeRobot datasets, opened by LeRobot 0.6.1 in a venv of its own: every index, value by value, frame by frame.

Its loader does not notice video offsets that are swapped, totals that are wrong and statistics that are missing;
the comparison here does, and is shown to.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.oracles import venvs
from tests.release.marked_set import CAMERAS, FPS, KEYS, LENGTHS, truths

from fieldloop.ingest import open_log
from fieldloop.release.writers.lerobot import Limits, write_lerobot
from fieldloop.testing.barcode import Mark, read_barcode

pytestmark = pytest.mark.oracle

READER = Path(__file__).with_name("lerobot_reads.py")
TINY = Limits(data_mb=0.004, video_mb=0.006, files_a_chunk=2)
PER_LEVEL = 12.0  # levels, on average over a picture of 64 × 48 with hard edges
PER_METRE = 0.0023


def run_lerobot(scratch, *command):
    """Run its Python; nothing may be fetched, nothing is left outside the scratch folder."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(scratch / "hf"), "HF_LEROBOT_HOME": str(scratch)}
    done = subprocess.run([venvs.lerobot(), *command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def read_by_lerobot(folder, scratch):
    """Return what LeRobot reads, and what it says of the whole."""
    run_lerobot(scratch, READER, folder, scratch / "read.npz")
    arrays = dict(np.load(scratch / "read.npz"))
    return arrays, json.loads(str(arrays.pop("said")))


def differences(arrays, said, planted):
    """Compare all that was read with what was planted; return what differs."""
    lengths = [len(truth.stamps_ns) for truth in planted]
    tasks = list(dict.fromkeys(task for truth in planted for task in truth.tasks))
    wanted = {
        "length": sum(lengths), "rows": sum(lengths), "total_frames": sum(lengths), "episodes": len(lengths),
        "fps": FPS, "total_tasks": len(tasks), "tasks": {task: i for i, task in enumerate(tasks)}, "robot": "arm-7",
        "splits": {"train": f"0:{len(lengths)}"}, "tasks_of": [truth.tasks for truth in planted],
        "operators": [truth.recording.episode.operator for truth in planted],
        "task": [truth.tasks[0] for truth, n in zip(planted, lengths, strict=True) for _ in range(n)],
    }  # fmt: skip
    found = [f"{key}: {said[key]!r}, not {value!r}" for key, value in wanted.items() if said[key] != value]
    return [*found, *_values(arrays, planted, lengths), *_pictures(arrays, planted), *_stats(said["stats"], planted)]


def _values(arrays, planted, lengths):
    whole = {KEYS[name]: np.concatenate([t.values[name] for t in planted]) for name in planted[0].values}
    whole["capture_ns"] = np.concatenate([np.column_stack([t.stamps_ns[:, 0], t.stamps_ns]) for t in planted])
    whole["index"] = np.arange(sum(lengths))
    whole["episode_index"] = np.repeat(np.arange(len(lengths)), lengths)
    whole["frame_index"] = np.concatenate([np.arange(n) for n in lengths])
    whole["timestamp"] = (whole["frame_index"] / FPS).astype(np.float32)
    for key, value in whole.items():
        got = arrays[key].reshape(len(arrays[key]), -1)
        if not np.array_equal(got, value.reshape(len(value), -1).astype(got.dtype)):  # torch makes float64 float32
            yield f"{key}: the values are not those that were planted"
    if extra := set(arrays) - set(whole) - {KEYS[name] for name in CAMERAS} - {"task_index"}:
        yield f"columns nobody planted: {sorted(extra)}"


def _pictures(arrays, planted):
    for camera, name in enumerate(CAMERAS):
        depth = name.startswith("depth")
        row = 0
        for number, truth in enumerate(planted):
            for frame, wanted in enumerate(truth.recording.streams[name].pictures.frames()):
                if row == len(arrays[KEYS[name]]):
                    return  # said above
                got = arrays[KEYS[name]][row]
                got = got[0] if depth else np.moveaxis(got, 0, 2)
                if read_barcode(got) != Mark(camera, number, frame):
                    yield f"{name}: row {row} shows {read_barcode(got)}, not frame {frame} of episode {number}"
                elif (error := np.abs(got.astype(float) - wanted).mean()) > (PER_METRE if depth else PER_LEVEL):
                    yield f"{name}: row {row} differs by {error:.3g} on average"
                row += 1


def _stats(stats, planted):
    for name in planted[0].values:
        values = np.concatenate([t.values[name] for t in planted]).astype(np.float64)
        wanted = {"min": values.min(0), "max": values.max(0), "mean": values.mean(0), "std": values.std(0)}
        wanted |= {f"q{q:02d}": np.quantile(values, q / 100, axis=0) for q in (1, 10, 50, 90, 99)}
        yield from _differing(KEYS[name], stats.get(KEYS[name], {}), wanted)
    for name in CAMERAS:
        frames = np.stack([f for t in planted for f in t.recording.streams[name].pictures.frames()])
        depth = name.startswith("depth")
        levels = frames.reshape(-1, 1).astype(float) if depth else frames.reshape(-1, 3) / 255
        wanted = {"min": levels.min(0), "max": levels.max(0), "mean": levels.mean(0), "std": levels.std(0)}
        yield from _differing(KEYS[name], stats.get(KEYS[name], {}), wanted, within=0.002 if depth else 1e-9)


def _differing(key, got, wanted, within=1e-9):
    for name, value in wanted.items():
        if name not in got or not np.allclose(np.ravel(got[name]), value, rtol=1e-9, atol=within):
            yield f"stats of {key}: {name} is {got.get(name)}, not {value}"


@pytest.mark.parametrize("codec", ["h264", "av1"])
def test_it_reads_every_frame_as_it_was_written(tmp_path, monkeypatch, codec):
    monkeypatch.setattr("fieldloop.release.writers.lerobot.dataset.EPISODES_AT_ONCE", 2)
    planted = truths()
    write_lerobot([t.recording for t in planted], tmp_path / "set", codec=codec, limits=TINY)
    arrays, said = read_by_lerobot(tmp_path / "set", tmp_path)
    assert differences(arrays, said, planted) == []
    assert len(list((tmp_path / "set").rglob("*.mp4"))) > 3  # files rolled
    assert len(list((tmp_path / "set/data").rglob("*.parquet"))) > 1


def test_it_reads_a_set_without_cameras(tmp_path):
    planted = truths()
    blind = [t.recording.streams.keys() - set(CAMERAS) for t in planted]
    made = [
        type(t.recording)(t.recording.episode, {name: t.recording.streams[name] for name in names})
        for t, names in zip(planted, blind, strict=True)
    ]
    write_lerobot(made, tmp_path / "set")
    arrays, said = read_by_lerobot(tmp_path / "set", tmp_path)
    assert said["length"] == sum(LENGTHS)
    np.testing.assert_array_equal(arrays["action"], np.concatenate([t.values["action"] for t in planted]))


def swap_offsets(folder):
    path = folder / "meta/episodes/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    for side in ("from", "to"):
        key = f"videos/{KEYS['camera/wrist']}/{side}_timestamp"
        values = table[key].to_pylist()
        values[1], values[2] = values[2], values[1]
        table = table.set_column(table.column_names.index(key), key, pa.array(values, pa.float64()))
    pq.write_table(table, path)


def misstate_total(folder):
    info = json.loads((folder / "meta/info.json").read_text())
    info["total_frames"] -= 1
    (folder / "meta/info.json").write_text(json.dumps(info))


def lose_stats(folder):
    (folder / "meta/stats.json").unlink()


@pytest.mark.parametrize(
    ("mutate", "said_of_it"),
    [
        (swap_offsets, "camera/wrist: row 6 shows Mark(camera=1, episode=2, frame=0), not frame 0 of episode 1"),
        (misstate_total, "total_frames: 17, not 18"),
        (lose_stats, "stats of action: mean is None"),
    ],
)
def test_what_its_loader_misses_is_caught_here(tmp_path, mutate, said_of_it):
    planted = truths((6, 6, 6))
    write_lerobot([t.recording for t in planted], tmp_path / "set")
    mutate(tmp_path / "set")
    found = differences(*read_by_lerobot(tmp_path / "set", tmp_path), planted)  # it opens, and says nothing
    assert any(line.startswith(said_of_it) for line in found), found


DELETER = """
import sys
import lr_shim
from pathlib import Path
from lerobot.datasets.dataset_tools import delete_episodes
from lerobot.datasets.lerobot_dataset import LeRobotDataset

data = LeRobotDataset("nobody/set", root=sys.argv[1], video_backend="pyav")
delete_episodes(data, [1], output_dir=Path(sys.argv[2]), repo_id="nobody/less")
"""


def test_its_own_tool_deletes_an_episode_and_the_origin_is_found_again(tmp_path):
    planted = truths((6, 5, 7))
    write_lerobot([t.recording for t in planted], tmp_path / "set")
    run_lerobot(tmp_path, "-c", DELETER, tmp_path / "set", tmp_path / "less")
    columns = pq.read_schema(next((tmp_path / "less/meta/episodes").rglob("*.parquet"))).names
    assert "operator" not in columns  # its tool drops columns that it does not know
    shutil.copy(tmp_path / "set/meta/fieldloop.jsonl", tmp_path / "less/meta/fieldloop.jsonl")
    got = list(open_log(tmp_path / "less").recordings)
    for recording, truth, number in zip(got, (planted[0], planted[2]), (0, 2), strict=True):
        wanted = truth.recording.episode
        assert (recording.episode.operator, recording.episode.site) == (wanted.operator, "köln")
        np.testing.assert_array_equal(recording.streams["joints"].values, truth.values["joints"])
        marks = [read_barcode(picture) for picture in recording.streams["camera/wrist"].pictures.frames()]
        assert marks == [Mark(1, number, i) for i in range(len(truth.stamps_ns))]
