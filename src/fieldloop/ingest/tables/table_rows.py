"""Read the rows of a user's table with their line numbers: CSV or Parquet, or one JSON object a line."""

import csv
import io
import json
import math
from datetime import date, time
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
    text = ""
    if file.suffix == ".parquet":
        rows = _read_parquet(file)
    else:
        text = read_text(file)
        rows = _parse_csv(text, file.name) if file.suffix == ".csv" else _parse_json_lines(text, file.name)
    if not rows:
        examples = file.suffix == ".csv" and any(line.startswith(EXAMPLE) for line in text.split("\n"))
        if examples:
            raise BadInput(
                f"{file.name} has no rows but examples: lines that begin with {EXAMPLE!r} are not read. Add your own."
            )
        raise BadInput(f"{file.name} has no rows. Remove the file if it is not needed.")
    return rows


def _parse_csv(text: str, file: str) -> list[Row]:
    first = text.partition("\n")[0]
    # spreadsheets in many countries write semicolons
    mark = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=mark)
    try:
        header = [name.strip() for name in next(reader, [])]
        for name in header:
            if name and header.count(name) > 1:
                raise BadInput(f"{file}, line 1: the column {name!r} appears twice. Keep one.")
        rows = []
        for cells in reader:
            if not cells or cells[0].startswith(EXAMPLE):
                continue
            where = f"{file}, line {reader.line_num}"
            if len(cells) != len(header):
                raise BadInput(
                    f"{where}: {len(cells)} cells under {len(header)} columns; put text with {mark!r} in quotes, and "
                    "leave a cell empty where nothing is known."
                )
            named = zip(header, cells, strict=True)
            rows.append((reader.line_num, {name: cell.strip() for name, cell in named if name}))
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is a quotation mark left open?") from wrong
    return rows


def _read_parquet(file: Path) -> list[Row]:
    """Read a Parquet file; cells become text, as in a CSV, and lines are numbered from 1."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(file)
    except (OSError, pa.ArrowException) as wrong:
        raise BadInput(f"{file} cannot be read as Parquet: {wrong}") from wrong
    return [
        (n, {name: _format_cell(value) for name, value in row.items()}) for n, row in enumerate(table.to_pylist(), 1)
    ]


def _format_cell(value: Any) -> str:
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
