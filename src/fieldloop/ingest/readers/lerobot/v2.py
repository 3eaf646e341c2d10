"""LeRobot v2.0 and v2.1: one Parquet file and one video per episode and camera, lists as .jsonl."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.ingest.readers.lerobot.declared import find_column_defects
from fieldloop.ingest.readers.lerobot.info import Info, parse_whole_number, read_json_lines
from fieldloop.ingest.readers.lerobot.layout import (
    IN_OTHER_FORMAT,
    WITHOUT_DATA,
    Entry,
    ReadRows,
    VideoPlace,
    find_skipped_index_defects,
    find_total_defects,
    format_indices,
    join_path_inside,
)
from fieldloop.ingest.readers.lerobot.rows import Rows, gather_rows
from fieldloop.ingest.readers.lerobot.shard import open_shard
from fieldloop.ingest.readers.lerobot.stats import WHOLE, Stats, parse_stats, read_dataset_stats
from fieldloop.ingest.readers.lerobot.unread import find_unread_data
from fieldloop.ingest.readers.lerobot.version import EPISODE_FILE, OTHER_FILE
from fieldloop.ingest.readers.lerobot.video_files import VideoFiles
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.model.stream import FIRST_REAL_NS, NS_PER_S

VIDEO_PATH = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
LISTING = "meta/episodes.jsonl"
STATISTICS = "meta/episodes_stats.jsonl"
MOST_LOOKED_AT = 100


class LayoutV2:
    """A v2.x dataset on disk."""

    def __init__(self, root: Path, info: Info) -> None:
        self._root, self._info = root, info
        self._complaints: list[Defect] = []

    @cached_property
    def _listing(self) -> dict[int, Mapping[str, Any]]:
        rows: dict[int, Mapping[str, Any]] = {}
        for row in read_json_lines(self._root / LISTING, self._complaints):
            index = parse_whole_number(row.get("episode_index"))
            if index is None:
                message = note("ingest.episode_without_index", line=str(row)[:80])
                self._complaints.append(Defect(LISTING, "episode_index", message))
            elif index in rows:
                self._complaints.append(
                    Defect.from_place(LISTING, "episode", index, note("ingest.episode_listed_twice"))
                )
            else:
                rows[index] = row
        return rows

    @cached_property
    def _data_files(self) -> list[Path]:
        return sorted((self._root / "data").rglob("*.parquet"))

    @cached_property
    def _files(self) -> dict[int, Path]:
        """Return the file of each episode; where several have its number, the one that the listing states or the last.

        `find_unread_data` names the others.
        """
        matches = ((EPISODE_FILE.fullmatch(path.name), path) for path in self._data_files)
        files = {int(match[1]): path for match, path in matches if match}
        if len(files) == len(self._data_files):
            return files
        stated = {index: self._find_stated_file(index) for index in files if index in self._listing}
        return files | {index: path for index, path in stated.items() if path in self._data_files}

    @cached_property
    def _stats(self) -> dict[int, Stats]:
        """Return each episode's own statistics; v2.0 has none, only those of the whole."""
        path = self._root / STATISTICS
        if not path.is_file() and (self._info.version == "v2.0" or not self._info.states_version):
            return {}
        rows = read_json_lines(path, self._complaints)
        numbered = ((parse_whole_number(row.get("episode_index")), row) for row in rows)
        return {index: parse_stats(row.get("stats")) for index, row in numbered if index is not None}

    def count_listed_episodes(self) -> int:
        """How many episodes does the dataset say it has?"""
        return len(self._listing) or self._info.get_total("total_episodes") or len(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def list_entries(self, start: int = 0, stop: int | None = None) -> Iterator[Entry]:
        """Yield every episode that has a data file, listed or not."""
        for index, path in sorted(self._files.items())[start:stop]:
            row = self._listing.get(index, {})
            tasks = row.get("tasks")
            yield Entry(
                index,
                self._make_rows_reader(index, path),
                {key: self._find_video(key, index) for key in self._info.cameras},
                parse_whole_number(row.get("length")) or None,  # 0 was never filled in: `find_dataset_defects` says so
                tuple(map(str, tasks)) if isinstance(tasks, list) else (),
                data_path=path.relative_to(self._root).as_posix(),
                stats=self._stats.get(index, {}),
            )

    def find_dataset_defects(self) -> list[Defect]:
        """Compare the listing with the files and with the totals."""
        listing, files, _ = self._listing, self._files, self._stats
        defects = [*self._complaints, *find_unread_data(self._root, self._data_files, files)]
        defects += self._find_missing_data(sorted(listing.keys() - files.keys()))
        if unlisted := sorted(files.keys() - listing.keys()) if listing else []:
            message = note("ingest.episodes_not_listed", count=len(unlisted), which=format_indices(unlisted))
            defects.append(Defect(LISTING, "", message, Harm.MISLEADS))
        lengths = [n for row in listing.values() if (n := parse_whole_number(row.get("length"))) is not None]
        if empty := lengths.count(0):
            message = note("ingest.lengths_not_filled_in", count=empty, of=len(listing))
            defects.append(Defect(LISTING, "length", message, Harm.MISLEADS))
        if listing and len(lengths) == len(listing):
            defects += find_total_defects(self._info, {"total_episodes": len(listing), "total_frames": sum(lengths)})
        defects += find_skipped_index_defects(LISTING, listing.keys() if listing else files.keys())
        if not (self._root / STATISTICS).is_file():
            defects += self._find_missing_statistics()
        return defects + self._find_late_starts()

    def _find_missing_data(self, indices: list[int]) -> list[Defect]:
        """Report listed episodes without a Parquet file; those with a file of another format apart."""
        present = {index: path for index in indices if (path := self._find_file_of_other_format(index))}
        defects = []
        if missing := [index for index in indices if index not in present]:
            message = note(WITHOUT_DATA, count=len(missing), listed=len(self._listing), which=format_indices(missing))
            defects.append(Defect("data", LISTING, message))
        if present:
            message = note(
                IN_OTHER_FORMAT, count=len(present), listed=len(self._listing), which=format_indices([*present]),
                example=next(iter(present.values())).relative_to(self._root).as_posix(),
            )  # fmt: skip
            defects.append(Defect("data", LISTING, message))
        return defects

    def _find_file_of_other_format(self, index: int) -> Path | None:
        """Return the file that the listing states for an episode, or the one with its number; None without one."""
        path = self._find_stated_file(index)
        return path if path is not None and path.is_file() else self._other_files.get(index)

    def _find_stated_file(self, index: int) -> Path | None:
        stated = self._listing[index].get("data_path")
        return join_path_inside(self._root, stated) if isinstance(stated, str) and stated else None

    @cached_property
    def _other_files(self) -> dict[int, Path]:
        matches = ((OTHER_FILE.fullmatch(path.name), path) for path in sorted((self._root / "data").rglob("episode_*")))
        return {int(match[1]): path for match, path in matches if match and path.is_file()}

    def _find_missing_statistics(self) -> list[Defect]:
        """Report missing statistics; where no version is stated, either version's file will do."""
        defects: list[Defect] = []
        if self._info.version == "v2.0" or (not self._info.states_version and (self._root / WHOLE).is_file()):
            read_dataset_stats(self._root, defects)
        elif not self._info.states_version:
            defects.append(Defect("meta", "", note("ingest.statistics_missing")))
        return defects

    def _find_late_starts(self) -> list[Defect]:
        """A loader looks frames up by timestamp: one that does not begin at 0 shifts every picture.

        `timing.camera_clock` fails each episode by it, so the dataset as a whole only names it.
        """
        if not (self._files and self._info.cameras and self._info.fps) or self._lacks_every_video():
            return []
        looked_at = sorted(self._files.items())[:: max(1, len(self._files) // MOST_LOOKED_AT)]
        late: list[tuple[int, float]] = []
        for index, path in looked_at:
            first = _read_first_timestamp(path, self._root)
            if first is not None and abs(first) * self._info.fps >= 0.5:  # noqa: PLR2004 - nearer to another frame than to 0
                late.append((index, first))
        if not late:
            return []
        index, first = late[0]
        frame = round(first * self._info.fps)
        begins = sorted(round(first, 3) for _, first in late)
        message = note(
            "ingest.timestamps_start_late", first_s=begins[0], last_s=begins[-1], late=len(late),
            looked_at=len(looked_at), frame=frame if abs(first) < FIRST_REAL_NS / NS_PER_S else None,
        )  # fmt: skip
        return [Defect.from_place("timestamp", "episode", index, message, Harm.HARMLESS)]

    def _lacks_every_video(self) -> bool:
        """Does no camera have a video? Then no picture can be shifted."""
        videos = VideoFiles(self._root)
        return all(
            videos.is_camera_absent(key, (self._find_video(key, index) for index in self._files))
            for key in self._info.cameras
        )

    def _make_rows_reader(self, index: int, path: Path) -> ReadRows:
        def read_rows(defects: list[Defect]) -> Rows | None:
            shard = open_shard(path, self._root, defects)
            if shard is None:
                return None
            defects += find_column_defects(self._info, shard)
            return gather_rows([(shard, 0, len(shard))], index, defects)

        return read_rows

    def _find_video(self, key: str, index: int) -> VideoPlace:
        size = self._info.raw.get("chunks_size")
        chunk = index // size if isinstance(size, int) and size > 0 else 0
        parts = {"video_key": key, "episode_chunk": chunk, "episode_index": index}
        return VideoPlace(
            join_path_inside(self._root, self._info.fill_path_template("video_path", VIDEO_PATH, **parts))
        )


def _read_first_timestamp(path: Path, root: Path) -> float | None:
    shard = open_shard(path, root, [])
    stamps = gather_rows([(shard, 0, min(1, len(shard)))], 0, []).arrays.get("timestamp") if shard else None
    return float(stamps[0, 0]) if stamps is not None and stamps.size and np.isfinite(stamps[0, 0]) else None
