"""The episodes that time-from-content is measured on: one planted lag a camera, what each method needs of the pictures.

`python -m bench.alignment_cases pick 0 20` prepares ahead what the bench would prepare itself.
"""

import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bench import alignment_data, timing_truth
from bench.timing_truth import Rig, rigs
from fieldloop.check import content_lag as content
from fieldloop.check.content_lag import collect_lag_evidence
from fieldloop.check.content_lag.settings import read_content_lag_settings
from fieldloop.protocol import default_protocol

FAST = ("pick", "teleop", "joystick", "periodic")
SLOW = ("slow10", "slow6", "slow3", "still")
WIDEST_MS = 60.0
LOOKS = ("evidence", "flow", "path")
"""What decides what is kept of an episode."""

EVIDENCE = ("flow", "stamps_ns", "joints", "joints_begin_ns")


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One camera of one episode: what is kept of it, how much its pictures changed, and the true lag."""

    rig: str
    camera: str
    motion: str
    seed: int
    kept: dict[str, NDArray[np.float64]]
    change: NDArray[np.float64]
    frames_ns: NDArray[np.int64]
    truth_s: float
    cpu_s: float
    video_s: float


@cache
def folder() -> Path:
    """Where cases are kept; named by the sources they follow from, so that another source makes new ones."""
    settings, looks = read_content_lag_settings(default_protocol()), Path(str(content.__file__)).parent
    sources = [*Path(str(timing_truth.__file__)).parent.glob("*.py"), *(looks / f"{name}.py" for name in LOOKS)]
    hashed = hashlib.sha256(f"{settings.joints_hz} {settings.finest_period_s}".encode())
    for source in sorted(sources):
        hashed.update(source.read_bytes())
    return Path(tempfile.gettempdir()) / f"fieldloop-alignment-bench-{hashed.hexdigest()[:12]}"


def seen(rig: Rig, seed: int, motion: str) -> Iterator[Seen]:
    """Yield each camera of an episode, from disk where it was prepared before."""
    for camera in rig.views:
        place = folder() / f"{rig.name}.{camera.replace('/', '_')}.{motion}.{seed}.npz"
        if not place.exists():
            _prepare(rig, seed, motion)
        with np.load(place) as z:
            kept = {key: z[key] for key in EVIDENCE if key in z}
            numbers = [float(v) for v in z["numbers"]]
            yield Seen(rig.name, camera, motion, seed, kept, z["change"], z["frames_ns"], *numbers)


def planted_ms(rig: str, camera: str) -> float:
    """Return the lag of a camera, the same in all its episodes, within ±60 ms."""
    return round((crc32(f"{rig}/{camera}".encode()) / 2**32 - 0.5) * 2 * WIDEST_MS, 1)


def _prepare(rig: Rig, seed: int, motion: str) -> None:
    settings = read_content_lag_settings(default_protocol())
    lags = {camera: planted_ms(rig.name, camera) for camera in rig.views}
    timed = alignment_data.episode(rig, seed, motion=motion, lag_ms=lags)
    folder().mkdir(parents=True, exist_ok=True)
    for camera in rig.views:
        stream = timed.recording.streams[camera]
        begin = time.process_time()
        kept = collect_lag_evidence(stream, list(timed.recording.streams.values()), settings)
        cpu_s = time.process_time() - begin
        assert stream.pictures is not None
        change = picture_change(stream.pictures.frames())
        video_s = float(stream.times_ns[-1] - stream.times_ns[0]) / 1e9
        numbers = np.array([float(np.mean(timed.truth[camera].lags_s)), cpu_s, video_s])
        place = folder() / f"{rig.name}.{camera.replace('/', '_')}.{motion}.{seed}.npz"
        part = place.with_suffix(f".{time.monotonic_ns()}.part")
        with part.open("wb") as file:
            arrays: dict[str, Any] = {**kept, "change": change, "frames_ns": stream.times_ns, "numbers": numbers}
            np.savez(file, **arrays)
        part.replace(place)


def picture_change(frames: Iterator[NDArray[np.uint8]]) -> NDArray[np.float64]:
    """Return the mean absolute difference of successive pictures, made as bright as each other first."""
    before: NDArray[np.float64] | None = None
    out = []
    for frame in frames:
        gray = frame.mean(axis=2)
        now = gray * (128.0 / max(float(np.median(gray)), 1.0))
        if before is not None:
            out.append(float(np.abs(now - before).mean()))
        before = now
    return np.array(out)


if __name__ == "__main__":
    chosen = [rigs.REPORT[name] for name in sys.argv[4:]] or list(rigs.REPORT.values())
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        for which in sys.argv[1].split(","):
            for one in chosen:
                list(seen(one, number, which))
