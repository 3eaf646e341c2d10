"""Run in LeRobot's own venv: open a dataset with its library, read every index, put all it says into one file."""

import json
import sys

import lr_shim  # noqa: F401 - before lerobot
import numpy as np
from lerobot.datasets.lerobot_dataset import LeRobotDataset


def main(folder: str, target: str) -> None:
    data = LeRobotDataset("nobody/set", root=folder, video_backend="pyav", depth_output_unit="m", return_uint8=True)
    items = [data[i] for i in range(len(data))]
    arrays = {key: np.stack([np.asarray(item[key]) for item in items]) for key in items[0] if key != "task"}
    stats = {key: {k: np.asarray(v).tolist() for k, v in row.items()} for key, row in (data.meta.stats or {}).items()}
    said = {
        "length": len(data), "episodes": data.num_episodes, "fps": data.fps, "task": [item["task"] for item in items],
        "total_frames": data.meta.total_frames, "total_tasks": data.meta.total_tasks, "stats": stats,
        "tasks": data.meta.tasks["task_index"].to_dict(), "splits": data.meta.info.splits,
        "robot": data.meta.robot_type, "operators": list(data.meta.episodes["operator"]),
        "tasks_of": [list(tasks) for tasks in data.meta.episodes["tasks"]], "rows": len(data.hf_dataset),
    }  # fmt: skip
    np.savez(target, **arrays, said=np.array(json.dumps(said)))


if __name__ == "__main__":
    main(*sys.argv[1:])
