"""Timed episodes kept on disk, so that experiments render each of them once.

An episode's file is named by its arguments and by the generator's source: when the generator changes, so do the names.
`python -m bench.alignment_data FOLDER --rigs report --episodes 20 --motion pick` renders ahead.
"""

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench import timing_truth
from bench.timing_truth import CameraTruth, Rig, Step, TimedEpisode, make_episode, rigs
from bench.timing_truth.video import Video
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.simulate.arm import boxes

FOLDER = Path(tempfile.gettempdir()) / "fieldloop-timing-truth"
TRUTH_ARRAYS = ("lags_s", "exposures_s")


def episode(
    rig: Rig, seed: int, *, folder: Path = FOLDER, cameras: Iterable[str] | None = None, **planted: Any
) -> TimedEpisode:
    """Return `make_episode(rig, seed, cameras=…, **planted)`, from disk where it has been made before."""
    chosen = sorted(rig.views if cameras is None else cameras)
    asked = json.dumps([rig.name, seed, chosen, to_plain(planted)], sort_keys=True)
    name = hashlib.sha256(f"{_generator()} {asked}".encode()).hexdigest()[:24]
    path = folder / f"{rig.name}-{name}.npz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{time.monotonic_ns()}.part")
        with part.open("wb") as file:
            np.savez(file, **_arrays(make_episode(rig, seed, cameras=chosen, **planted)))
        part.replace(path)  # atomic: a concurrent reader finds the whole file or none
    with np.load(path) as kept:
        return _timed(kept)


@cache
def _generator() -> str:
    """Name the source that the pictures follow from."""
    here, shapes = Path(timing_truth.__file__).parent, Path(boxes.__file__).parent
    drawn = ("boxes", "gripper", "motion", "picture", "raster")
    sources = sorted([*here.glob("*.py"), *(shapes / f"{name}.py" for name in drawn)])
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def _arrays(made: TimedEpisode) -> dict[str, Any]:
    about: dict[str, Any] = {"episode": to_plain(made.recording.episode), "streams": {}, "truth": {}}
    arrays: dict[str, Any] = {}
    for name, stream in made.recording.streams.items():
        arrays[f"{name} times"] = stream.times_ns
        more: dict[str, Any] = {
            "kind": stream.kind,
            "unit": stream.unit,
            "nominal_hz": stream.nominal_hz,
            "columns": stream.columns,
        }
        if isinstance(stream.pictures, Video):
            arrays[f"{name} video"] = np.frombuffer(stream.pictures.data, np.uint8)
            more["video"] = [*stream.pictures.size, len(stream.pictures)]
        else:
            arrays[f"{name} values"] = stream.values
        about["streams"][name] = to_plain(more)
    for name, truth in made.truth.items():
        plain = to_plain(truth)
        for field in TRUTH_ARRAYS:
            arrays[f"{name} {field}"] = getattr(truth, field)
            del plain[field]
        about["truth"][name] = plain
    return {"about": np.array(json.dumps(about)), **arrays}


def _timed(kept: Mapping[str, Any]) -> TimedEpisode:
    about = json.loads(str(kept["about"]))
    streams = {}
    for name, more in about["streams"].items():
        pictures = Video(kept[f"{name} video"].tobytes(), *more["video"]) if "video" in more else None
        streams[name] = Stream(
            name=name,
            kind=StreamKind(more["kind"]),
            unit=more["unit"],
            clocks={ClockKind.HEADER: kept[f"{name} times"]},
            values=None if pictures else kept[f"{name} values"],
            pictures=pictures,
            nominal_hz=more["nominal_hz"],
            columns=tuple(more["columns"]),
        )
    truth = {
        name: CameraTruth(**plain, **{field: kept[f"{name} {field}"] for field in TRUTH_ARRAYS})
        for name, plain in about["truth"].items()
    }
    return TimedEpisode(Recording(from_plain(Episode, about["episode"]), streams), truth)


def main() -> None:
    """Render ahead."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--rigs", choices=("development", "report"), default="development")
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--motion", default="pick")
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--lose-frames", type=int, default=0, help="frames lost half-way, without a trace")
    chosen = parser.parse_args()
    step = Step(chosen.seconds / 2, chosen.lose_frames) if chosen.lose_frames else None
    for rig in (rigs.DEVELOPMENT if chosen.rigs == "development" else rigs.REPORT).values():
        for camera in rig.views:
            began = time.process_time()
            for seed in range(chosen.episodes):
                planted = {"motion": chosen.motion, "seconds": chosen.seconds, "step": step}
                episode(rig, seed, folder=chosen.folder, cameras=[camera], **planted)
            spent = (time.process_time() - began) / max(chosen.episodes, 1)
            print(f"{rig.name} {camera}: {spent:.2f} s of processor an episode", flush=True)


if __name__ == "__main__":
    main()
