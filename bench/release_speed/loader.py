"""Frames a second that a trainer gets, from the same LeRobot dataset: fieldloop, LeRobot 0.6.1, and the decoder alone.

Everything is counted in CPU seconds, one process without workers, files in the page cache. A dataset of our own writer
(two cameras of 640 × 480, a key frame every second frame, as LeRobot records; AV1, and h264 in the long form) is read
- by `fl.open_dataset`, as a DataLoader does: batches of 32 frames, at random and in order;
- by LeRobot's `dataset[i]`, uint8 pictures, by PyAV, and by torchcodec where that can be loaded;
- by PyAV alone: all frames of both videos decoded to RGB in order, in one thread. No loader can be faster in order.
A frame is a row with both pictures. Ours come as NumPy arrays, LeRobot's as tensors.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.format_speed.lerobot_venv import find_python
from bench.harness import Figure, Missing, Skipped, summarise
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.python_api.frames import open_dataset
from fieldloop.release.writers import write_lerobot
from fieldloop.release.writers.lerobot.video import Codec

HZ, WIDTH, HEIGHT, JOINTS, BATCH = 30, 640, 480, 7, 32
CAMERAS = ("front", "wrist")

LEROBOT = """
import lr_shim
import json, random, sys, time
import torch
torch.set_num_threads(1)
from lerobot.datasets.lerobot_dataset import LeRobotDataset
root, backend, repeats, frames = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if backend == "torchcodec":
    import torchcodec
data = LeRobotDataset("fieldloop/bench", root=root, video_backend=backend, return_uint8=True)
def rate(indices):
    began = time.process_time()
    for index in indices:
        data[index]
    return len(indices) / (time.process_time() - began)
found = {"random": [], "ordered": []}
data[0]
for k in range(repeats):
    found["random"].append(rate(random.Random(k).sample(range(len(data)), frames)))
    first = k * frames % max(len(data) - frames, 1)
    found["ordered"].append(rate(range(first, first + frames)))
