"""Roles of a folder's columns: stated in `columns.toml`, or seen from their values where a known column is missing."""

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from fieldloop.errors import BadInput, UnknownName
from fieldloop.ingest.tables.table_rows import Row
from fieldloop.ingest.tables.text_columns import TextTable
from fieldloop.model.diagnosis import Column, Gap, Role
from fieldloop.model.episode import OBJECT_FACTORS
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.note import note
from fieldloop.text_files import read_text

FILE = "columns.toml"
KNOWN_AS = {
    Role.RESULT: "succeeded",
    Role.TIME: "at",
    Role.SITE: "site",
    Role.ROBOT: "robot",
    Role.JUDGE: "judged_by",
    Role.ITEM: "sku",
    Role.LATENCY: "latency_ms",
    Role.PERSON: "operator",
}
"""Roles that the model of an attempt has a field for: a column in such a role is read under that field's name."""
NUMBERS = (Role.TELEMETRY, Role.WEAR, Role.PACE)


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """What columns of a folder are: by which known name each is read, and the roles of the others."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, Role] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    """Columns that are read under another name, for the report."""

    def choose_telemetry(self, inferred: frozenset[str]) -> frozenset[str]:
        """Return the columns that are numbers: those that look so, unless the folder states otherwise."""
        conditions = {name for name, role in self.stated.items() if role is Role.CONDITION}
        return (inferred | {name for name, role in self.stated.items() if role in NUMBERS}) - conditions

    def rename(self, rows: Sequence[Row]) -> list[Row]:
        """Put cells under the names by which they are known."""
        if not self.renamed:
            return list(rows)
        return [(n, {self.renamed.get(name, name): cell for name, cell in row.items()}) for n, row in rows]

    def rename_table(self, table: TextTable) -> TextTable:
        """Put columns under the names by which they are known."""
        if not self.renamed:
            return table
        return replace(table, columns={self.renamed.get(name, name): texts for name, texts in table.columns.items()})


def infer_column_roles(folder: Path, tables: Mapping[Path, TextTable], item_levels: int) -> ColumnRoles:
    """Read `columns.toml`, and find the column of times, and that of items, where no known one is there."""
    present = {name for table in tables.values() for name in table.columns}
    stated = _read_stated_roles(folder / FILE, present if tables else None)
    found = (
        {}
        if not tables
        else dict(_infer_roles(tables.values(), present - set(stated), set(stated.values()), item_levels))
    )
    renamed = {name: KNOWN_AS[role] for name, role in {**found, **stated}.items() if role in KNOWN_AS}
    _refuse_two_columns_of_one_role(renamed, present)
    columns = tuple(
        Column(name, role, Gap.UNKNOWN, note("diagnose.role_stated" if name in stated else "diagnose.role_by_values"),
               name in stated)
        for name, role in {**found, **stated}.items() if role in KNOWN_AS
    )  # fmt: skip
    return ColumnRoles(renamed, {n: role for n, role in stated.items() if role not in KNOWN_AS}, columns)


def _read_stated_roles(file: Path, present: set[str] | None) -> dict[str, Role]:
    if not file.is_file():
        return {}
    try:
        lines = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(
            f'{file.name} is not valid TOML: {wrong}. Write lines such as beleuchtung = "condition".'
        ) from wrong
    roles = {role.value: role for role in Role}
    for name, role in lines.items():
        if present is not None and name not in present:
            raise UnknownName(f"column of {file.name}", name, sorted(present), ", ".join(sorted(present)))
        if not isinstance(role, str) or role not in roles:
            raise UnknownName(f"role of {name} in {file.name}", str(role), sorted(roles), ", ".join(sorted(roles)))
    return {name: roles[role] for name, role in lines.items()}


def _infer_roles(
    tables: Collection[TextTable], present: set[str], taken: set[Role], item_levels: int
) -> Iterable[tuple[str, Role]]:
    cells = {
        name: {text for table in tables if name in table.columns for text in table.columns[name].used if text}
        for name in present
    }
    if "at" not in present and Role.TIME not in taken:
        times = [name for name, values in cells.items() if values and all(map(_looks_like_time, values))]
        yield from ((name, Role.TIME) for name in times[:1] if len(times) == 1)
    if not present & set(OBJECT_FACTORS) and Role.ITEM not in taken:
        many = [
            name
            for name, values in cells.items()
            if name not in ("id", "attempt") and _looks_like_item(values, item_levels)
        ]
        rows = sum(len(table.lines) for table in tables)
        many = [name for name in many if 2 * len(cells[name]) < rows]
        yield from ((name, Role.ITEM) for name in many if len(many) == 1)


def find_time_columns(rows: Sequence[Row]) -> list[str]:
    """Return the columns of which every filled cell is a written time with an hour.

    >>> find_time_columns([(2, {"when": "2026-01-05 10:00", "day": "2026-01-05", "note": ""})])
    ['when']
    """
    cells = {name: {str(row[name]) for _, row in rows if row.get(name)} for name in (rows[0][1] if rows else ())}
    return [name for name, values in cells.items() if values and all(map(_looks_like_time, values))]


def _looks_like_time(text: str) -> bool:
    try:
        return ":" in text and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _looks_like_item(values: set[str], item_levels: int) -> bool:
    return len(values) > item_levels and not any(
        parse_finite_number(v) is not None or _looks_like_time(v) for v in values
    )


def _refuse_two_columns_of_one_role(renamed: Mapping[str, str], present: set[str]) -> None:
    for name, known in renamed.items():
        others = sorted({other for other, also in renamed.items() if also == known and other != name})
        if known in present and known != name:
            others = [known, *others]
        if others:
            raise BadInput(f"{FILE}: {name} and {others[0]} both mean {known!r}. Keep one of them.")
