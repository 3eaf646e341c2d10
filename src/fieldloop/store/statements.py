"""The few statements of the hot path, compiled once per database and fed with bare tuples."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Insert, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from fieldloop.store.tables import ledger, outcomes, success_hours

AnyInsert = sqlite.Insert | postgresql.Insert


def insert_into(table: Table, *, is_sqlite: bool) -> AnyInsert:
    """Begin an insert that knows ON CONFLICT on this database."""
    return sqlite_insert(table) if is_sqlite else postgresql_insert(table)


def upsert(table: Table, key: tuple[str, ...], columns: tuple[str, ...], *, is_sqlite: bool) -> Insert:
    """Insert a row, or overwrite exactly these columns of the row with the same key."""
    insert = insert_into(table, is_sqlite=is_sqlite)
    changed = {name: insert.excluded[name] for name in columns if name not in key}
    if not changed:
        return insert.on_conflict_do_nothing(index_elements=list(key))
    return insert.on_conflict_do_update(index_elements=list(key), set_=changed)


@dataclass(frozen=True, slots=True)
class Statements:
    """SQL for one kind of database, each taking its columns in the table's order."""

    add_events: str
    add_outcomes: str
    add_hours: str


def compile_for(*, is_sqlite: bool) -> Statements:
    """Write the statements down for SQLite or PostgreSQL."""
    new_outcome = insert_into(outcomes, is_sqlite=is_sqlite).on_conflict_do_nothing(index_elements=["id"])
    hour = insert_into(success_hours, is_sqlite=is_sqlite)
    more_hours = hour.on_conflict_do_update(
        index_elements=["stage", "hour", "policy", "site"],
        set_={name: success_hours.c[name] + hour.excluded[name] for name in ("successes", "episodes")},
    )
    return Statements(
        add_events=_text(insert_into(ledger, is_sqlite=is_sqlite), is_sqlite=is_sqlite),
        add_outcomes=_text(new_outcome, is_sqlite=is_sqlite),
        add_hours=_text(more_hours, is_sqlite=is_sqlite),
    )


def _text(insert: AnyInsert, *, is_sqlite: bool) -> str:
    style = "qmark" if is_sqlite else "format"
    dialect = (SQLiteDialect_pysqlite if is_sqlite else PGDialect_psycopg)(paramstyle=style)
    compiled: Any = insert.compile(dialect=dialect)
    assert tuple(compiled.positiontup) == tuple(insert.table.c.keys()), "rows are handed over in the table's order"
    return str(compiled)
