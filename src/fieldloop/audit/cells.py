"""Read a CSV file as rows of named cells that know their place."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NoReturn

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.episode_text import parse_finite_number


class Cells(dict[str, str]):
    """One line of a table, which knows its place."""

    def __init__(self, values: dict[str, str], where: str) -> None:
        super().__init__(values)
        self.where = where

    def refuse_value(self, column: str, what: str) -> NoReturn:
        """Raise an error with the place of a cell and what to do."""
        raise BadInput(f"{self.where}, column {column}: {what}")

    def read_number(self, column: str, unknown: str = "leave it empty") -> float | None:
        """Return a finite non-negative number, None where the cell is empty. `unknown` is what to write for none."""
        cell = self.get(column, "")
        if not cell:
            return None
        value = parse_finite_number(cell)
        if value is None:
            self.refuse_value(column, f"{cell!r} is not a number; write digits with a decimal point, or {unknown}.")
        if value < 0.0:
            self.refuse_value(column, f"{cell!r} is negative; correct it or {unknown}.")
        return value


def read_table_rows(
    text: str, file: str, known: Sequence[str], mandatory: Sequence[str], *, others: bool = False
) -> Iterator[Cells]:
    """Read a table with a header; unknown columns are refused unless `others` are allowed."""
    clean = text.removeprefix("\ufeff")
    first = clean.partition("\n")[0]
    # spreadsheets in many countries write semicolons
    mark = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(clean, newline=""), strict=True, delimiter=mark)
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(header, file, known, mandatory, others=others)
        for row in reader:
            where = f"{file}, line {reader.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise BadInput(
                    f"{where}: {len(row)} cells under {len(header)} columns; put text with {mark!r} in quotes."
                )
            yield Cells({name: cell.strip() for name, cell in zip(header, row, strict=True)}, where)
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is a closing quotation mark missing?") from wrong


def _check_header(
    header: list[str], file: str, known: Sequence[str], mandatory: Sequence[str], *, others: bool
) -> None:
    for name in header:
        if name not in known and not others:
            raise BadInput(
                f"{file}, line 1: {UnknownName('column', name, known)} Known, by commas: {', '.join(known)}."
            )
        if name and header.count(name) > 1:
            raise BadInput(f"{file}, line 1: the column {name!r} occurs twice; keep one of them.")
    for name in mandatory:
        if name not in header:
            raise BadInput(f"{file}, line 1: the column {name!r} is missing; {' and '.join(mandatory)} are needed.")
