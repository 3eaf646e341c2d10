"""Read the rows of a user's table with their line numbers: CSV or Parquet, or one JSON object a line."""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator
from datetime import date, time
from itertools import chain
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.text_files import read_text

TABLES = (".csv", ".parquet")
"""Endings of tables with columns; all their cells are read as text. Any other file holds one JSON object a line."""
EXAMPLE = "# "
"""How a line of a CSV begins that readers skip: the example rows of our templates do."""
Row = tuple[int, dict[str, Any]]
"""The number of a line and what stands there."""


def read_rows(file: Path) -> list[Row]:
    """Read all rows; one that does not fit its header is refused, for its cells may stand under wrong names."""
    if file.suffix == ".parquet":
        rows = _read_parquet(file)
    else:
        text = read_text(file)
        rows = _parse_csv(text, file.name) if file.suffix == ".csv" else _parse_json_lines(text, file.name)
    if not rows:
        refuse_empty_table(file)
    return rows


def refuse_empty_table(file: Path) -> None:
    """Refuse a table without rows."""
    if file.suffix == ".csv" and any(line.startswith(EXAMPLE) for line in read_text(file).split("\n")):
        raise BadInput(
            f"{file.name} has no rows but examples: lines that begin with {EXAMPLE!r} are not read. Add your own."
        )
    raise BadInput(f"{file.name} has no rows. Remove the file if it is not needed.")


def find_delimiter(first_line: str) -> str:
    """Return what separates the cells; spreadsheets in many countries write semicolons."""
    return ";" if first_line.count(";") > first_line.count(",") else ","


def walk_csv(lines: Iterable[str], file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the header with its names, then the cells of each row, with the number of the line where it ends."""
    unread = iter(lines)
    first = next(unread, "")
    mark = find_delimiter(first)
    reader = csv.reader(chain([first], unread), strict=True, delimiter=mark)
    try:
        header = [name.strip() for name in next(reader, [])]
        for name in header:
            if name and header.count(name) > 1:
                raise BadInput(f"{file}, line 1: the column {name!r} appears twice. Keep one.")
        yield reader.line_num, header
        for cells in reader:
            if not cells or cells[0].startswith(EXAMPLE):
                continue
            if len(cells) != len(header):
                raise BadInput(
                    f"{file}, line {reader.line_num}: {len(cells)} cells under {len(header)} columns; put text with "
                    f"{mark!r} in quotes, and leave a cell empty where nothing is known."
                )
            yield reader.line_num, cells
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is a quotation mark left open?") from wrong


def _parse_csv(text: str, file: str) -> list[Row]:
    rows = walk_csv(io.StringIO(text, newline=""), file)
    header = next(rows)[1]
    return [
        (line, {name: cell.strip() for name, cell in zip(header, cells, strict=True) if name}) for line, cells in rows
    ]


def open_parquet(file: Path) -> Any:
    """Open a Parquet file as a table."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.read_table(file)
    except (OSError, pa.ArrowException) as wrong:
        raise BadInput(f"{file} cannot be read as Parquet: {wrong}") from wrong


def _read_parquet(file: Path) -> list[Row]:
    """Read a Parquet file; cells become text, as in a CSV, and lines are numbered from 1."""
    rows = open_parquet(file).to_pylist()
    return [(n, {name: format_cell(value) for name, value in row.items()}) for n, row in enumerate(rows, 1)]


def format_cell(value: Any) -> str:
    """Write a cell as a CSV has it; the numbers of a list have blanks between them.

    >>> [format_cell(cell) for cell in ([0.1, 2.0], None, True)]
    ['0.1 2.0', '', 'yes']
    """
    if isinstance(value, list):
        return " ".join(map(format_cell, value))
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.isoformat() if isinstance(value, date | time) else str(value).strip()


def _parse_json_lines(text: str, file: str) -> list[Row]:
    return [
        (n, _parse_json_object(line, f"{file}, line {n}")) for n, line in enumerate(text.split("\n"), 1) if line.strip()
    ]


def _parse_json_object(text: str, location: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{location} is not valid JSON: {wrong}.") from wrong
    if not isinstance(row, dict):
        raise BadInput(f'{location} should be one object a line, such as {{"succeeded": true, …}}.')
    return row
