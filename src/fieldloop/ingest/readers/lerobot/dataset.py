"""What all episodes of a dataset share, read once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fieldloop.ingest.readers.lerobot.info import Info
from fieldloop.ingest.readers.lerobot.layout import DatasetLayout
from fieldloop.ingest.readers.lerobot.sidecar import Sidecar, read_sidecar
from fieldloop.ingest.readers.lerobot.stamps import StampColumns
from fieldloop.ingest.readers.lerobot.stats import Stats, read_dataset_stats
from fieldloop.ingest.readers.lerobot.tasks import read_tasks
from fieldloop.ingest.readers.lerobot.video_files import VideoFiles, find_absent_cameras


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A dataset's description, its cameras without files, and its small tables."""

    root: Path
    info: Info
    listed: int
    videos: VideoFiles
    absent: tuple[str, ...]
    stamps: StampColumns
    tasks: Mapping[int, str]
    stats: Stats
    sidecar: Callable[[], Sidecar]


def open_dataset(root: Path, info: Info, layout: DatasetLayout) -> Dataset:
    """Read what all episodes share; what is wrong with it is said once, for the log as a whole."""
    videos = VideoFiles(root)
    return Dataset(
        root, info, layout.count_listed_episodes(), videos, find_absent_cameras(info, videos, layout.list_entries()),
        StampColumns(info),
        read_tasks(root, info.version, []), read_dataset_stats(root, []), cache(lambda: read_sidecar(root, [])),
    )  # fmt: skip
