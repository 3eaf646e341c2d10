"""A log as a sequence of recordings: each has an episode and its streams as NumPy arrays."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fieldloop.ingest import OpenLog
    from fieldloop.model.episode import Defect, Recording


class Recordings:
    """The recordings of a log, read one at a time as they are asked for."""

    def __init__(self, log: "OpenLog") -> None:
        self._log = log

    @property
    def format(self) -> str:
        """Which reader knows this log."""
        return self._log.format

    @property
    def defects(self) -> "tuple[Defect, ...]":
        """What is wrong with the log as a whole, as far as it has been read."""
        return self._log.defects

    def __len__(self) -> int:
        """How many recordings the log declares; a damaged log may hold fewer."""
        return self._log.expected_recordings

    def __iter__(self) -> "Iterator[Recording]":
        return self._log.recordings

    def __getitem__(self, index: int) -> "Recording":
        """Read one recording; negative numbers count from the end."""
        start = index if index >= 0 else len(self) + index
        recording = next(self._log.read_part(start, start + 1), None) if start >= 0 else None
        if recording is None:
            raise IndexError(f"{self._log.path.name} has {len(self)} recordings; index {index} is out of range.")
        return recording

    def __repr__(self) -> str:
        count = len(self)
        return f"<{self._log.path.name}: {count} {'recording' if count == 1 else 'recordings'}, format {self.format}>"


def read(path: str | Path, *, mapping: str | Path | None = None) -> Recordings:
    """Open a log file, a dataset folder or a folder of logs, and read its recordings as arrays.

    Arguments:
        path: what to read; the format is recognised by content
        mapping: names, units and frames of your logs, as `fl.mapping` proposes them
    """
    from fieldloop.loop.data.read_log import read_log

    return Recordings(read_log(Path(path), None if mapping is None else Path(mapping)))
