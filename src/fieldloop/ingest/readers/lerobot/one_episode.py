"""Open one episode of a dataset by its listing alone: no other episode's rows, video or statistics are read."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from fieldloop.ingest.readers.lerobot.dataset import open_dataset
from fieldloop.ingest.readers.lerobot.episode import read_recording
from fieldloop.ingest.readers.lerobot.info import Info
from fieldloop.ingest.readers.lerobot.layout import Entry
from fieldloop.ingest.readers.lerobot.listing import Listing, read_listing
from fieldloop.ingest.readers.lerobot.shard import open_shard
from fieldloop.ingest.readers.lerobot.stats import Stats
from fieldloop.ingest.readers.lerobot.v2 import LayoutV2
from fieldloop.ingest.readers.lerobot.v3 import DATA_PATH, Held, LayoutV3
from fieldloop.model.episode import Defect, Recording


class ListedV2(LayoutV2):
    """A v2.x dataset without the statistics of its episodes."""

    @cached_property
    def _stats(self) -> dict[int, Stats]:
        return {}


class ListedV3(LayoutV3):
    """One episode of a v3.0 dataset, in the data file that the listing states for it."""

    def __init__(self, root: Path, info: Info, place: int) -> None:
        super().__init__(root, info)
        self._place = place

    @cached_property
    def _listing(self) -> Listing:
        return read_listing(self._root, self._info, self._complaints, stats=False)

    @cached_property
    def _runs_by_episode(self) -> dict[int, list[Held]]:
        indices = sorted(self._listing.rows)
        if self._place >= len(indices):
            return {}
        index = indices[self._place]
        path = self._fill_path_template("data_path", DATA_PATH, self._listing.rows[index], "data/")
        shard = open_shard(path, self._root, self._complaints) if path.is_file() else None
        runs = [run for run in self._find_runs(shard) if run.episode == index] if shard else []
        return {index: [(shard, run.start, run.stop) for run in runs]} if shard and runs else {}

    @cached_property
    def _video_starts(self) -> dict[str, set[tuple[Path, int | None]]]:
        """Look only at episodes that share a file with this one."""
        wanted = self._listing.rows.get(next(iter(self._runs_by_episode), -1), {})
        starts: dict[str, set[tuple[Path, int | None]]] = {}
        for key in self._info.cameras:
            names = [f"videos/{key}/{name}" for name in ("chunk_index", "file_index")]
            place = [wanted.get(name) for name in names]
            same = [row for row in self._listing.rows.values() if [row.get(name) for name in names] == place]
            starts[key] = {self._get_video_start(key, row) for row in same}
        return starts

    def list_entries(self, start: int = 0, stop: int | None = None) -> Iterator[Entry]:
        """Yield the one episode, if its rows are where the listing states."""
        del start, stop
        yield from super().list_entries()


class _OneEntry:
    """What `open_dataset` asks of a layout, for one entry."""

    def __init__(self, entry: Entry, listed: int) -> None:
        self._entry, self._listed = entry, listed

    def __len__(self) -> int:
        return 1

    def count_listed_episodes(self) -> int:
        return self._listed

    def list_entries(self, start: int = 0, stop: int | None = None) -> Iterator[Entry]:
        del start, stop
        yield self._entry

    def find_dataset_defects(self) -> list[Defect]:
        return []


def count_listed(root: Path, info: Info) -> int:
    """How many episodes can be asked for by their place?"""
    return (
        len(LayoutV2(root, info)) if info.version.startswith("v2") else ListedV3(root, info, 0).count_listed_episodes()
    )


def read_listed_episode(root: Path, info: Info, place: int) -> Recording | None:
    """Read one episode by its place in the listing; None where only the data files can show where it is."""
    if info.version.startswith("v3"):
        layout: LayoutV2 | LayoutV3 = ListedV3(root, info, place)
        entry = next(layout.list_entries(), None)
    else:
        layout = ListedV2(root, info)
        entry = next(layout.list_entries(place, place + 1), None)
    if entry is None:
        return None
    return read_recording(open_dataset(root, info, _OneEntry(entry, layout.count_listed_episodes())), entry)
