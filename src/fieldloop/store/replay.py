"""Rebuild the projected tables from the ledger."""

from collections.abc import Iterator

from sqlalchemy import Connection, inspect, select

from fieldloop.model.event import Event
from fieldloop.store.ledger_rows import decode_event
from fieldloop.store.projection import apply_events
from fieldloop.store.rows import Tables
from fieldloop.store.statements import compile_statements
from fieldloop.store.tables import ledger, rebuildable

CHUNK = 5_000


def replay_ledger(connection: Connection) -> None:
    """Drop every projected table, create it again and apply every event of the ledger."""
    there = set(inspect(connection).get_table_names())
    rebuildable.drop_all(connection, [t for t in rebuildable.sorted_tables if t.name in there], checkfirst=False)
    rebuildable.create_all(connection, checkfirst=False)
    tables = Tables(connection, compile_statements(is_sqlite=connection.dialect.name == "sqlite"))
    for chunk in _read_event_chunks(connection):
        apply_events(tables, chunk)


def _read_event_chunks(connection: Connection) -> Iterator[list[tuple[int, Event]]]:
    columns, after = (ledger.c.seq, ledger.c.kind, ledger.c.version, ledger.c.body), 0
    while rows := connection.execute(
        select(*columns).where(ledger.c.seq > after).order_by(ledger.c.seq).limit(CHUNK)
    ).all():
        yield [(seq, decode_event(seq, kind, version, body)) for seq, kind, version, body in rows]
        after = rows[-1].seq
