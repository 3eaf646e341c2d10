"""LeRobot datasets the way a stranger would write them, made by pyarrow alone."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS, FPS = 40, 20


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
