"""LeRobot v3.0: many episodes per Parquet file and video, located by the tables under meta/episodes."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any

from fieldloop.ingest.readers.lerobot.declared import find_column_defects
from fieldloop.ingest.readers.lerobot.info import Info, parse_whole_number
from fieldloop.ingest.readers.lerobot.layout import (
    WITHOUT_DATA,
    Entry,
    ReadRows,
    VideoPlace,
    find_skipped_index_defects,
    find_total_defects,
    format_indices,
    join_path_inside,
)
from fieldloop.ingest.readers.lerobot.listing import EPISODES, ROUNDING_S, Listing, find_overlap_defects, read_listing
from fieldloop.ingest.readers.lerobot.parquet_rows import explain_unreadable_file
from fieldloop.ingest.readers.lerobot.rows import Rows, gather_rows
from fieldloop.ingest.readers.lerobot.shard import Run, Shard, open_shard
from fieldloop.ingest.readers.lerobot.stats import compare_dataset_stats, read_dataset_stats
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note

DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
OWN_COLUMNS = ("episode_index", "tasks", "length", "dataset_from_index", "dataset_to_index")
Held = tuple[Shard, int, int]


class LayoutV3:
    """A v3.0 dataset on disk. Each data file is walked once, in order."""

    def __init__(self, root: Path, info: Info) -> None:
        self._root, self._info = root, info
        self._complaints: list[Defect] = []
        self._paths: dict[tuple[str, int, int, Any], Path] = {}
        self._walked: list[Shard] = []

    @cached_property
    def _listing(self) -> Listing:
        return read_listing(self._root, self._info, self._complaints)

    @cached_property
    def _runs_by_episode(self) -> dict[int, list[Held]]:
        """Which rows of which data file really are which episode's."""
        held: dict[int, list[Held]] = {}
        for path in sorted((self._root / "data").rglob("*.parquet")):
            shard = open_shard(path, self._root, self._complaints)
            if shard is None:
                continue
            known = {(one.subject, one.message) for one in self._complaints}  # one cause, though each file shows it
            self._complaints += [
                one for one in find_column_defects(self._info, shard) if (one.subject, one.message) not in known
            ]
            for run in self._find_runs(shard):
                held.setdefault(run.episode, []).append((shard, run.start, run.stop))
        return held

    def _find_runs(self, shard: Shard) -> list[Run]:
        from pyarrow import ArrowException

        try:
            return shard.find_episode_runs()
        except (ArrowException, OSError, ValueError, TypeError, KeyError) as wrong:
            self._complaints.append(Defect(shard.name, "episode_index", explain_unreadable_file(shard.path, wrong)))
            return []

    def count_listed_episodes(self) -> int:
        """How many episodes does the dataset say it has?"""
        return len(self._listing.rows) or self._info.get_total("total_episodes") or len(self._runs_by_episode)

    def __len__(self) -> int:
        return len(self._runs_by_episode)

    def list_entries(self, start: int = 0, stop: int | None = None) -> Iterator[Entry]:
        """Yield every episode that some data file holds, listed or not."""
        for index in sorted(self._runs_by_episode)[start:stop]:
            row = self._listing.rows.get(index, {})
            tasks = row.get("tasks")
            yield Entry(
                index,
                self._make_rows_reader(index, row),
                {key: place for key in self._info.cameras if (place := self._find_video(key, row))},
                parse_whole_number(row.get("length")) or None,  # 0 was never filled in: `find_dataset_defects` says so
                tuple(map(str, tasks)) if isinstance(tasks, list) else (),
                {key: value for key, value in row.items() if key not in OWN_COLUMNS and "/" not in key},
                self._runs_by_episode[index][0][0].name,
                self._listing.get_episode_stats(index),
                _read_row_span(row),
            )

    def find_dataset_defects(self) -> list[Defect]:
        """Compare the table of episodes with the data files, with itself and with the totals."""
        listing, held = self._listing.rows, self._runs_by_episode
        defects = list(self._complaints)
        if missing := sorted(listing.keys() - held.keys()):
            message = note(WITHOUT_DATA, count=len(missing), listed=len(listing), which=format_indices(missing))
            defects.append(Defect("data", EPISODES, message))
        if unlisted := sorted(held.keys() - listing.keys()) if listing else []:
            message = note("ingest.episodes_not_listed", count=len(unlisted), which=format_indices(unlisted))
            defects.append(Defect(EPISODES, "", message, Harm.MISLEADS))
        defects += find_skipped_index_defects(EPISODES, listing.keys())
        lengths = [n for row in listing.values() if (n := parse_whole_number(row.get("length"))) is not None]
        if empty := lengths.count(0):
            message = note("ingest.lengths_not_filled_in", count=empty, of=len(listing))
            defects.append(Defect(EPISODES, "length", message, Harm.MISLEADS))
        if listing and len(lengths) == len(listing):
            defects += find_total_defects(self._info, {"total_episodes": len(listing), "total_frames": sum(lengths)})
        defects += find_overlap_defects(listing, self._info.cameras, self._info.fps)
        whole = read_dataset_stats(self._root, defects)
        return [*defects, *compare_dataset_stats(whole, self._listing.get_all_stats())]

    def _make_rows_reader(self, index: int, row: Mapping[str, Any]) -> ReadRows:
        """Read from where the rows are; metadata that points elsewhere is named."""
        places = self._runs_by_episode[index]

        def read_rows(defects: list[Defect]) -> Rows:
            listed_path = self._fill_path_template("data_path", DATA_PATH, row, "data/") if row else places[0][0].path
            if all(listed_path != shard.path for shard, _, _ in places):
                where = listed_path.relative_to(self._root).as_posix()
                message = note("ingest.rows_elsewhere", stated=where, found=places[0][0].name)
                defects.append(Defect.from_place("data", "episode", index, message, Harm.MISLEADS))
            self._forget_other_shards(shard for shard, _, _ in places)
            return gather_rows(places, index, defects)

        return read_rows

    def _forget_other_shards(self, shards: Iterator[Shard]) -> None:
        """Keep what is decoded of the files at hand, let go of the rest."""
        now = list(shards)
        for shard in self._walked:
            if shard not in now:
                shard.clear_cache()
        self._walked = now

    def _find_video(self, key: str, row: Mapping[str, Any]) -> VideoPlace | None:
        prefix = f"videos/{key}/"
        if parse_whole_number(row.get(f"{prefix}file_index")) is None:
            return None
        path = self._fill_path_template("video_path", VIDEO_PATH, row, prefix, video_key=key)
        start, end = row.get(f"{prefix}from_timestamp"), row.get(f"{prefix}to_timestamp")
        length = (
            None
            if (path, self._compute_frame_number(end)) in self._video_starts[key]
            else parse_whole_number(row.get("length"))
        )
        from_s, to_s = (float(s) if isinstance(s, int | float) else None for s in (start, end))
        return VideoPlace(path, from_s, to_s, length)

    @cached_property
    def _video_starts(self) -> dict[str, set[tuple[Path, int | None]]]:
        """At which moments of which file does an episode begin, by camera?"""
        starts: dict[str, set[tuple[Path, int | None]]] = {key: set() for key in self._info.cameras}
        for key, row in product(starts, self._listing.rows.values()):
            starts[key].add(self._get_video_start(key, row))
        return starts

    def _get_video_start(self, key: str, row: Mapping[str, Any]) -> tuple[Path, int | None]:
        path = self._fill_path_template("video_path", VIDEO_PATH, row, f"videos/{key}/", video_key=key)
        return path, self._compute_frame_number(row.get(f"videos/{key}/from_timestamp"))

    def _compute_frame_number(self, moment_s: object) -> int | None:
        """Return the number of the frame that is stated for a moment, so that rounded moments compare equal."""
        if not isinstance(moment_s, int | float) or not isfinite(moment_s):
            return None
        return round(moment_s * (self._info.fps or 1 / ROUNDING_S))

    def _fill_path_template(self, which: str, usual: str, row: Mapping[str, Any], prefix: str, **parts: str) -> Path:
        """Fill a path template; asked for every episode, answered once for every file."""
        chunk, file = (parse_whole_number(row.get(f"{prefix}{name}")) or 0 for name in ("chunk_index", "file_index"))
        episode = (
            parse_whole_number(row.get("episode_index")) if "{episode_" in str(self._info.raw.get(which)) else None
        )
        key = (prefix, chunk, file, episode)
        if key not in self._paths:
            earlier = {} if episode is None else {"episode_index": episode, "episode_chunk": chunk}
            filled = self._info.fill_path_template(which, usual, chunk_index=chunk, file_index=file, **earlier, **parts)
            self._paths[key] = join_path_inside(self._root, filled)
        return self._paths[key]


def _read_row_span(row: Mapping[str, Any]) -> tuple[int, int] | None:
    start, stop = (parse_whole_number(row.get(f"dataset_{end}_index")) for end in ("from", "to"))
    return None if start is None or stop is None else (start, stop)
