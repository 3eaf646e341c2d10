"""LeRobot v3.0: many episodes per Parquet file and video, told apart by the tables under meta/episodes."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from fieldloop.ingest.readers.lerobot.info import Info
from fieldloop.ingest.readers.lerobot.layout import Entry, Rows, VideoPlace, inside, some, total_defects
from fieldloop.ingest.readers.lerobot.parquet_rows import episode_indices, read_episode, read_pylist
from fieldloop.model.episode import Defect

DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES = "meta/episodes"
OWN_COLUMNS = ("episode_index", "tasks", "length", "dataset_from_index", "dataset_to_index")


class LayoutV3:
    """A v3.0 dataset on disk."""

    def __init__(self, root: Path, info: Info) -> None:
        self._root, self._info = root, info
        self._complaints: list[Defect] = []

    @cached_property
    def _listing(self) -> dict[int, Mapping[str, Any]]:
        rows: dict[int, Mapping[str, Any]] = {}
        files = sorted((self._root / EPISODES).rglob("*.parquet"))
        if not files:
            self._complaints.append(
                Defect(EPISODES, "", "There is no table of episodes; they are taken from the data files.")
            )
        for path in files:
            for row in read_pylist(path, path.relative_to(self._root).as_posix(), self._complaints, without="stats/"):
                index = row.get("episode_index")
                if not isinstance(index, int) or index in rows:
                    what = "listed twice" if index in rows else "without an index"
                    self._complaints.append(Defect(EPISODES, f"episode {index}", f"An episode is {what}."))
                else:
                    rows[index] = row
        return rows

    @cached_property
    def _held(self) -> dict[int, list[Path]]:
        """Which data file really holds which episode."""
        held: dict[int, list[Path]] = {}
        for path in sorted((self._root / "data").rglob("*.parquet")):
            for index in episode_indices(path, path.relative_to(self._root).as_posix(), self._complaints):
                held.setdefault(index, []).append(path)
        return held

    def listed(self) -> int:
        """How many episodes does the dataset say it has?"""
        return len(self._listing) or self._info.total("total_episodes") or len(self._held)

    def entries(self) -> Iterator[Entry]:
        """Yield every episode that some data file holds, listed or not."""
        for index in sorted(self._held):
            row = self._listing.get(index, {})
            length, tasks = row.get("length"), row.get("tasks")
            yield Entry(
                index,
                self._reader(index, row),
                {key: place for key in self._info.cameras if (place := self._video(key, row))},
                length if isinstance(length, int) else None,
                tuple(map(str, tasks)) if isinstance(tasks, list) else (),
                {key: value for key, value in row.items() if key not in OWN_COLUMNS and "/" not in key},
                self._held[index][0].relative_to(self._root).as_posix(),
            )

    def defects(self) -> list[Defect]:
        """Compare the table of episodes with the data files, with itself and with the totals."""
        listing, held = self._listing, self._held
        defects = list(self._complaints)
        if missing := sorted(listing.keys() - held.keys()):
            defects.append(
                Defect("data", EPISODES, f"{len(missing)} listed episodes are in no data file: {some(missing)}.")
            )
        if unlisted := sorted(held.keys() - listing.keys()) if listing else []:
            defects.append(
                Defect(EPISODES, "", f"{len(unlisted)} episodes have data but are not listed: {some(unlisted)}.")
            )
        lengths = [row["length"] for row in listing.values() if isinstance(row.get("length"), int)]
        if listing and len(lengths) == len(listing):
            defects += total_defects(self._info, {"total_episodes": len(listing), "total_frames": sum(lengths)})
        return defects

    def _reader(self, index: int, row: Mapping[str, Any]) -> Rows:
        """Read from where the rows are; metadata that points elsewhere is named."""
        paths, root = self._held[index], self._root
        said = inside(root, self._info.path("data_path", DATA_PATH, **_file(row, "data/"))) if row else paths[0]

        def read(defects: list[Defect]) -> Any:
            if said not in [path.resolve() for path in paths] and said not in paths:
                where = f"{said.relative_to(root.resolve()) if said.is_relative_to(root.resolve()) else said.name}"
                really = paths[0].relative_to(root).as_posix()
                defects.append(Defect("data", f"episode {index}", f"The table says {where}, the rows are in {really}."))
            return read_episode(paths, index, root, defects)

        return read

    def _video(self, key: str, row: Mapping[str, Any]) -> VideoPlace | None:
        prefix = f"videos/{key}/"
        if not isinstance(row.get(f"{prefix}file_index"), int):
            return None
        parts = {"video_key": key, **_file(row, prefix)}
        path = inside(self._root, self._info.path("video_path", VIDEO_PATH, **parts))
        start, end = row.get(f"{prefix}from_timestamp"), row.get(f"{prefix}to_timestamp")
        return VideoPlace(path, start if start is None else float(start), end if end is None else float(end))


def _file(row: Mapping[str, Any], prefix: str) -> dict[str, int]:
    return {name: int(row.get(f"{prefix}{name}") or 0) for name in ("chunk_index", "file_index")}
