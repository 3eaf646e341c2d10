"""Run in LeRobot's own venv: write the frames with its own writer and print how long that took."""

import json
import os
import sys
import time

import lr_shim  # type: ignore[import-not-found]  # noqa: F401 - before lerobot
import numpy as np
from lerobot.configs.video import RGBEncoderConfig
from lerobot.datasets.lerobot_dataset import LeRobotDataset

FPS = 30


def main(frames: str, rows: str, target: str, streaming: str) -> None:
    pictures, values = np.load(frames, mmap_mode="r"), np.load(rows)
    episodes, cameras, length, height, width, _ = pictures.shape
    names = [f"observation.images.camera_{i}" for i in range(cameras)]
    video = {"dtype": "video", "shape": (height, width, 3), "names": ["height", "width", "channels"]}
    numbers = {"dtype": "float32", "shape": (values.shape[-1],), "names": None}
    features = dict.fromkeys(names, video) | {"observation.state": numbers, "action": numbers}
    plain = {"bf": "0", "x264-params": "rc-lookahead=0:mbtree=0:scenecut=0"}
    encoder = RGBEncoderConfig(vcodec="h264", g=2, crf=20, preset="veryfast", extra_options=plain)
    dataset = LeRobotDataset.create(
        "bench/set", FPS, features, root=target, rgb_encoder=encoder, streaming_encoding=streaming == "True",
        image_writer_threads=0 if streaming == "True" else 4 * cameras,
    )  # fmt: skip
    start, before = time.perf_counter(), _processor_s()
    for episode in range(episodes):
        for i in range(length):
            frame = {name: np.asarray(pictures[episode, j, i]) for j, name in enumerate(names)}
            row = values[episode, i]
            dataset.add_frame(frame | {"observation.state": row, "action": row, "task": "pick"})
        dataset.save_episode()
    dataset.finalize()
    print(json.dumps({"wall_s": time.perf_counter() - start, "processor_s": _processor_s() - before}))


def _processor_s() -> float:
    """Seconds of processor that this process and those it waited for have used."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main(*sys.argv[1:])
