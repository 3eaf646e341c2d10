"""Pictures kept as encoded bytes inside a table, or as files that the table names."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture, decode_compressed, size_of
from fieldloop.ingest.readers.lerobot.layout import inside


class ParquetPictures:
    """A FrameSource over a column of `struct{bytes, path}`; pictures stay encoded until asked for."""

    def __init__(self, root: Path, column: Any) -> None:
        self._root, self._column = root, column

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of the first frame that decodes; 0 × 0 where none does."""
        return size_of(self.frames())

    def __len__(self) -> int:
        return len(self._column)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        for index in range(len(self)) if indices is None else sorted(indices):
            yield self._decode(self._column[index].as_py())

    def _decode(self, cell: Any) -> Picture:
        if not isinstance(cell, dict):
            return NOTHING
        data = cell.get("bytes")
        if not data and isinstance(cell.get("path"), str):
            path = inside(self._root, cell["path"])
            data = path.read_bytes() if path.is_file() else b""
        return decode_compressed(data) if data else NOTHING
