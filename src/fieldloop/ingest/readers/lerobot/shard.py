"""One data file: which rows belong to which episode, and its rows decoded a few row groups at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.parquet_rows import (
    convert_to_array,
    convert_to_arrays,
    explain_unreadable_file,
    find_column_field,
    find_innermost_type,
    get_columns_by_name,
)
from fieldloop.model.episode import Defect
from fieldloop.model.note import Note

BATCH_BYTES = 32 << 20
"""Row groups are decoded together up to this size: each alone costs more to begin than to read."""


class Run(NamedTuple):
    """Rows of one episode that follow each other."""

    episode: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some row groups, decoded: columns of numbers as arrays, why others are none, and which could not be read."""

    start: int
    columns: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    reasons: dict[str, ValueError]
    broken: dict[str, Note]


class Shard:
    """A data file, opened once for its footer. Pictures inside it stay there until asked for."""

    def __init__(self, path: Path, name: str) -> None:
        """Read the footer; an error of pyarrow's or the system's where there is none."""
        import pyarrow.parquet as pq

        self.path, self.name = path, name
        with pq.ParquetFile(path) as file:
            self._metadata, self.schema = file.metadata, file.schema_arrow
        groups = [self._metadata.row_group(g) for g in range(self._metadata.num_row_groups)]
        self._begins = np.cumsum([0, *(g.num_rows for g in groups)]).astype(np.int64)
        names = dict.fromkeys(self.schema.names)
        self.pictures = tuple(n for n in names if _holds_pictures(find_column_field(self.schema, n).type))
        self._plain = [n for n in names if n not in self.pictures]
        sizes = [0 if self.pictures else g.total_byte_size for g in groups]
        self._firsts = _compute_batch_starts(sizes) if not self.pictures else list(range(len(groups)))
        self._held: dict[int, Batch] = {}

    def __len__(self) -> int:
        return int(self._begins[-1])

    def find_episode_runs(self) -> list[Run]:
        """Tell from the footer, or from the column where the footer does not say, whose rows lie where."""
        stated = list(self._read_episode_ranges())
        if any(low is None or low != high for low, high in stated):
            return self._read_runs()
        changes = [g for g, (low, _) in enumerate(stated) if g == 0 or low != stated[g - 1][0]]
        ends = [*changes[1:], len(stated)]
        return [
            Run(int(stated[g][0]), int(self._begins[g]), int(self._begins[end]))
            for g, end in zip(changes, ends, strict=True)
            if self._begins[end] > self._begins[g]
        ]

    def read_pieces(self, start: int, stop: int) -> Iterator[tuple[Batch, int, int]]:
        """Yield the batches that hold these rows, with the first and last row inside each."""
        while start < stop:
            group = int(np.searchsorted(self._begins, start, side="right")) - 1
            batch, end = self._load_batch(group)
            yield batch, start - batch.start, min(stop, end) - batch.start
            start = min(stop, end)

    def clear_cache(self) -> None:
        """Let go of what is decoded."""
        self._held.clear()

    def _read_episode_ranges(self) -> Iterator[tuple[Any, Any]]:
        columns = [self._metadata.schema.column(i).path for i in range(self._metadata.num_columns)]
        place = columns.index("episode_index") if "episode_index" in columns else -1
        for g in range(self._metadata.num_row_groups):
            stats = self._metadata.row_group(g).column(place).statistics if place >= 0 else None
            if stats is None or not stats.has_min_max or stats.null_count:
                yield None, None
            else:
                yield stats.min, stats.max

    def _read_runs(self) -> list[Run]:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path, metadata=self._metadata) as file:
            column = convert_to_array(file.read(columns=["episode_index"], use_threads=False).column(0))[:, 0]
        owners = np.where(np.isfinite(column), column, -1).astype(np.int64)
        starts = np.flatnonzero(np.diff(owners, prepend=owners[:1] - 1))
        stops = np.append(starts[1:], len(owners))
        owned = zip(owners[starts].tolist(), starts.tolist(), stops.tolist(), strict=True)
        return [Run(*row) for row in owned if row[0] >= 0]

    def _load_batch(self, row_group: int) -> tuple[Batch, int]:
        """Return the batch a row group is in, and the row behind its last."""
        number = int(np.searchsorted(self._firsts, row_group, side="right")) - 1
        first = self._firsts[number]
        behind = self._firsts[number + 1] if number + 1 < len(self._firsts) else len(self._begins) - 1
        if first not in self._held:
            self._held.clear()
            batch = self._decode(range(first, behind))
            if batch is None:  # one group is broken: each is tried alone, so that the others are read
                self._firsts = list(range(len(self._begins) - 1))
                return self._load_batch(row_group)
            self._held[first] = batch
        return self._held[first], int(self._begins[behind])

    def _decode(self, groups: range) -> Batch | None:
        import pyarrow.parquet as pq
        from pyarrow import ArrowException

        columns: dict[str, Any] = {}
        broken: dict[str, Note] = {}
        with pq.ParquetFile(self.path, metadata=self._metadata, pre_buffer=False) as file:
            for names in (self._plain, *([name] for name in self._plain)):
                try:
                    table = file.read_row_groups(list(groups), columns=names, use_threads=False)
                except (ArrowException, OSError, ValueError) as wrong:
                    if len(groups) > 1:
                        return None
                    if names is not self._plain:
                        broken[names[0]] = explain_unreadable_file(self.path, wrong)
                    continue
                columns |= get_columns_by_name(table)
                if names is self._plain:
                    break
        arrays, reasons = convert_to_arrays(columns, columns)
        return Batch(int(self._begins[groups[0]]), columns, arrays, reasons, broken)


def open_shard(path: Path, root: Path, defects: list[Defect]) -> Shard | None:
    """Open a data file; None and a defect where it cannot be read."""
    from pyarrow import ArrowException

    name = path.relative_to(root).as_posix()
    try:
        return Shard(path, name)
    except (ArrowException, OSError, ValueError) as wrong:
        defects.append(Defect(name, "", explain_unreadable_file(path, wrong)))
        return None


def _compute_batch_starts(sizes: list[int]) -> list[int]:
    """Return the first group of each batch.

    >>> _compute_batch_starts([20 << 20, 20 << 20, 1, 1])
    [0, 1]
    """
    firsts: list[int] = []
    filled = BATCH_BYTES
    for group, size in enumerate(sizes):
        if filled + size > BATCH_BYTES:
            firsts.append(group)
            filled = 0
        filled += size
    return firsts


def _holds_pictures(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return any(kind.field(i).name == "bytes" for i in range(kind.num_fields))
    return bool(pa.types.is_binary(find_innermost_type(kind)) or pa.types.is_large_binary(find_innermost_type(kind)))
