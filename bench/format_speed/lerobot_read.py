"""LeRobot datasets read by fieldloop and by LeRobot itself, on the same dataset in one run.

Everything is counted in CPU seconds of one core, files in the page cache. A dataset made by our own writer (two cameras
of 320 × 240, h264 with a key frame every second frame; AV1 as well in the long form) is read
- by fieldloop: all recordings with streams, clocks, values, ids and defects; no cache of an earlier run is used;
- by common libraries: all data files by pyarrow, all packets of all videos by PyAV's demuxer, nothing else. That is no
  limit: we read an MP4's tables and demux nothing;
- by LeRobot 0.6.1 (pyav) in three ways: all columns in one call as NumPy arrays (`columns`; no packet times, no ids),
  row by row without video (`rows`), as items with decoded video (`items`). Rows and items are samples, scaled up.
Frames: decoded uint8 pictures, by LeRobot's own `decode_video_frames` and by our FrameSource. At random, both are asked
for one frame a call; in order, both get all frames in one call. Ours reads the video's index anew in every run, within
the time. Beside LeRobot with torchcodec too where that is installed in its environment (it needs FFmpeg's libraries).
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.format_speed.lerobot_venv import find_python
from bench.harness import Figure, summarise
from fieldloop.ingest import open_log
from fieldloop.ingest.pictures import video
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.release.writers import write_lerobot

FRAMES, HZ, WIDTH, HEIGHT, JOINTS = 300, 30, 320, 240, 14
CAMERAS = ("front", "wrist")
SAMPLE_FRAMES = 120

LEROBOT = """
import lr_shim
import json, os, random, sys, time
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
import torch
torch.set_num_threads(1)
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.datasets.video_utils import decode_video_frames

root, repeats, frames = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dataset = LeRobotDataset("fieldloop/bench", root=root, video_backend="pyav")
rows = dataset.hf_dataset
key = dataset.meta.video_keys[0]
path = dataset.root / dataset.meta.get_video_file_path(0, key)
shown = sum(e["length"] for e in dataset.meta.episodes if e[f"videos/{key}/file_index"] == 0)

def rate(do, indices):
    start = time.process_time()
    for index in indices:
        do(index)
    return len(indices) / (time.process_time() - start)

backends = {"": "pyav"}
try:
    import torchcodec
    backends["_torchcodec"] = "torchcodec"
except (ImportError, RuntimeError, OSError):
    pass

def decode(indices, backend):
    shown = decode_video_frames(path, [i / dataset.fps for i in indices], 1e-4, backend=backend, return_uint8=True)
    assert len(shown) == len(indices)

def spent(do):
    start = time.process_time()
    do()
    return time.process_time() - start

whole = rows.with_format("numpy")

random.seed(0)
ways = [how + name for how in ("random", "in_order") for name in backends]
found = {way: [] for way in ("items", "rows", "columns", *ways)}
for repeat in range(repeats):
    start = random.randrange(len(dataset) - 2000)
    found["items"].append(rate(dataset.__getitem__, range(start, start + 40)))
    found["rows"].append(rate(rows.__getitem__, range(start, start + 1500)))
    found["columns"].append(len(rows) / spent(lambda: whole[:]))
    for name, backend in backends.items():
        picks = [random.randrange(shown) for _ in range(frames)]
        found[f"random{name}"].append(rate(lambda index: decode([index], backend), picks))
        start = random.randrange(shown - frames)
        found[f"in_order{name}"].append(frames / spent(lambda: decode(range(start, start + frames), backend)))
