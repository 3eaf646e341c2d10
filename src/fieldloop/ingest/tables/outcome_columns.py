"""Outcomes of a large table, column by column; every different text is parsed once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.ingest.tables.attempt_files import (
    AS_NAMED,
    NUMBERS,
    classify_columns,
    has_no_result,
    parse_outcome_row,
    parse_yes_no,
    read_outcomes,
)
from fieldloop.ingest.tables.column_roles import ColumnRoles
from fieldloop.ingest.tables.text_columns import TextTable
from fieldloop.ingest.tables.written_times import parse_moments_ns
from fieldloop.model.episode import OBJECT_FACTORS
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.outcome_columns import UNKNOWN, OutcomeColumns, Texts
from fieldloop.model.policy import FailureClass, Outcome, Stage

TEXTS = ("site", "robot", "judged_by", "scenario", "attempt")
Bad = NDArray[np.bool_]


class _Reading:
    """Parses columns and remembers the rows that cannot be read."""

    def __init__(self, table: TextTable) -> None:
        self.table, self.bad = table, np.zeros(len(table.lines), dtype=bool)

    def get_texts(self, name: str, default: str = "") -> Texts:
        """Return a column of texts; a cell that is empty, or a column that is not there, has the default."""
        column = self.table.columns.get(name)
        if column is None:
            return Texts(np.zeros(len(self.table.lines), dtype=np.uint8), (default,))
        return Texts(column.codes, tuple(text or default for text in column.names))

    def parse_column(self, column: Texts, parse: Callable[[str], Any], kind: type[np.generic]) -> NDArray[Any]:
        """Parse each different text; rows whose text is refused are marked."""
        values, wrong = np.zeros(len(column.names), dtype=kind), np.zeros(len(column.names), dtype=bool)
        for at, text in enumerate(column.names):
            try:
                values[at] = parse(text)
            except (BadInput, ValueError):
                wrong[at] = True
        if wrong.any():
            self.bad |= wrong[column.codes]
        return np.asarray(values[column.codes])


def parse_outcome_columns(
    table: TextTable,
    policy: str,
    stage: Stage,
    telemetry: frozenset[str],
    zones: Mapping[str, str],
    roles: ColumnRoles = AS_NAMED,
) -> Sequence[Outcome]:
    """Parse a table as `read_outcomes` does; the first row that it refuses is refused in the same words.

    A table that is not plain (conditions that contain a comma, ids that repeat or lack) is read row by row.
    """
    file, kinds = table.file, classify_columns(table.columns, Outcome, telemetry)
    if "succeeded" not in table.columns or not _has_plain_columns_only(table, kinds):
        return read_outcomes(file, policy, stage, telemetry, zones, roles)
    reading = _Reading(table)
    made = _parse(reading, kinds, policy, stage, zones)
    if reading.bad.any():
        first = int(np.argmax(reading.bad))
        parse_outcome_row(table.get_row(first), kinds, f"{file.name}, line {table.lines[first]}", policy, stage, zones)
        return read_outcomes(file, policy, stage, telemetry, zones, roles)
    return made


def _parse(
    reading: _Reading, kinds: Mapping[str, str], policy: str, stage: Stage, zones: Mapping[str, str]
) -> OutcomeColumns:
    table, facts = reading.table, [name for name, kind in kinds.items() if kind == "fact"]
    texts = {name: reading.get_texts(name) for name in TEXTS}
    texts |= {"policy": reading.get_texts("policy", policy), "stage": reading.get_texts("stage", stage.value)}
    texts |= {"failure": reading.get_texts("failure"), "item": _list_object_names(table)}
    reading.parse_column(texts["stage"], lambda text: bool(Stage(text)), np.bool_)
    reading.parse_column(texts["failure"], lambda text: bool(not text or FailureClass(text)), np.bool_)
    return OutcomeColumns(
        file=table.file.name,
        lines=table.lines,
        ids=table.columns.get("id"),
        texts=texts,
        at_ns=_parse_moments_ns(reading, texts["site"], zones),
        succeeded=reading.parse_column(reading.get_texts("succeeded"), _parse_result, np.int8),
        conditions={name: reading.get_texts(name) for name in kinds if name not in facts},
        numbers={
            n: reading.parse_column(reading.get_texts(n), _make_number_parser(kind), np.float64)
            for n, kind in NUMBERS.items()
        },
        facts={
            name: reading.parse_column(reading.get_texts(name), _parse_optional_number, np.float64) for name in facts
        },
    )


def _has_plain_columns_only(table: TextTable, kinds: Mapping[str, str]) -> bool:
    """Has every row an id of its own, or none has; and do conditions read the same from their written form?"""
    ids = table.columns.get("id")
    own = ids is None or ("" not in ids.names and len(ids.names) == len(table.lines))
    conditions = (name for name, kind in kinds.items() if kind == "condition")
    return own and not any(
        "," in text for name in conditions for text in (name.replace("=", ","), *table.columns[name].names)
    )


def _list_object_names(table: TextTable) -> Texts:
    """Return the name of the object: the first of its columns that is not empty."""
    columns = [table.columns[name] for name in OBJECT_FACTORS if name in table.columns]
    if len(columns) == 1:
        return columns[0]
    place, codes = {"": 0}, np.zeros(len(table.lines), dtype=np.uint32)
    for column in columns:
        number = np.array([place.setdefault(text, len(place)) for text in column.names], dtype=np.uint32)
        codes = np.where(codes == 0, number[column.codes], codes)
    return Texts(codes, tuple(place))


def _parse_moments_ns(reading: _Reading, site: Texts, zones: Mapping[str, str]) -> NDArray[np.int64]:
    """Parse times, each in the zone of its row's site."""
    column, made = reading.get_texts("at"), np.zeros(len(reading.table.lines), dtype=np.int64)
    for zone in {zones.get(name, "UTC") for name in site.used}:
        here = site.mark(name for name in site.names if zones.get(name, "UTC") == zone)
        codes, where = np.unique(column.codes[here], return_inverse=True)
        values, wrong = parse_moments_ns([column.names[code] for code in codes.tolist()], zone)
        made[here] = values[where]
        reading.bad[here] |= wrong[where]
    return made


def _make_number_parser(kind: type[float] | type[int]) -> Callable[[str], float]:
    def parse(text: str) -> float:
        number = parse_finite_number(text)
        if text and (number is None or kind(number) < 0):
            raise ValueError
        return np.nan if number is None else kind(number)

    return parse


def _parse_optional_number(text: str) -> float:
    number = parse_finite_number(text)
    return np.nan if number is None else number


def _parse_result(text: str) -> int:
    return UNKNOWN if has_no_result(text) else int(parse_yes_no(text, "succeeded", ""))