print(json.dumps(found))
"""


def measure_loaders(folder: Path, *, short: bool) -> Iterator[tuple[str, Figure | Skipped]]:
    """Write a dataset, then read it by each loader."""
    codecs: tuple[Codec, ...] = ("av1",) if short else ("av1", "h264")
    for codec in codecs:
        mark = "" if codec == "av1" else f"_{codec}"
        root = folder / f"set-{codec}"
        write_lerobot(_make_recordings(4 if short else 20), root, codec=codec)
        repeats, frames = (4, 192) if short else (8, 960)
        ours = _measure_ours(root, repeats, frames)
        for order, rates in ours.items():
            yield f"loader_{order}{mark}_fps", summarise(rates, "frames/CPU s")
        alone = _measure_decoder_alone(root)
        yield f"decoder_alone{mark}_fps", Figure(alone, unit="frames/CPU s")
        share = summarise([one / alone for one in ours["ordered"]], "×", "1 is the limit")
        yield f"loader_of_decoder{mark}", share
        yield from _compare_with_lerobot(root, ours, mark, repeats, frames // 2 if short else frames)


def _compare_with_lerobot(
    root: Path, ours: Mapping[str, Sequence[float]], mark: str, repeats: int, frames: int
) -> Iterator[tuple[str, Figure | Skipped]]:
    for backend, key in (("pyav", "loader_ratio"), ("torchcodec", "loader_ratio_torchcodec")):
        try:
            theirs = _run_lerobot(root, backend, repeats, frames)
        except Missing as reason:
            yield f"{key}{mark}", Skipped(str(reason))
            continue
        for order in ("random", "ordered"):
            name = f"{key}{mark}" if order == "random" else f"{key}_ordered{mark}"
            ratios = [a / b for a, b in zip(ours[order], theirs[order], strict=True)]
            aim = "≥ 5" if backend == "pyav" else ""
            yield f"lerobot_{backend}_{order}{mark}_fps", summarise(theirs[order], "frames/CPU s")
            yield name, summarise(ratios, "×", aim)


def _run_lerobot(root: Path, backend: str, repeats: int, frames: int) -> Mapping[str, list[float]]:
    command = [str(find_python()), "-c", LEROBOT, str(root), backend, str(repeats), str(frames)]
    quiet = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "PYTHONPATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | quiet)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Missing(f"LeRobot with {backend}: {last[:120]}")
    found: dict[str, list[float]] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _measure_ours(root: Path, repeats: int, frames: int) -> dict[str, list[float]]:
    opened = open_dataset(root, tensors=False)
    found: dict[str, list[float]] = {"random": [], "ordered": []}
    for k in range(repeats):
        drawn = np.random.default_rng(k).permutation(len(opened))[:frames]
        first = k * frames % max(len(opened) - frames, 1)
        for order, rows in (("random", drawn), ("ordered", np.arange(first, first + frames))):
            began = time.process_time()
            for at in range(0, frames, BATCH):
                opened.__getitems__(rows[at : at + BATCH].tolist())
            found[order].append(frames / (time.process_time() - began))
    return found


def _measure_decoder_alone(root: Path) -> float:
    """Decode every video in order, in one thread, to RGB; rows per CPU second."""
    import av
    from av.video.reformatter import VideoReformatter

    began, frames = time.process_time(), 0
    for path in sorted(root.rglob("*.mp4")):
        with av.open(str(path)) as container:
            stream, colours = container.streams.video[0], VideoReformatter()
            stream.codec_context.thread_count = 1
            for frame in container.decode(stream):
                colours.reformat(frame, format="rgb24", threads=1).to_ndarray()
                frames += 1
    return frames / len(CAMERAS) / (time.process_time() - began)


def _make_recordings(episodes: int, seconds: float = 10.0) -> list[Recording]:
    return [_make_recording(number, round(seconds * HZ)) for number in range(episodes)]


def _make_recording(number: int, frames: int) -> Recording:
    """An episode in which a bright square follows a path over a textured ground, with noise as a camera has."""
    random = np.random.default_rng(number)
    stamps = (1_760_000_000 + number * 60) * NS_PER_S + np.arange(frames) * (NS_PER_S // HZ)
    joints = np.cumsum(random.normal(0, 0.02, (frames, JOINTS)), axis=0)
    clocks = {ClockKind.HEADER: stamps}
    streams = [
        Stream("joints", StreamKind.JOINT_POSITION, "rad", clocks, joints, nominal_hz=HZ),
        Stream("action", StreamKind.ACTION, "rad", clocks, np.roll(joints, -1, axis=0), nominal_hz=HZ),
        *(
            Stream(f"camera/{c}", StreamKind.RGB, "8-bit", clocks, pictures=_Scene(number + k, joints), nominal_hz=HZ)
            for k, c in enumerate(CAMERAS)
        ),
    ]
    episode = Episode(
        f"{number:064x}", f"take-{number}", "made", "pick", session=f"s{number}", start_ns=int(stamps[0]),
        end_ns=int(stamps[-1]),
    )  # fmt: skip
    return Recording(episode, {stream.name: stream for stream in streams})


class _Scene:
    """Pictures drawn when they are asked for."""

    size = (WIDTH, HEIGHT)

    def __init__(self, seed: int, joints: NDArray[Any]) -> None:
        random = np.random.default_rng(seed)
        rough = random.integers(40, 200, (HEIGHT // 16, WIDTH // 16, 3)).astype(np.uint8)
        self._ground = np.kron(rough, np.ones((16, 16, 1), np.uint8))
        self._noise = random.integers(0, 8, (HEIGHT, WIDTH, 3)).astype(np.uint8)
        span = np.ptp(joints[:, :2], axis=0) + 1e-6
        self._at = ((joints[:, :2] - joints[:, :2].min(axis=0)) / span * (HEIGHT - 96, WIDTH - 96)).astype(int)

    def __len__(self) -> int:
        return len(self._at)

    def frames(self, indices: Any = None) -> Iterator[NDArray[Any]]:
        for index in range(len(self)) if indices is None else indices:
            picture = self._ground + np.roll(self._noise, 37 * index, axis=0)
            row, column = self._at[index]
            picture[row : row + 96, column : column + 96] = 235
            yield picture
