"""LeRobot v2.0 and v2.1: one Parquet file and one video per episode and camera, lists as .jsonl."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from fieldloop.ingest.readers.lerobot.info import Info, read_lines
from fieldloop.ingest.readers.lerobot.layout import Entry, Rows, VideoPlace, inside, some, total_defects
from fieldloop.ingest.readers.lerobot.parquet_rows import first_timestamp, read_table
from fieldloop.model.episode import Defect

EPISODE_FILE = re.compile(r"episode_(\d+)\.parquet")
VIDEO_PATH = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
LISTING = "meta/episodes.jsonl"


class LayoutV2:
    """A v2.x dataset on disk."""

    def __init__(self, root: Path, info: Info) -> None:
        self._root, self._info = root, info
        self._complaints: list[Defect] = []

    @cached_property
    def _listing(self) -> dict[int, Mapping[str, Any]]:
        rows: dict[int, Mapping[str, Any]] = {}
        for row in read_lines(self._root / LISTING, self._complaints):
            index = row.get("episode_index")
            if not isinstance(index, int):
                self._complaints.append(
                    Defect(LISTING, "episode_index", f"A line has no episode_index: {str(row)[:80]}.")
                )
            elif index in rows:
                self._complaints.append(Defect(LISTING, f"episode {index}", "The episode is listed twice."))
            else:
                rows[index] = row
        return rows

    @cached_property
    def _files(self) -> dict[int, Path]:
        found = ((EPISODE_FILE.fullmatch(path.name), path) for path in sorted((self._root / "data").rglob("*.parquet")))
        return {int(match[1]): path for match, path in found if match}

    def listed(self) -> int:
        """How many episodes does the dataset say it has?"""
        return len(self._listing) or self._info.total("total_episodes") or len(self._files)

    def entries(self) -> Iterator[Entry]:
        """Yield every episode that has a data file, listed or not."""
        for index, path in sorted(self._files.items()):
            row = self._listing.get(index, {})
            tasks = row.get("tasks")
            length = row.get("length")
            yield Entry(
                index,
                _reader(path, self._root),
                {key: self._video(key, index) for key in self._info.cameras},
                length if isinstance(length, int) else None,
                tuple(map(str, tasks)) if isinstance(tasks, list) else (),
                data_path=path.relative_to(self._root).as_posix(),
            )

    def defects(self) -> list[Defect]:
        """Compare the listing with the files and with the totals."""
        listing, files = self._listing, self._files
        defects = list(self._complaints)
        if missing := sorted(listing.keys() - files.keys()):
            defects.append(
                Defect(
                    "data",
                    LISTING,
                    f"{len(missing)} of {len(listing)} listed episodes have no data file: {some(missing)}.",
                )
            )
        if unlisted := sorted(files.keys() - listing.keys()):
            defects.append(
                Defect(LISTING, "", f"{len(unlisted)} episodes have a data file but are not listed: {some(unlisted)}.")
            )
        lengths = [row["length"] for row in listing.values() if isinstance(row.get("length"), int)]
        if listing and len(lengths) == len(listing):
            defects += total_defects(self._info, {"total_episodes": len(listing), "total_frames": sum(lengths)})
        return defects + self._late_start()

    def _late_start(self) -> list[Defect]:
        """A loader looks frames up by timestamp: one that does not begin at 0 shifts every picture."""
        if not (self._files and self._info.cameras and self._info.fps):
            return []
        index, path = min(self._files.items())
        first = first_timestamp(path)
        if first is None or abs(first) * self._info.fps < 0.5:  # noqa: PLR2004 - nearer to frame 0 than to any other
            return []
        shift = round(first * self._info.fps)
        return [
            Defect(
                "timestamp", f"episode {index}",
                f"Timestamps begin at {first:.3f} s, the video at 0: looked up by time, row 0 gets frame {shift}.",
            )
        ]  # fmt: skip

    def _video(self, key: str, index: int) -> VideoPlace:
        size = self._info.raw.get("chunks_size")
        chunk = index // size if isinstance(size, int) and size > 0 else 0
        parts = {"video_key": key, "episode_chunk": chunk, "episode_index": index}
        return VideoPlace(inside(self._root, self._info.path("video_path", VIDEO_PATH, **parts)))


def _reader(path: Path, root: Path) -> Rows:
    return lambda defects: read_table(path, path.relative_to(root).as_posix(), defects)
