"""SQL statements of the hot path, compiled once per database and executed with plain tuples."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Insert, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from fieldloop.store.tables import ledger, outcomes, success_hours, success_strata

AnyInsert = sqlite.Insert | postgresql.Insert


def build_insert(table: Table, *, is_sqlite: bool) -> AnyInsert:
    """Return an insert that supports ON CONFLICT on this database."""
    return sqlite_insert(table) if is_sqlite else postgresql_insert(table)


def build_upsert(table: Table, key: tuple[str, ...], columns: tuple[str, ...], *, is_sqlite: bool) -> Insert:
    """Upsert: insert a row, or overwrite only these columns of the row with the same key."""
    insert = build_insert(table, is_sqlite=is_sqlite)
    changed = {name: insert.excluded[name] for name in columns if name not in key}
    if not changed:
        return insert.on_conflict_do_nothing(index_elements=list(key))
    return insert.on_conflict_do_update(index_elements=list(key), set_=changed)


@dataclass(frozen=True, slots=True)
class Statements:
    """SQL for one database dialect; parameters are in the table's column order."""

    add_events: str
    add_outcomes: str
    add_hours: str
    add_strata: str


def compile_statements(*, is_sqlite: bool) -> Statements:
    """Compile the statements for SQLite or PostgreSQL."""
    new_outcome = build_insert(outcomes, is_sqlite=is_sqlite).on_conflict_do_nothing(index_elements=["id"])
    return Statements(
        add_events=_compile_sql(build_insert(ledger, is_sqlite=is_sqlite), is_sqlite=is_sqlite),
        add_outcomes=_compile_sql(new_outcome, is_sqlite=is_sqlite),
        add_hours=_compile_sql(_build_sum_upsert(success_hours, is_sqlite=is_sqlite), is_sqlite=is_sqlite),
        add_strata=_compile_sql(_build_sum_upsert(success_strata, is_sqlite=is_sqlite), is_sqlite=is_sqlite),
    )


def _build_sum_upsert(sums: Table, *, is_sqlite: bool) -> AnyInsert:
    """Upsert: insert a sum, or add it to the row with the same key."""
    insert = build_insert(sums, is_sqlite=is_sqlite)
    return insert.on_conflict_do_update(
        index_elements=[column.name for column in sums.primary_key],
        set_={name: sums.c[name] + insert.excluded[name] for name in ("successes", "episodes")},
    )


def _compile_sql(insert: AnyInsert, *, is_sqlite: bool) -> str:
    style = "qmark" if is_sqlite else "format"
    dialect = (SQLiteDialect_pysqlite if is_sqlite else PGDialect_psycopg)(paramstyle=style)
    compiled: Any = insert.compile(dialect=dialect)
    assert tuple(compiled.positiontup) == tuple(insert.table.c.keys()), "parameters must be in the table's column order"
    return str(compiled)
