"""Find a dataset's videos: where its metadata state them, else under another folder or name."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import islice
from os import walk
from pathlib import Path

from fieldloop.ingest.readers.lerobot.info import Info
from fieldloop.ingest.readers.lerobot.layout import Entry, VideoPlace
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import Note, note

VIDEO_ENDINGS = (".mp4", ".mkv", ".avi", ".mov", ".webm")
MOST_FILES = 1_000_000
NUMBERS = re.compile(r"\d+")


class VideoFiles:
    """The video files below a dataset's folder, listed once and only where a stated file is missing."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._by_numbers: dict[str, dict[tuple[int, ...], list[Path]]] = {}

    @cached_property
    def paths(self) -> list[Path]:
        """Every video file below the dataset's folder."""
        return list(islice(_list_video_paths(self._root), MOST_FILES))

    @cached_property
    def _by_camera(self) -> dict[str, list[Path]]:
        """Group the files by each folder on their way: one of them names the camera."""
        found: dict[str, list[Path]] = {}
        for path in self.paths:
            for part in path.relative_to(self._root).parts[:-1]:
                found.setdefault(part, []).append(path)
        return found

    def is_camera_absent(self, key: str, places: Iterable[VideoPlace]) -> bool:
        """Is there no file of this camera, neither where the metadata state it nor elsewhere?"""
        return not any(place.path.is_file() for place in places) and not self._by_camera.get(key)

    def find_video(self, key: str, place: VideoPlace) -> VideoPlace:
        """Return where a camera's video is: the stated place, else the one file with its camera and numbers."""
        if place.path.is_file():
            return place
        if key not in self._by_numbers:  # once a camera: a set may have thousands of files
            numbered: dict[tuple[int, ...], list[Path]] = {}
            for path in self._by_camera.get(key, ()):
                numbered.setdefault(_extract_path_numbers(path, self._root, key), []).append(path)
            self._by_numbers[key] = numbered
        same = self._by_numbers[key].get(_extract_path_numbers(place.path, self._root, key), [])
        return replace(place, path=same[0]) if len(same) == 1 else place

    def note_namesakes(self, key: str, place: VideoPlace, data_path: str) -> Note | None:
        """Say where files of this camera with the stated file's name lie; one in the folder of the rows comes first."""
        same = [path for path in self._by_camera.get(key, ()) if path.name == place.path.name and path.is_file()]
        if not same or place.path.is_file():
            return None
        chunk = Path(data_path).parent.name
        nearest = min(sorted(same), key=lambda path: chunk not in path.relative_to(self._root).parts)
        stated, example = (path.relative_to(self._root).as_posix() for path in (place.path, nearest))
        return note("ingest.video_under_other_path", count=len(same), stated=stated, example=example)


def find_absent_cameras(info: Info, files: VideoFiles, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return cameras that are declared but of which no file exists anywhere."""
    known = list(entries)
    return tuple(
        key for key in info.cameras if files.is_camera_absent(key, (e.videos[key] for e in known if key in e.videos))
    )


def find_moved_videos(info: Info, files: VideoFiles, entries: Iterable[Entry], root: Path) -> list[Defect]:
    """Report, once a camera, videos that are not where the metadata state them: a loader does not find them."""
    defects = []
    known = list(entries)
    for key in info.cameras:
        pairs = [(e.videos[key], files.find_video(key, e.videos[key])) for e in known if key in e.videos]
        moved = [(stated.path, found.path) for stated, found in pairs if stated.path != found.path]
        if moved:
            stated, found = (path.relative_to(root).as_posix() for path in moved[0])
            message = note("ingest.videos_elsewhere", count=len(moved), of=len(pairs), stated=stated, found=found)
            defects.append(Defect(key, "", message, Harm.MISLEADS))
    return defects


def _list_video_paths(root: Path) -> Iterable[Path]:
    for folder, _, names in walk(root):
        for name in names:
            if name.lower().endswith(VIDEO_ENDINGS):
                yield Path(folder, name)


def _extract_path_numbers(path: Path, root: Path, key: str) -> tuple[int, ...]:
    """Return the numbers in a path without its camera: chunk and file, or chunk and episode."""
    parts = [part for part in path.relative_to(root).with_suffix("").parts if part != key]
    return tuple(int(number) for part in parts for number in NUMBERS.findall(part))
