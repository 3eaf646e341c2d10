"""Logs to read: made once, copied before they are hurt."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldloop.release.writers import write_lerobot, write_mcap
from fieldloop.testing.shared import find_shared_data
from fieldloop.testing.synthetic import make_healthy_recording


@pytest.fixture(scope="session")
def recording():
    return make_healthy_recording()


@pytest.fixture(scope="session")
def mcap_log(recording, tmp_path_factory):
    return write_mcap([recording], tmp_path_factory.mktemp("mcap") / "pick.mcap").path


@pytest.fixture(scope="session")
def written_v3(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lerobot") / "picks"
    write_lerobot((make_healthy_recording(seed=i) for i in range(3)), folder)
    return folder


@pytest.fixture
def v3(written_v3, tmp_path):
    return shutil.copytree(written_v3, tmp_path / "picks")


@pytest.fixture(scope="session")
def written_v2(written_v3, tmp_path_factory):
    """The same set in the older layout: one file an episode."""
    root = tmp_path_factory.mktemp("lerobot") / "picks-v2"
    (root / "meta").mkdir(parents=True)
    info = json.loads((written_v3 / "meta/info.json").read_text())
    frames = pq.read_table(written_v3 / "data/chunk-000/file-000.parquet")
    info |= {
        "codebase_version": "v2.1",
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    }
    cameras = [key for key, feature in info["features"].items() if feature["dtype"] == "video"]
    lines, stats = [], []
    for index in range(info["total_episodes"]):
        rows = frames.filter(pa.compute.equal(frames["episode_index"], index))
        _put(rows, root / f"data/chunk-000/episode_{index:06d}.parquet")
        lines.append(json.dumps({"episode_index": index, "tasks": ["pick"], "length": rows.num_rows}))
        stats.append(json.dumps({"episode_index": index, "stats": _stats(rows, info)}))
        for key in cameras:
            _encode(root / f"videos/chunk-000/{key}/episode_{index:06d}.mp4", rows.num_rows)
    (root / "meta/info.json").write_text(json.dumps(info))
    (root / "meta/episodes.jsonl").write_text("\n".join(lines))
    (root / "meta/episodes_stats.jsonl").write_text("\n".join(stats))
    (root / "meta/tasks.jsonl").write_text(json.dumps({"task_index": 0, "task": "pick"}))
    return root


@pytest.fixture
def v2(written_v2, tmp_path):
    return shutil.copytree(written_v2, tmp_path / "picks-v2")


@pytest.fixture
def shared():
    def find(name):
        folder = find_shared_data(name)
        if folder is None:
            pytest.skip(f"the shared data set {name} is not on this machine (FIELDLOOP_SHARED)")
        return folder

    return find


def _stats(rows, info):
    columns = [key for key, feature in info["features"].items() if feature["dtype"] != "video"]
    arrays = {key: np.asarray(rows[key].to_pylist()).reshape(rows.num_rows, -1) for key in columns}
    return {
        key: {"min": values.min(0).tolist(), "max": values.max(0).tolist(), "count": [len(values)]}
        for key, values in arrays.items()
    }


def _put(table, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def _encode(path, frames):
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"preset": "ultrafast", "g": "10"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for i in range(frames):
            picture = np.full((48, 64, 3), 60 + i % 120, np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