print(json.dumps(found))
"""


class Pictures(NamedTuple):
    """A FrameSource: a soft pattern that moves along."""

    pattern: NDArray[np.uint8]
    start: int

    @property
    def size(self) -> tuple[int, int]:
        return WIDTH, HEIGHT

    def __len__(self) -> int:
        return FRAMES

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        for index in range(FRAMES) if indices is None else sorted(indices):
            left = (self.start + index) % WIDTH
            yield np.ascontiguousarray(self.pattern[:, left : left + WIDTH])


class Corpus:
    """Episodes made anew each time they are walked through."""

    def __init__(self, episodes: int) -> None:
        self._episodes = episodes
        across, down = np.meshgrid(np.linspace(0, 12 * np.pi, 2 * WIDTH), np.linspace(0, 5 * np.pi, HEIGHT))
        waves = [np.sin(across * k + down / k) + np.cos(down * k) for k in (1, 2, 3)]
        noise = np.random.default_rng(0).normal(0, 3, (HEIGHT, 2 * WIDTH, 3))
        self._pattern = np.clip(128 + 45 * np.stack(waves, 2) + noise, 0, 255).astype(np.uint8)

    def __iter__(self) -> Iterator[Recording]:
        return (self._recording(number) for number in range(self._episodes))

    def _recording(self, number: int) -> Recording:
        at = 1_767_225_600 * NS_PER_S + number * 60 * NS_PER_S + np.arange(FRAMES) * NS_PER_S // HZ
        walk = np.cumsum(np.random.default_rng(number).normal(0, 0.01, (FRAMES, JOINTS)), 0).astype(np.float32)
        names = tuple(f"joint_{i}" for i in range(JOINTS))
        clocks = {ClockKind.HEADER: at.astype(np.int64)}
        streams = [
            Stream("joints", StreamKind.JOINT_POSITION, "rad", clocks, walk, nominal_hz=HZ, columns=names),
            Stream("action", StreamKind.ACTION, "rad", clocks, walk * 1.01, nominal_hz=HZ, columns=names),
        ]
        for place, name in enumerate(CAMERAS):
            source = Pictures(self._pattern, 7 * number + 31 * place)
            streams.append(Stream(f"camera/{name}", StreamKind.RGB, "8-bit", clocks, pictures=source, nominal_hz=HZ))
        episode = Episode(id=f"{number:064x}", name=f"episode-{number}", format="bench", task="pick", operator="ann")
        return Recording(episode, {stream.name: stream for stream in streams})


def speed(*, short: bool) -> dict[str, Figure]:
    """Measure reading and frame access; the short form has a fifth of the episodes."""
    find_python()  # before a dataset is made
    with tempfile.TemporaryDirectory() as folder:
        episodes, repeats = (40, 6) if short else (200, 9)
        found = _measure(Path(folder) / "h264", "h264", episodes, repeats)
        if not short:
            more = _measure(Path(folder) / "av1", "av1", 20, repeats)
            found |= {f"{name}_av1": more[name] for name in ("frame_access_ratio", "sequential_decode_ratio")}
    return found


def _measure(root: Path, codec: Any, episodes: int, repeats: int) -> dict[str, Figure]:
    write_lerobot(Corpus(episodes), root, codec=codec)
    rows = episodes * FRAMES
    theirs = _lerobot(root, repeats)
    ours = [_seconds(lambda: _read_all(root, episodes)) for _ in range(repeats + 1)][1:]
    demux = [_seconds(lambda: _demux(root)) for _ in range(repeats)]
    at_random = [_rate(root, in_order=False, seed=seed) for seed in range(repeats)]
    in_order = [_rate(root, in_order=True, seed=seed) for seed in range(repeats)]
    found = {
        "lerobot_timing_ratio": summarise(_slower(rows, theirs["rows"], ours), "×", "≥ 20"),
        "lerobot_columns_ratio": summarise(_slower(rows, theirs["columns"], ours), "×"),
        "lerobot_items_ratio": summarise(_slower(rows, theirs["items"], ours), "×, video decoded by LeRobot only"),
        "lerobot_timing_vs_demux": summarise([own / bare for own, bare in zip(ours, demux, strict=True)], "× its time"),
        "frame_access_ratio": summarise(_ratios(at_random, theirs["random"]), "×", "≥ 3"),
        "sequential_decode_ratio": summarise(_ratios(in_order, theirs["in_order"]), "×", "≥ 3"),
    }
    if "random_torchcodec" in theirs:
        found["frame_access_ratio_torchcodec"] = summarise(_ratios(at_random, theirs["random_torchcodec"]), "×")
        found["sequential_decode_ratio_torchcodec"] = summarise(_ratios(in_order, theirs["in_order_torchcodec"]), "×")
    return found


def _lerobot(root: Path, repeats: int) -> dict[str, list[float]]:
    """Ask LeRobot in a process of its own for items, rows and frames a second."""
    quiet = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(root.parent / "hf"), "PYTHONWARNINGS": "ignore"}
    command = [str(find_python()), "-c", LEROBOT, str(root), str(repeats), str(SAMPLE_FRAMES)]
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"LeRobot could not read {root}: {done.stderr[-2000:]}")
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _read_all(root: Path, episodes: int) -> None:
    video._read_packets_cached.cache_clear()  # noqa: SLF001 - what an earlier run found out must not help
    log = open_log(root)
    recordings = list(log.recordings)
    assert len(recordings) == episodes
    assert all(len(stream) == FRAMES for recording in recordings for stream in recording.streams.values())
    assert not log.defects
    assert not any(recording.defects for recording in recordings)


def _demux(root: Path) -> None:
    """Read all rows and all packets with common libraries."""
    import av
    import pyarrow.parquet as pq

    for path in root.glob("data/*/*.parquet"):
        pq.ParquetFile(path).read(use_threads=False)
    for path in root.glob("videos/*/*/*.mp4"):
        with av.open(str(path)) as container:
            for packet in container.demux(container.streams.video[0]):
                assert packet.size >= 0


def _rate(root: Path, *, in_order: bool, seed: int) -> float:
    """Return decoded frames a second of our own, with the video's index read within the time."""
    path = next(iter(sorted(root.glob("videos/*/*/*.mp4"))))
    random = np.random.default_rng(seed)
    length = len(video.read_packets(path).pts)
    start = int(random.integers(length - SAMPLE_FRAMES))
    picks = random.integers(0, length, SAMPLE_FRAMES).tolist()
    asked = [list(range(start, start + SAMPLE_FRAMES))] if in_order else [[pick] for pick in picks]

    def walk() -> None:
        packets = video.read_packets(path)
        span = video.VideoSpan(path, packets, 0, len(packets.pts))
        shown = [frame for some in asked for frame in span.frames(some)]
        assert len(shown) == SAMPLE_FRAMES
        assert all(frame.shape == (HEIGHT, WIDTH, 3) for frame in shown)

    video._read_packets_cached.cache_clear()  # noqa: SLF001 - LeRobot opens the file within the time too
    return SAMPLE_FRAMES / _seconds(walk)


def _seconds(do: Callable[[], None]) -> float:
    """Count the CPU seconds of this process, all its threads together."""
    start = time.process_time()
    do()
    return time.process_time() - start


def _slower(rows: int, rates: list[float], ours: list[float]) -> list[float]:
    """How many times our seconds a peer needs for all rows, from its rows a second."""
    return [rows / rate / own for rate, own in zip(rates, ours, strict=True)]


def _ratios(ours: list[float], theirs: list[float]) -> list[float]:
    return [own / other for own, other in zip(ours, theirs, strict=True)]
