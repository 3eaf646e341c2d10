"""Write Recordings as a LeRobot v3.0 dataset: one row a frame, real stamps and origin kept beside."""

import json
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Recording
from fieldloop.model.episode_text import FLAGS
from fieldloop.model.note import Note, note
from fieldloop.model.stream import ClockKind
from fieldloop.release.writers.account import Account
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import Framed, put_recording_on_grid
from fieldloop.release.writers.lerobot.cameras import Camera
from fieldloop.release.writers.lerobot.files import Limits, Places
from fieldloop.release.writers.lerobot.info import Origin, describe_dataset, describe_signal
from fieldloop.release.writers.lerobot.naming import name_features
from fieldloop.release.writers.lerobot.origin import (
    SIDECAR,
    TEXTS,
    collect_episode_facts,
    format_sidecar_line,
    list_tasks,
    make_episode_columns,
    report_disagreements,
)
from fieldloop.release.writers.lerobot.signals import Signals, list_stamped_streams
from fieldloop.release.writers.lerobot.stats import flatten_stats
from fieldloop.release.writers.lerobot.tables import ParquetFiles, make_episodes_table, write_tasks
from fieldloop.release.writers.lerobot.video import Codec
from fieldloop.release.writers.pairing import Pair
from fieldloop.release.writers.splits import choose_split
from fieldloop.release.writers.survey import ensure_rereadable, survey_recordings
from fieldloop.release.writers.written import Written, write_whole_or_nothing

EPISODES_PATH = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
EPISODES_AT_ONCE = 100  # rows of metadata held before they are written
FASTEST_HZ = 100_000  # a faster grid is not a frame rate
SAME_RATE = 0.005  # 29.97 counts as 30; a larger difference is reported
REMADE = (ClockKind.CONTAINER, ClockKind.SYNTHETIC)
"""Clocks that a LeRobot dataset has of its own."""


def write_lerobot(  # noqa: PLR0913 - each is an option of the format
    recordings: Iterable[Recording],
    target: Path,
    *,
    clock: str = "",
    hz: float | None = None,
    pair: Pair = "",
    longest_gap_s: float | None = None,
    splits: Mapping[str, str] | None = None,
    codec: Codec = "keep",
    crf: int | None = None,
    limits: Limits | None = None,
) -> Written:
    """Write a dataset into a folder that is not there yet; it appears whole or not at all.

    The recordings are walked through once to see what all have, and once more for each split. `clock` names the
    stream whose stamps are the rows, `hz` asks for even rows instead. `splits` says for an episode's id which split it
    belongs to; else its fact `split` does, else it is `train`. Videos are copied where all their frames are rows, and
    else encoded as h264 unless asked for otherwise: a learner decodes them often, and AV1 takes three times as long.
    """
    walk = ensure_rereadable(recordings)
    with write_whole_or_nothing(target) as part:
        features = survey_recordings(walk, clock=clock, hz=hz, splits=splits, pair=pair, longest_gap_s=longest_gap_s)
        with closing(_Dataset(part, features, codec, crf, limits or Limits())) as dataset:
            for split in features.splits:  # LeRobot's splits are ranges of episodes, so each is written in one go
                for recording in walk:
                    if choose_split(recording.episode, splits) == split:
                        dataset.append_episode(recording, split)
            dataset.finish()
    return dataset.account.make_result(target, dataset.report_losses())


