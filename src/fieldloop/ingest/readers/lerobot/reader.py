"""Read LeRobot datasets: v2.0, v2.1 and v3.0."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fieldloop.errors import UnreadableLog
from fieldloop.ingest.readers.lerobot.assumed_version import leave_open_without_version
from fieldloop.ingest.readers.lerobot.dataset import open_dataset
from fieldloop.ingest.readers.lerobot.episode import read_recording
from fieldloop.ingest.readers.lerobot.info import INFO, Info, read_info
from fieldloop.ingest.readers.lerobot.layout import NO_DATA_READ, DatasetLayout
from fieldloop.ingest.readers.lerobot.one_episode import count_listed, read_listed_episode
from fieldloop.ingest.readers.lerobot.rate import find_rate_defects
from fieldloop.ingest.readers.lerobot.sidecar import check_sidecar
from fieldloop.ingest.readers.lerobot.tasks import read_tasks
from fieldloop.ingest.readers.lerobot.unread import find_unread_videos
from fieldloop.ingest.readers.lerobot.v2 import LayoutV2
from fieldloop.ingest.readers.lerobot.v3 import LayoutV3
from fieldloop.ingest.readers.lerobot.version import detect_version
from fieldloop.ingest.readers.lerobot.video_files import VideoFiles, find_absent_cameras, find_moved_videos
from fieldloop.model.episode import Defect, Harm, Recording
from fieldloop.model.note import note


class LeRobotReader:
    """A folder with meta/info.json. Its timestamps are computed at recording (frame number over rate) and marked so."""

    name = "lerobot"

    def recognises(self, path: Path) -> bool:
        """Is there a meta/info.json, or at least a table of episodes beside data?"""
        meta = path / "meta"
        if not meta.is_dir():
            return False
        listed = (meta / "episodes.jsonl").is_file() or (meta / "episodes").is_dir()
        return (meta / "info.json").is_file() or (listed and (path / "data").is_dir())

    def read(self, path: Path) -> Iterator[Recording]:
        """Yield the episodes by index."""
        return self.read_part(path, 0, None)

    def read_part(self, path: Path, start: int, stop: int | None) -> Iterator[Recording]:
        """Yield some of the episodes by index; the others are not opened."""
        info, _ = _read_info(path)
        layout = _choose_layout(path, info)
        dataset = open_dataset(path, info, layout)
        for entry in layout.list_entries(start, stop):
            recording = read_recording(dataset, entry)
            yield replace(recording, defects=leave_open_without_version(info, recording.defects))

    def read_one(self, path: Path, place: int) -> Recording | None:
        """Read one episode by its place in the listing, for someone who looks at it; the others are not touched."""
        info, _ = _read_info(path)
        return read_listed_episode(path, info, place)

    def count_listed(self, path: Path) -> int:
        """How many episodes are listed? No data file is opened."""
        return count_listed(path, _read_info(path)[0])

    def count(self, path: Path) -> int:
        """How many episodes can be attempted?"""
        info, _ = _read_info(path)
        return len(_choose_layout(path, info))

    def defects(self, path: Path) -> tuple[Defect, ...]:
        """Return where the dataset's own tables, totals and files disagree."""
        info, defects = _read_info(path)
        layout = _choose_layout(path, info)
        layout.count_listed_episodes()
        entries, videos = list(layout.list_entries()), VideoFiles(path)
        absent = [
            Defect(key, "meta/info.json", note("ingest.declared_but_missing", part="camera", missing="video"))
            for key in find_absent_cameras(info, videos, entries)
        ]
        moved = find_moved_videos(info, videos, entries, path)
        of_layout = layout.find_dataset_defects()
        used = (videos.find_video(key, place).path for one in entries for key, place in one.videos.items())
        unread = find_unread_videos(path, videos.paths, used)
        if not entries and all(one.message.code not in NO_DATA_READ for one in of_layout):  # else one cause, said twice
            defects.append(Defect("data", "", note("ingest.no_episode")))
        read_tasks(path, info.version, defects)
        check_sidecar(path, defects)
        every = (*defects, *absent, *moved, *of_layout, *unread, *find_rate_defects(info, entries))
        return leave_open_without_version(info, every)


def _read_info(path: Path) -> tuple[Info, list[Defect]]:
    """Read the description; where the files are laid out as another version lays them out, they decide."""
    info, defects = read_info(path)
    found = detect_version(path, info.version)
    if found == info.version:
        return info, defects
    message = note("ingest.version_contradicted", stated=info.version, found=found)
    defects.append(Defect(INFO, "codebase_version", message, Harm.MISLEADS))
    raw = {
        key: value for key, value in info.raw.items() if key not in ("data_path", "video_path")
    }  # the other layout's
    return replace(info, version=found, raw=raw), defects


def _choose_layout(path: Path, info: Info) -> DatasetLayout:
    if info.version.startswith("v2"):
        return LayoutV2(path, info)
    if info.version.startswith("v3"):
        return LayoutV3(path, info)
    raise UnreadableLog(f"{path.name} is a LeRobot dataset of version {info.version}; v2.0, v2.1 and v3.0 can be read.")
