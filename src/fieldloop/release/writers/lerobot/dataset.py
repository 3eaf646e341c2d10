"""Write Recordings as a LeRobot v3.0 dataset: frames on the camera's clock, real stamps and origin kept beside."""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.release.writers.grid import RULES, Rule, nearest, resample
from fieldloop.release.writers.lerobot.stats import PictureStats, flatten, of_values
from fieldloop.release.writers.lerobot.tables import DataWriter, write_episodes, write_tasks
from fieldloop.release.writers.lerobot.video import FILE_BYTES, VideoWriter
from fieldloop.release.writers.written import Written

CAPTURE = "capture_ns"
NAMES = {"joints": "observation.state", "action": "action"}
ORIGIN = ("name", "robot", "site", "operator", "session", "provider", "protocol", "simulated", "succeeded", "failure")
DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"


def write_lerobot(recordings: Iterable[Recording], folder: Path) -> Written:
    """Write a dataset into a folder that is not there yet; it appears whole or not at all.

    The first camera by name gives the frame grid. Commands and grippers are held, continuous signals interpolated,
    all else taken from the nearest sample. Depth is left out and named.
    """
    if folder.exists():
        raise BadInput(f"{folder} is there already. Give the name of a folder that is not.")
    part = folder.with_name(f".{folder.name}.part")
    if part.exists():
        raise BadInput(
            f"{part} is left of an earlier attempt, or another process writes it. Remove it, then try again."
        )
    dataset: _Dataset | None = None
    try:
        for recording in recordings:
            dataset = dataset or _Dataset(part, recording)
            dataset.add(recording)
        if dataset is None:
            raise BadInput("There is no recording to write.")  # noqa: TRY301 - one way out for every failure
        dataset.close()
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)  # half a dataset is none
        raise
    return Written(folder, len(dataset.rows), dataset.frames, tuple(sorted(dataset.left_out)))