class _Dataset:
    """A dataset being written, episode by episode."""

    def __init__(self, folder: Path, features: Features, codec: Codec, crf: int | None, limits: Limits) -> None:
        self._folder, self._features, self._limits = folder, features, limits
        self._fps = max(1, min(round(features.hz), FASTEST_HZ))
        self._keys = name_features(features)
        folder.mkdir()
        (folder / "meta").mkdir()
        self._signals = Signals(folder, features, self._keys, limits)
        self._cameras = [
            Camera(folder, feature, self._keys[feature.name], self._fps, codec, crf, limits)
            for feature in features.cameras
        ]
        self._listing = ParquetFiles(folder, EPISODES_PATH, Places(limits.data_mb, limits.files_a_chunk))
        self._rows: list[dict[str, Any]] = []
        self._tasks: dict[str, int] = {}
        self._splits: dict[str, int] = {}
        self._further: set[ClockKind] = set()
        self.account = Account(features)

    def append_episode(self, recording: Recording, split: str) -> None:
        """Append one episode."""
        framed = put_recording_on_grid(recording, self._features)
        if self.account.is_empty(framed):
            return
        tasks = list_tasks(framed.episode)
        for task in tasks:
            self._tasks.setdefault(task, len(self._tasks))
        place, stats = self._signals.write_episode(
            framed, self._make_bookkeeping_columns(len(framed), self._tasks[tasks[0]])
        )
        row: dict[str, Any] = {
            "episode_index": self.account.episodes, "tasks": tasks, "length": len(framed),
            "data/chunk_index": place.chunk, "data/file_index": place.file,
            "dataset_from_index": self.account.frames, "dataset_to_index": self.account.frames + len(framed),
        }  # fmt: skip
        for columns, of_camera in self._encode_pictures(framed):
            row |= columns
            stats |= of_camera
        facts = collect_episode_facts(framed, self._features)
        self._rows.append(row | flatten_stats(stats) | make_episode_columns(framed.episode, split, facts))
        defects = to_plain(recording.defects)
        with (self._folder / SIDECAR).open("a", encoding="utf-8") as sidecar:
            sidecar.write(format_sidecar_line(framed, self.account.episodes, split, facts, defects) + "\n")
        self._splits[split] = self._splits.get(split, 0) + 1
        self._further |= {
            kind for name in framed.picks for kind in [*framed.compute_row_clocks(name)][1:] if kind not in REMADE
        }
        self.account.add_episode(framed)
        if len(self._rows) >= EPISODES_AT_ONCE:
            self._write_listing()

    def finish(self) -> None:
        """Write the tables that speak of the whole."""
        self.account.refuse_unusable()
        if self._rows:
            self._write_listing()
        self.close()
        write_tasks(self._folder / "meta/tasks.parquet", list(self._tasks))
        stats = self._signals.compute_stats() | {camera.key: camera.seen.compute_stats() for camera in self._cameras}
        (self._folder / "meta/stats.json").write_text(json.dumps(stats, indent=4), encoding="utf-8")
        described = json.dumps(self._describe_dataset(), indent=4, ensure_ascii=False)
        (self._folder / "meta/info.json").write_text(described, encoding="utf-8")

    def close(self) -> None:
        """Let go of all files, finished or not."""
        self._signals.close()
        self._listing.close()
        for camera in self._cameras:
            camera.close()

    def report_losses(self) -> list[Note]:
        """Return what the dataset does not hold as it was."""
        losses = [loss for camera in self._cameras for loss in camera.report_losses()]
        if abs(self._features.hz / self._fps - 1) > SAME_RATE:
            losses.append(note("release.rate_rounded", hz=self._features.hz, fps=self._fps))
        if clocks := tuple(kind.value for kind in ClockKind if kind in self._further):
            losses.append(note("release.further_clocks_not_kept", clocks=clocks))
        losses += self.account.report_flattened_streams()
        return [
            *self._signals.report_losses(),
            *losses,
            *self.account.report_lost_clocks(),
            *report_disagreements(self._features),
        ]

    def _encode_pictures(self, framed: Framed) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        if not self._cameras:
            return []
        with ThreadPoolExecutor(min(len(self._cameras), os.cpu_count() or 1)) as pool:
            return list(pool.map(lambda camera: camera.encode_episode(framed), self._cameras))

    def _write_listing(self) -> None:
        place = self._listing.choose_file(len(self._rows))
        where = {"meta/episodes/chunk_index": place.chunk, "meta/episodes/file_index": place.file}
        self._listing.write(make_episodes_table([row | where for row in self._rows], TEXTS, FLAGS))
        self._rows.clear()

    def _make_bookkeeping_columns(self, row_count: int, task_index: int) -> dict[str, NDArray[Any]]:
        number = np.arange(row_count)
        columns: dict[str, NDArray[Any]] = {
            "timestamp": (number / self._fps).astype(np.float32), "frame_index": number,
            "episode_index": np.full(row_count, self.account.episodes), "index": number + self.account.frames,
            "task_index": np.full(row_count, task_index),
        }  # fmt: skip
        return {name: values[:, None] for name, values in columns.items()}

    def _describe_dataset(self) -> dict[str, Any]:
        described: dict[str, Any] = {}
        account, hz = self.account, self._features.hz
        origins = {name: Origin(account.clocks[name], rule, hz) for name, rule in account.rules.items()}
        for feature in self._features.signals:
            described[self._keys[feature.name]] = describe_signal(feature, origins[feature.name])
        for camera in self._cameras:
            described[camera.key] = camera.describe(origins[camera.feature.name])
        totals = {
            "total_episodes": account.episodes, "total_frames": account.frames, "total_tasks": len(self._tasks)
        }  # fmt: skip
        splits, start = {}, 0
        for name, count in self._splits.items():
            splits[name] = f"{start}:{start + count}"
            start += count
        return describe_dataset(
            described, list_stamped_streams(self._features), totals, self._limits,
            fps=self._fps, robot=self._features.robot, splits=splits, clock=self._features.clock,
        )  # fmt: skip
