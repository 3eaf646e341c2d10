"""A LeRobot v2.1 dataset as another team's recorder writes it: made with pyarrow and PyAV alone."""

import json
from pathlib import Path

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FPS, ROWS, JOINTS, SIZE = 30, 120, 6, 96
TASK = "Put the part into the box."
NAMES = [f"joint_{number}" for number in range(JOINTS)]
CAMERA = "observation.images.front"


def write_foreign_set(root: Path, episodes: int = 6, seed: int = 0) -> Path:
    """Write a dataset of reaching motions with a camera that sees them."""
    random = np.random.default_rng(seed)
    backdrop = random.integers(40, 200, size=(SIZE, SIZE, 3), dtype=np.uint8)
    for folder in ("meta", "data/chunk-000", f"videos/chunk-000/{CAMERA}"):
        (root / folder).mkdir(parents=True)
    statistics = []
    for episode in range(episodes):
        states = _motion(random)
        statistics.append({"episode_index": episode, "stats": {"observation.state": _statistics(states)}})
        _write_rows(root / f"data/chunk-000/episode_{episode:06d}.parquet", episode, states)
        _write_video(root / f"videos/chunk-000/{CAMERA}/episode_{episode:06d}.mp4", states, backdrop, random)
    _write_meta(root, episodes)
    (root / "meta/episodes_stats.jsonl").write_text("".join(json.dumps(one) + "\n" for one in statistics))
    return root


def _statistics(values: np.ndarray) -> dict[str, list[float]]:
    measured = {name: getattr(values, name)(axis=0).tolist() for name in ("min", "max", "mean", "std")}
    return measured | {"count": [len(values)]}


def _motion(random: np.random.Generator) -> np.ndarray:
    """Joint angles of one demonstration: a smooth way there and back, never twice the same."""
    t = np.arange(ROWS) / ROWS
    reach = random.uniform(0.3, 0.9, size=JOINTS)
    bend = random.uniform(0.8, 1.6, size=JOINTS)
    way = np.sin(np.pi * t[:, None] ** bend) * reach + 0.05 * np.sin(2 * np.pi * (3 * t[:, None] + bend))
    return (way + random.normal(0, 2e-4, size=way.shape)).astype(np.float32)


def _write_rows(file: Path, episode: int, states: np.ndarray) -> None:
    actions = np.vstack([states[2:], states[-1:], states[-1:]])
    frame = np.arange(ROWS)
    rows = {
        "observation.state": _lists(states), "action": _lists(actions),
        "timestamp": pa.array((frame / FPS).astype(np.float32)), "frame_index": pa.array(frame),
        "episode_index": pa.array(np.full(ROWS, episode)), "index": pa.array(frame + episode * ROWS),
        "task_index": pa.array(np.zeros(ROWS, np.int64)),
    }  # fmt: skip
    pq.write_table(pa.table(rows), file)


def _lists(values: np.ndarray) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])


def _write_video(file: Path, states: np.ndarray, backdrop: np.ndarray, random: np.random.Generator) -> None:
    with av.open(str(file), "w") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "14", "preset": "veryfast"})
        stream.width = stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for state in states:
            picture = backdrop.copy()
            x, y = (int(12 + 50 * abs(float(state[joint]))) for joint in (0, 1))
            picture[y : y + 16, x : x + 16] = (250, 30, 30)
            noisy = picture.astype(np.int16) + random.integers(-16, 17, size=picture.shape)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(noisy.clip(0, 255).astype(np.uint8), "rgb24")))
        container.mux(stream.encode())


def _write_meta(root: Path, episodes: int) -> None:
    vector = {"dtype": "float32", "shape": [JOINTS], "names": NAMES}
    video = {"video.fps": FPS, "video.codec": "h264", "video.pix_fmt": "yuv420p", "has_audio": False}
    picture = {"dtype": "video", "shape": [SIZE, SIZE, 3], "names": ["height", "width", "channels"], "info": video}
    index = {"dtype": "int64", "shape": [1], "names": None}
    features = {
        "observation.state": vector, "action": vector, CAMERA: picture,
        "timestamp": {"dtype": "float32", "shape": [1], "names": None},
        **dict.fromkeys(("frame_index", "episode_index", "index", "task_index"), index),
    }  # fmt: skip
    info = {
        "codebase_version": "v2.1", "robot_type": "so100", "total_episodes": episodes, "total_frames": episodes * ROWS,
        "total_tasks": 1, "total_videos": episodes, "total_chunks": 1, "chunks_size": 1000, "fps": FPS,
        "splits": {"train": f"0:{episodes}"},
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
        "features": features,
    }  # fmt: skip
    (root / "meta/info.json").write_text(json.dumps(info))
    (root / "meta/tasks.jsonl").write_text(json.dumps({"task_index": 0, "task": TASK}) + "\n")
    listed = [{"episode_index": one, "tasks": [TASK], "length": ROWS} for one in range(episodes)]
    (root / "meta/episodes.jsonl").write_text("".join(json.dumps(one) + "\n" for one in listed))
