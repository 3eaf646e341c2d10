"""The interface of a reader: three names, nothing to inherit."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

from fieldloop.model.episode import Defect, Recording


@runtime_checkable
class Reader(Protocol):
    """One format. A module or an object with these names, listed in `readers` or found by entry point.

    A reader may also have `defects(path) -> tuple[Defect, ...]`: what is wrong with the log as a whole, such as
    tables that disagree; `files(path) -> tuple[Path, ...]`: which files make up the log (default: all below it);
    `count(path) -> int`: how many recordings it holds (default: 1); `read_part(path, start, stop)`: like `read`, but
    only some of them, without the cost of the others (default: those before are read and passed over);
    `read_one(path, place)` and `count_listed(path)`: one recording by the log's own listing, None where that is not
    possible, and how many are listed, both without a look at the rest.
    """

    @property
    def name(self) -> str:
        """The format, as reports and `Episode.format` show it."""

    def recognises(self, path: Path) -> bool:
        """Is this file or folder a log of this format? By content, never by suffix; must not raise on any bytes."""

    def read(self, path: Path) -> Iterator[Recording]:
        """Yield the log's recordings one by one; what cannot be read becomes a Defect of its recording."""


def find_whole_log_defects(reader: Reader, path: Path) -> tuple[Defect, ...]:
    """Return a reader's defects of the log as a whole, where it offers them."""
    ask = getattr(reader, "defects", None)
    return tuple(ask(path)) if ask else ()


def count_recordings(reader: Reader, path: Path) -> int:
    """How many recordings does the log hold, as far as known without reading it?"""
    ask = getattr(reader, "count", None)
    return int(ask(path)) if ask else 1


def read_log_part(reader: Reader, path: Path, start: int, stop: int | None) -> Iterator[Recording]:
    """Read some of a log's recordings, by default all."""
    ask = getattr(reader, "read_part", None)
    if (start, stop) == (0, None):
        return iter(reader.read(path))
    return iter(ask(path, start, stop)) if ask else islice(reader.read(path), start, stop)


def list_log_files(reader: Reader, path: Path) -> tuple[Path, ...]:
    """Which files make up the log?"""
    ask = getattr(reader, "files", None)
    if ask:
        return tuple(ask(path))
    return (path,) if path.is_file() else tuple(sorted(p for p in path.rglob("*") if p.is_file()))
