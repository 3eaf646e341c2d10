"""Which of a dataset's numbered files comes next: files of a limited size, folders of a limited number of files."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Limits:
    """When a new file and a new folder begin; LeRobot's own defaults. A test makes them tiny."""

    data_mb: float = 100
    video_mb: float = 200
    files_a_chunk: int = 1000


class Place(NamedTuple):
    """A numbered file in a numbered folder."""

    chunk: int
    file: int

    def fill_template(self, template: str, **names: str) -> str:
        """Fill a path template of the dataset."""
        return template.format(chunk_index=self.chunk, file_index=self.file, **names)


class Places:
    """Hands out the file for each episode: the current one, until the episode would make it too large."""

    def __init__(self, limit_mb: float, files_a_chunk: int) -> None:
        self._limit, self._files_a_chunk = limit_mb * (1 << 20), files_a_chunk
        self._number, self._bytes = -1, 0

    def choose_file(self, size: float, *, too_long: bool = False) -> tuple[Place, bool]:
        """Return the file for an episode of about so many bytes, and whether it is a new one."""
        is_new = self._number < 0 or (self._bytes > 0 and (too_long or self._bytes + size >= self._limit))
        if is_new:
            self._number, self._bytes = self._number + 1, 0
        return Place(*divmod(self._number, self._files_a_chunk)), is_new

    def note_written_bytes(self, byte_count: int) -> None:
        """Note that so many bytes went into the current file."""
        self._bytes += byte_count
