"""Pictures kept as encoded bytes inside a data file, or as files that the table names."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture, decode_compressed_picture, find_picture_size
from fieldloop.ingest.readers.lerobot.layout import join_path_inside

AT_A_TIME = 16
FORMS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg"}
Place = tuple[Path, int, int]
"""A data file, the first row and the row behind the last."""


class ParquetPictures:
    """A FrameSource over a column of `struct{bytes, path}`; pictures stay in the file until requested."""

    def __init__(self, root: Path, column: str, places: Sequence[Place]) -> None:
        self._root, self._column, self._places = root, column, tuple(places)

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of the first frame that decodes; 0 × 0 where none does."""
        return find_picture_size(self.frames())

    def __len__(self) -> int:
        return sum(stop - start for _, start, stop in self._places)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        for data in self._read_stored_bytes(indices):
            yield decode_compressed_picture(data) if data else NOTHING

    def encoded(self, indices: Iterable[int] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield form and bytes as they are stored; ('', b'') where the form is unknown."""
        for data in self._read_stored_bytes(indices):
            form = next((name for head, name in FORMS.items() if data.startswith(head)), "")
            yield (form, data) if form else ("", b"")

    def fingerprint(self) -> Iterator[bytes]:
        """Yield what names these pictures: their stored bytes."""
        return self._read_stored_bytes(None)

    def _read_stored_bytes(self, indices: Iterable[int] | None) -> Iterator[bytes]:
        """Yield the stored bytes of pictures, in one walk through the rows between the first and the last."""
        wanted = list(range(len(self)) if indices is None else sorted(indices))
        done, before = 0, 0
        for path, start, stop in self._places:
            inside_it = [index - before + start for index in wanted[done:] if index - before < stop - start]
            yielded = 0
            for cell in _read_cells(path, self._column, inside_it):
                yielded += 1
                yield self._read_cell_bytes(cell)
            yield from (b"" for _ in range(len(inside_it) - yielded))
            done, before = done + len(inside_it), before + stop - start

    def _read_cell_bytes(self, cell: Any) -> bytes:
        if isinstance(cell, bytes):
            return cell
        if not isinstance(cell, dict):
            return b""
        data = cell.get("bytes")
        if not data and isinstance(cell.get("path"), str):
            path = join_path_inside(self._root, cell["path"])
            data = path.read_bytes() if path.is_file() else b""
        return data or b""


def _read_cells(path: Path, column: str, rows: list[int]) -> Iterator[Any]:
    """Yield cells of a column by ascending row, decoding only row groups that hold one; fewer where they are broken."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    if not rows:
        return
    at = 0
    try:
        with pq.ParquetFile(path) as file:
            begin = 0
            for group in range(file.metadata.num_row_groups):
                end = begin + file.metadata.row_group(group).num_rows
                place = begin if at < len(rows) and rows[at] < end else end
                for batch in file.iter_batches(AT_A_TIME, row_groups=[group] * (place < end), columns=[column]):
                    while at < len(rows) and rows[at] < place + len(batch):
                        yield batch.column(0)[rows[at] - place].as_py()
                        at += 1
                    place += len(batch)
                    if at == len(rows) or rows[at] >= end:
                        break
                while at < len(rows) and rows[at] < end:  # the group is shorter than its footer says
                    yield None
                    at += 1
                begin = end
    except (ArrowException, OSError, ValueError, KeyError):
        return