class _Dataset:
    """A dataset being written. The first recording decides which features there are."""

    def __init__(self, folder: Path, first: Recording) -> None:
        self._folder = folder
        streams = first.streams.values()
        self._cameras = sorted(s.name for s in streams if s.kind is StreamKind.RGB and s.pictures is not None)
        self._signals = {
            s.name: _key(s.name) for s in streams if s.values is not None and s.kind is not StreamKind.OTHER
        }
        if not self._cameras:
            raise BadInput(f"{first.episode.name} has no camera, and a camera's clock is the dataset's frame grid.")
        self._fps = max(1, round(first.streams[self._cameras[0]].hz or 0))
        self._features = {key: _feature(first.streams[name]) for name, key in self._signals.items()}
        self._robot = first.episode.robot
        (folder / "meta").mkdir(parents=True)
        self._data = DataWriter(folder / DATA_PATH.format(chunk_index=0, file_index=0))
        self._videos = {name: VideoWriter(folder, _key(name), self._fps) for name in self._cameras}
        self._pictures = {name: PictureStats() for name in self._cameras}
        self._values: dict[str, list[NDArray[Any]]] = {}
        self._tasks: dict[str, int] = {}
        self.rows: list[dict[str, Any]] = []
        self.frames = 0
        self.left_out = {
            s.name for s in streams if s.name not in (*self._cameras, *self._signals)
        }  # depth, and what is no part of learning

    def add(self, recording: Recording) -> None:
        """Append one episode."""
        episode = recording.episode
        if missing := [name for name in (*self._cameras, *self._signals) if name not in recording.streams]:
            raise BadInput(f"{episode.name} lacks {', '.join(missing)}, which the first episode has.")
        grid_ns = recording.streams[self._cameras[0]].times_ns
        if empty := [name for name in (*self._cameras, *self._signals) if not len(recording.streams[name])]:
            raise BadInput(f"{episode.name} has no sample of {', '.join(empty)}.")
        columns = {key: resample(recording.streams[name], grid_ns) for name, key in self._signals.items()}
        picks = {name: nearest(recording.streams[name].times_ns, grid_ns) for name in self._cameras}
        stamps = [recording.streams[name].times_ns[picks[name]] for name in self._cameras]
        columns[CAPTURE] = np.stack(stamps, axis=1)
        columns |= self._bookkeeping(len(grid_ns), episode.task or "unnamed")
        row, stats = self._row(episode, len(grid_ns)), {key: of_values(values) for key, values in columns.items()}
        for name in self._cameras:
            seen = PictureStats()
            span = self._videos[name].add(self._frames_of(recording, name, picks[name], seen))
            self._pictures[name].merge(seen)
            stats[_key(name)] = seen.stats()
            prefix = f"videos/{_key(name)}/"
            row |= {f"{prefix}chunk_index": span.chunk, f"{prefix}file_index": span.file}
            row |= {f"{prefix}from_timestamp": span.from_s, f"{prefix}to_timestamp": span.to_s}
        self._data.add(columns)
        for key, values in columns.items():
            self._values.setdefault(key, []).append(values)
        self.rows.append(row | flatten(stats))
        self.frames += len(grid_ns)

    def close(self) -> None:
        """Write the tables that speak of the whole."""
        self._data.close()
        for video in self._videos.values():
            video.close()
        write_episodes(self._folder / "meta/episodes/chunk-000/file-000.parquet", self.rows)
        write_tasks(self._folder / "meta/tasks.parquet", list(self._tasks))
        stats = {key: of_values(np.concatenate(parts)) for key, parts in self._values.items()}
        stats |= {_key(name): seen.stats() for name, seen in self._pictures.items()}
        (self._folder / "meta/stats.json").write_text(json.dumps(stats), encoding="utf-8")
        (self._folder / "meta/info.json").write_text(json.dumps(self._info(), indent=4), encoding="utf-8")

    def _bookkeeping(self, count: int, task: str) -> dict[str, NDArray[Any]]:
        number = self._tasks.setdefault(task, len(self._tasks))
        frame = np.arange(count)
        columns: dict[str, NDArray[Any]] = {
            "timestamp": (frame / self._fps).astype(np.float32), "frame_index": frame,
            "episode_index": np.full(count, len(self.rows)), "index": frame + self.frames,
            "task_index": np.full(count, number),
        }  # fmt: skip
        return {name: values[:, None] for name, values in columns.items()}

    def _row(self, episode: Episode, count: int) -> dict[str, Any]:
        origin = {name: to_plain(getattr(episode, name)) for name in ORIGIN}
        return {
            "episode_index": len(self.rows), "tasks": [episode.task or "unnamed"], "length": count,
            "data/chunk_index": 0, "data/file_index": 0,
            "dataset_from_index": self.frames, "dataset_to_index": self.frames + count,
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
            **origin, "stratum": str(episode.stratum), "source_episode": episode.id,
        }  # fmt: skip

    def _frames_of(
        self, recording: Recording, name: str, picks: NDArray[np.int64], seen: PictureStats
    ) -> Iterator[NDArray[Any]]:
        """Yield one picture a row; one that does not decode is replaced by the one before, and named."""
        source = recording.streams[name].pictures
        assert source is not None
        width, height = source.size
        before: NDArray[Any] = np.zeros((height, width, 3), np.uint8)
        for picture in source.frames(picks.tolist()):
            if picture.size:
                before = picture
            else:
                self.left_out.add(f"{recording.episode.name}: frames of {name} that do not decode")
            seen.add(before)
            yield before

    def _info(self) -> dict[str, Any]:
        features: dict[str, Any] = dict(self._features)
        features[CAPTURE] = {"dtype": "int64", "shape": [len(self._cameras)], "names": self._cameras}
        features |= {_key(name): _video_feature(self._videos[name].size or (0, 0), self._fps) for name in self._cameras}
        features["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
        integers = ("frame_index", "episode_index", "index", "task_index")
        features |= {key: {"dtype": "int64", "shape": [1], "names": None} for key in integers}
        return {
            "codebase_version": "v3.0", "robot_type": self._robot or None, "total_episodes": len(self.rows),
            "total_frames": self.frames, "total_tasks": len(self._tasks), "chunks_size": 1000, "fps": self._fps,
            "data_files_size_in_mb": 100, "video_files_size_in_mb": FILE_BYTES >> 20,
            "splits": {"train": f"0:{len(self.rows)}"},
            "data_path": DATA_PATH, "video_path": VIDEO_PATH, "features": features,
        }  # fmt: skip


def _key(name: str) -> str:
    """Name a feature; LeRobot allows no slash in it."""
    if name.startswith("camera/"):
        return f"observation.images.{name.removeprefix('camera/').replace('/', '.')}"
    return NAMES.get(name) or f"observation.{name.replace('/', '.')}"


def _feature(stream: Stream) -> Mapping[str, Any]:
    assert stream.values is not None
    width = int(np.prod(stream.values.shape[1:]))
    names = list(stream.columns) if len(stream.columns) == width else None
    origin = {
        "stream": stream.name,
        "kind": stream.kind.value,
        "unit": stream.unit,
        "resampled": RULES.get(stream.kind, Rule.NEAREST).value,
    }
    return {"dtype": "float32", "shape": [width], "names": names, "info": origin}


def _video_feature(size: tuple[int, int], fps: int) -> Mapping[str, Any]:
    width, height = size
    pix_fmt = "yuv420p" if width % 2 == 0 and height % 2 == 0 else "yuv444p"
    info = {
        "video.height": height, "video.width": width, "video.codec": "h264", "video.pix_fmt": pix_fmt,
        "video.is_depth_map": False, "video.fps": fps, "video.channels": 3, "has_audio": False,
    }  # fmt: skip
    return {"dtype": "video", "shape": [height, width, 3], "names": ["height", "width", "channels"], "info": info}
