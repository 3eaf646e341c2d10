"""Writing a LeRobot v3.0 dataset beside LeRobot 0.6.1's own writer, on the same frames.

Compared: from the first frame to the finished dataset, with all cores, pictures of two cameras in memory (320 × 240,
moving texture with noise), h264 by x264 in the same settings (veryfast, crf 20, every second a key frame, no B-frames,
no looking ahead). LeRobot's writer as its recorder uses it: pictures through PNG by four threads a camera, cameras
encoded side by side. Under `streaming` it is its newer way without PNG. It takes statistics of a sample of pixels and
merges quantiles into an envelope; ours are of every pixel and value. `processor` compares seconds of processor instead
of wall time, which other work on the machine disturbs less.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.format_speed.lerobot_venv import find_python
from bench.harness import Figure, main, summarise
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.release.writers import write_lerobot

THEIRS = Path(__file__).with_name("lerobot_write_theirs.py")
Spent = dict[str, float]
FPS, CAMERAS, WIDTH, HEIGHT, COLUMNS = 30, 2, 320, 240, 14


def speed(*, short: bool) -> Mapping[str, Figure]:
    """Measure both writers in turn, so that a busy moment of the machine meets both."""
    find_python()  # before frames are made
    episodes, length, runs = (2, 150, 2) if short else (4, 300, 7)
    frames = episodes * length
    ours, png, streaming = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        pictures, values = _planted(Path(scratch), episodes, length)
        for run in range(runs):
            ours.append(_ours(pictures, values, Path(scratch) / f"ours-{run}"))
            png.append(_theirs(Path(scratch), f"png-{run}", streaming=False))
            streaming.append(_theirs(Path(scratch), f"streaming-{run}", streaming=True))
    return {
        "writer_ratio": _ratio(png, ours, "wall_s", "≥ 5"),
        "writer_ratio_processor": _ratio(png, ours, "processor_s"),
        "writer_ratio_streaming": _ratio(streaming, ours, "wall_s"),
        "writer_ratio_streaming_processor": _ratio(streaming, ours, "processor_s"),
        "writer_frames_per_s": summarise([frames / o["wall_s"] for o in ours], f"frames/s of {CAMERAS} cameras"),
        "writer_frames_per_s_lerobot": summarise([frames / t["wall_s"] for t in png], f"frames/s of {CAMERAS} cameras"),
    }


def _ratio(theirs: list[Spent], ours: list[Spent], what: str, aim: str = "") -> Figure:
    return summarise([t[what] / o[what] for t, o in zip(theirs, ours, strict=True)], "×", aim)


@dataclass(frozen=True, slots=True)
class _Held:
    """Pictures that lie in memory."""

    pictures: NDArray[np.uint8]

    @property
    def size(self) -> tuple[int, int]:
        return WIDTH, HEIGHT

    def __len__(self) -> int:
        return len(self.pictures)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        for index in range(len(self)) if indices is None else sorted(indices):
            yield self.pictures[index]


def _planted(scratch: Path, episodes: int, length: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Make frames with texture that moves and a sensor's noise, and lay them where both writers find them."""
    import cv2

    random = np.random.default_rng(0)
    ground = cv2.GaussianBlur(random.integers(0, 256, (HEIGHT + 64, WIDTH + 64, 3), dtype=np.uint8), (0, 0), 4)
    ground = cv2.normalize(ground, None, 0, 235, cv2.NORM_MINMAX)
    noise = random.integers(0, 6, (8, HEIGHT, WIDTH, 3), dtype=np.uint8)
    pictures = np.lib.format.open_memmap(
        scratch / "frames.npy", "w+", np.uint8, (episodes, CAMERAS, length, HEIGHT, WIDTH, 3)
    )
    for episode in range(episodes):
        for camera in range(CAMERAS):
            for i in range(length):
                left, top = (i + 7 * camera) % 64, (i // 2 + 11 * episode) % 64
                pictures[episode, camera, i] = ground[top : top + HEIGHT, left : left + WIDTH] + noise[i % 8]
    values = random.normal(size=(episodes, length, COLUMNS)).astype(np.float32)
    np.save(scratch / "rows.npy", values)
    return pictures, values


def _ours(pictures: NDArray[np.uint8], values: NDArray[np.float32], target: Path) -> Spent:
    recordings = []
    for number, (of_cameras, rows) in enumerate(zip(pictures, values, strict=True)):
        stamps = np.arange(len(rows), dtype=np.int64) * (NS_PER_S // FPS)
        streams = [
            Stream(f"camera/camera_{i}", StreamKind.RGB, "8-bit", {ClockKind.HEADER: stamps}, pictures=_Held(frames))
            for i, frames in enumerate(of_cameras)
        ]
        for name, kind in {"joints": StreamKind.JOINT_POSITION, "action": StreamKind.ACTION}.items():
            streams.append(Stream(name, kind, "rad", {ClockKind.HEADER: stamps}, rows, nominal_hz=FPS))
        episode = Episode(f"{number}", f"{number}", "planted", "pick")
        recordings.append(Recording(episode, {stream.name: stream for stream in streams}))
    start, before = time.perf_counter(), time.process_time()
    write_lerobot(recordings, target)
    return {"wall_s": time.perf_counter() - start, "processor_s": time.process_time() - before}


def _theirs(scratch: Path, name: str, *, streaming: bool) -> Spent:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(scratch / "hf")}
    command: list[str | Path] = [
        find_python(),
        THEIRS,
        scratch / "frames.npy",
        scratch / "rows.npy",
        scratch / name,
        str(streaming),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise RuntimeError("LeRobot's writer failed.")
    spent: Spent = json.loads(done.stdout.splitlines()[-1])
    return spent


if __name__ == "__main__":
    main(speed)
