"""Files of a dataset that no episode uses: what was not read is named, so that no set passes by a part of itself."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from fieldloop.ingest.readers.lerobot.version import EPISODE_FILE
from fieldloop.model.episode import Defect
from fieldloop.model.note import note


def find_unread_data(root: Path, files: Collection[Path], read: Mapping[int, Path]) -> Iterator[Defect]:
    """Report Parquet files that no episode uses: another file has the same number, or the name has none."""
    used = set(read.values())
    unread = [path for path in files if path not in used]
    repeated = [path for path in unread if EPISODE_FILE.fullmatch(path.name)]
    nameless = [path for path in unread if not EPISODE_FILE.fullmatch(path.name)]
    if repeated:
        match = EPISODE_FILE.fullmatch(repeated[0].name)
        message = note(
            "ingest.files_repeat_episodes", count=len(repeated), of=len(files), example=_write_path(root, repeated[0]),
            read=_write_path(root, read[int(match[1])]) if match else "",
        )  # fmt: skip
        yield Defect("data", "", message)
    if nameless:
        message = note(
            "ingest.files_not_read", count=len(nameless), of=len(files), example=_write_path(root, nameless[0])
        )
        yield Defect("data", "", message)


def find_unread_videos(root: Path, files: Collection[Path], used: Iterable[Path]) -> Iterator[Defect]:
    """Report videos that belong to no episode that was read."""
    known = set(used)
    unread = sorted(path for path in files if path not in known)
    if unread:
        message = note("ingest.videos_not_read", count=len(unread), of=len(files), example=_write_path(root, unread[0]))
        yield Defect("videos", "", message)


def _write_path(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()
