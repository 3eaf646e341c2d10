"""Read a user's table column by column: each different text once, and its place in every row."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.tables.table_rows import find_delimiter, format_cell, open_parquet, refuse_empty_table, walk_csv
from fieldloop.model.outcome_columns import Texts
from fieldloop.text_files import open_text

ROWS_AT_ONCE = 65_536
PARTICULAR = re.compile(rb'["\r]|\n(# |\n)')
"""What makes a line of a CSV no row of its own: quotes, carriage returns, examples, and empty lines."""


@dataclass(frozen=True, eq=False)
class TextTable:
    """The columns of a table, and the number of each row's line."""

    file: Path
    lines: NDArray[np.int64]
    columns: Mapping[str, Texts]

    def get_row(self, at: int) -> dict[str, str]:
        """Return one row, as `read_rows` would."""
        return {name: column[at] for name, column in self.columns.items()}


def read_text_table(file: Path) -> TextTable:
    """Read a CSV or Parquet file; what cannot be read is refused as by `read_rows`."""
    if file.suffix == ".parquet":
        lines, columns = _read_parquet(file)
    else:
        lines, columns = _read_plain_csv(file) or _read_csv(file)
    if not len(lines):
        refuse_empty_table(file)
    return TextTable(file, lines, columns)


def _read_plain_csv(file: Path) -> tuple[NDArray[np.int64], dict[str, Texts]] | None:
    """Read a CSV whose lines are its rows; None where it has quotes, examples or empty lines, or cannot be read.

    Those are left to the slower reader, which also states what is wrong.
    """
    import pyarrow as pa
    from pyarrow import csv

    with open_text(file, newline=None) as text:
        _, header = next(walk_csv(text, file.name))
        text.seek(0)
        mark = find_delimiter(text.readline())
    content = pa.memory_map(str(file)).read_buffer() if file.stat().st_size else pa.py_buffer(b"")
    if not all(header) or PARTICULAR.search(memoryview(content)):
        return None
    places = [str(at) for at in range(len(header))]
    text_type = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(use_threads=False, skip_rows=1, column_names=places),
            csv.ParseOptions(delimiter=mark, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=dict.fromkeys(places, text_type), strings_can_be_null=False),
        )
    except pa.ArrowException:
        return None
    columns = {
        name: _join_encoded_parts(table.column(place).chunks) for name, place in zip(header, places, strict=True)
    }
    return np.arange(2, table.num_rows + 2), columns


def _read_csv(file: Path) -> tuple[NDArray[np.int64], dict[str, Texts]]:
    lines: list[NDArray[np.int64]] = []
    with open_text(file, newline=None) as text:
        rows = walk_csv(text, file.name)
        header = next(rows)[1]
        parts: list[list[Any]] = [[] for _ in header]
        while several := list(islice(rows, ROWS_AT_ONCE)):
            lines.append(np.array([line for line, _ in several], dtype=np.int64))
            for part, cells in zip(parts, zip(*(cells for _, cells in several), strict=True), strict=True):
                part.append(_encode_cells(cells))
    named = ((name, part) for name, part in zip(header, parts, strict=True) if name)
    return np.concatenate([np.empty(0, np.int64), *lines]), {name: _join_encoded_parts(part) for name, part in named}


def _read_parquet(file: Path) -> tuple[NDArray[np.int64], dict[str, Texts]]:
    table = open_parquet(file)
    columns = {
        name: _join_encoded_parts([_encode_cells([format_cell(cell) for cell in table.column(name).to_pylist()])])
        for name in table.column_names
    }
    return np.arange(1, table.num_rows + 1), columns


def _encode_cells(cells: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.array(cells, pa.string()).dictionary_encode()


def _join_encoded_parts(parts: Sequence[Any]) -> Texts:
    """Number the different texts of all parts, without the space around them."""
    import pyarrow as pa

    if not parts:
        return Texts(np.empty(0, np.uint8), ())
    whole = pa.chunked_array(parts).unify_dictionaries()
    place: dict[str, int] = {}
    number = np.array(
        [place.setdefault(text.strip(), len(place)) for text in whole.chunk(0).dictionary.to_pylist()], dtype=np.uint32
    )
    smallest = number.astype(np.uint8) if len(place) <= 2**8 else number
    return Texts(np.concatenate([smallest[part.indices.to_numpy()] for part in whole.chunks]), tuple(place))
