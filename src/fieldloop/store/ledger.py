"""The store on SQLAlchemy Core: an append-only ledger and its projected tables, written in one transaction."""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import func, select

from fieldloop.errors import BadInput, ChangedMeanwhile, StoreError
from fieldloop.model.alarm import Rate
from fieldloop.model.episode import Episode, Log
from fieldloop.model.event import E, Event, OutcomeRecorded, Recorded
from fieldloop.store import prepare
from fieldloop.store.contract import Jobs, Lock, Unchanged, Views
from fieldloop.store.database import Database, get_driver_cursor
from fieldloop.store.fast_lane import OutcomeBatch
from fieldloop.store.jobs import SqlJobs
from fieldloop.store.ledger_rows import decode_event, encode_events, make_ledger_rows
from fieldloop.store.projection import apply_events
from fieldloop.store.replay import replay_ledger
from fieldloop.store.rows import Tables
from fieldloop.store.statements import compile_statements
from fieldloop.store.tables import NOUN_TABLES, compute_schema_hash, ledger
from fieldloop.store.views import SqlViews

N = TypeVar("N")
PAGE = 1000
SHA256 = re.compile(r"\b[0-9a-f]{64}\b")
STANDING = "SELECT (SELECT max(seq) FROM ledger), (SELECT value FROM about WHERE name = 'schema')"
"""The newest sequence number and the current schema of the tables."""


class _OutcomeExists(Exception):
    """An outcome already exists, so it must be replaced."""


class SqlStore:
    """A Store on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Use a database that `prepare` has migrated to this version's schema."""
        self._database = database
        self._statements = compile_statements(is_sqlite=database.is_sqlite)
        self._jobs = SqlJobs(database)
        self._views = SqlViews(database, self._statements)

    @property
    def jobs(self) -> Jobs:
        """Timed and background jobs, in the same database."""
        return self._jobs

    @property
    def views(self) -> Views:
        """Bulk reads for pages and commands."""
        return self._views

    def append(
        self,
        events: Sequence[Event],
        *,
        actor: str,
        at_ns: int,
        caused_by: int | None = None,
        expected: Lock | Sequence[Lock] | None = None,
    ) -> int:
        """Write events and their table rows atomically and durably; return the last sequence number."""
        if not events:
            return self.get_last_seq()
        if expected is None and all(type(event) is OutcomeRecorded for event in events):
            batch = OutcomeBatch(events, actor, at_ns)
            with contextlib.suppress(_OutcomeExists), self._database.open_driver_cursor_for_writing() as cursor:
                last = self._check_write_allowed(cursor, caused_by)
                if not batch.write(cursor, self._statements, last, caused_by):
                    raise _OutcomeExists
                return last + len(events)
        bodies = encode_events(events)
        with self._database.open_for_writing(in_order=True) as connection:
            last = self._check_write_allowed(get_driver_cursor(connection), caused_by)
            tables = Tables(connection, self._statements)
            for lock in expected if isinstance(expected, Sequence) else (expected,):
                if lock is not None:
                    _require_unchanged(tables, lock)
            rows = make_ledger_rows(events, bodies, last, actor, at_ns, caused_by)
            get_driver_cursor(connection).executemany(self._statements.add_events, rows)
            apply_events(tables, enumerate(events, last + 1))
        return last + len(events)

    def get_last_seq(self) -> int:
        """Return the sequence number of the newest event, 0 for an empty ledger."""
        with self._database.open_for_reading() as connection:
            return connection.scalar(select(func.max(ledger.c.seq))) or 0

    def read_tail(self, after: int = 0, limit: int = PAGE) -> list[Recorded[Event]]:
        """Return events after a sequence number, in ledger order; repeated calls skip no event."""
        query = select(ledger).where(ledger.c.seq > after).order_by(ledger.c.seq).limit(limit)
        with self._database.open_for_reading() as connection:
            rows = connection.execute(query).all()
        return [
            Recorded(seq, at_ns, actor, decode_event(seq, kind, version, body), caused_by)
            for seq, at_ns, actor, caused_by, kind, version, body in rows
        ]

    def events(self, kind: type[E], after: int = 0, *, naming: str = "") -> Iterator[Recorded[E]]:
        """Iterate over the events of one kind in ledger order; with `naming`, over those that hold this ASCII text."""
        query = select(ledger).where(ledger.c.kind == kind.__name__).order_by(ledger.c.seq).limit(PAGE)
        if naming:
            find_place = func.instr if self._database.is_sqlite else func.strpos
            query = query.where(find_place(ledger.c.body, naming) > 0)
        while True:
            with self._database.open_for_reading() as connection:
                rows = connection.execute(query.where(ledger.c.seq > after)).all()
            for seq, at_ns, actor, caused_by, name, version, body in rows:
                event = decode_event(seq, name, version, body)
                if isinstance(event, kind):
                    yield Recorded(seq, at_ns, actor, event, caused_by)
            if len(rows) < PAGE:
                return
            after = rows[-1].seq

    def find(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[N]:
        """Return nouns from their table, oldest first, ordered by the last event that states each."""
        with self._database.open_for_reading() as connection:
            return Tables(connection, self._statements).find(noun, where, newest=newest, limit=limit)

    def get(self, noun: type[N], id_or_prefix: str) -> N:
        """Return one noun by id or any unique prefix; UnknownName or BadInput (ambiguous) otherwise."""
        with self._database.open_for_reading() as connection:
            return Tables(connection, self._statements).get(noun, id_or_prefix)

    def count(self, noun: type[N], where: Mapping[str, Any] | None = None) -> int:
        """Count rows of a noun's table."""
        with self._database.open_for_reading() as connection:
            return Tables(connection, self._statements).count(noun, where)

    def get_log(self, episode: str) -> Log:
        """Return the log with which an episode was last ingested."""
        return self.get_logs([episode])[episode]

    def get_logs(self, episodes: Sequence[str]) -> dict[str, Log]:
        """Return the log with which each episode was last ingested, by episode."""
        kept = NOUN_TABLES[Episode]
        with self._database.open_for_reading() as connection:
            tables = Tables(connection, self._statements)
            query = select(kept.table.c.id, kept.table.c.log).where(
                *tables.build_criteria(kept, {"id": list(episodes)})
            )
            named = {episode: sha256 for episode, sha256 in connection.execute(query) if sha256 is not None}
            logs = {log.blob.sha256: log for log in tables.find(Log, {"blob": sorted(set(named.values()))})}
        if missing := [episode for episode in episodes if named.get(episode) not in logs]:
            raise StoreError(f"Episode {missing[0]} belongs to no log in this store.")
        return {episode: logs[named[episode]] for episode in episodes}

    def compute_success_rates(self, start_ns: int, end_ns: int, stage: str = "production") -> list[Rate]:
        """Success by policy × site at times in [start, end); an attempt with several judges counts once."""
        return self._views.compute_success_rates([(start_ns, end_ns)], stage)[0]

    def list_blobs(self) -> set[str]:
        """Return every SHA-256 in any event; an extra hash is harmless, a missing one would lose a blob."""
        hashes: set[str] = set()
        after = 0
        while True:
            query = select(ledger.c.seq, ledger.c.body).where(ledger.c.seq > after).order_by(ledger.c.seq).limit(PAGE)
            with self._database.open_for_reading() as connection:
                rows = connection.execute(query).all()
            for _, body in rows:
                hashes.update(SHA256.findall(body))
            if len(rows) < PAGE:
                return hashes
            after = rows[-1].seq

    def rebuild_tables(self) -> None:
        """Drop every projected table and replay the ledger."""
        with self._database.open_for_writing(in_order=True) as connection:
            replay_ledger(connection)
            prepare.record_versions(connection)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _check_write_allowed(self, cursor: Any, caused_by: int | None) -> int:
        """Check that the write is allowed, with the lock held; return the newest sequence number."""
        last, layout = cursor.execute(STANDING).fetchone()
        if layout != compute_schema_hash():
            raise StoreError(
                f"{self._database.name}: another fieldloop process changed the tables meanwhile. Restart this one."
            )
        if caused_by is not None and not 0 < caused_by <= (last or 0):
            raise BadInput(f"caused_by = {caused_by}, but the ledger holds events 1 to {last or 0}.")
        return last or 0


def _require_unchanged(tables: Tables, expected: Lock) -> None:
    """Refuse to overwrite a noun that was stated again since it was read; the write lock is held."""
    if isinstance(expected, Unchanged):
        now: list[Any] = tables.find(expected.noun, {"id": list(expected.ids)})
        changed = {one.id: one for one in now} != {one.id: one for one in expected.as_read}
    else:
        newest: Iterable[tuple[Any, int]] = tables.find_with_place(expected.noun, expected.where, newest=True, limit=1)
        changed = any(seq > expected.last for _, seq in newest)
    if changed:
        raise ChangedMeanwhile(f"The {expected.noun.__name__.lower()} changed meanwhile; reload it and try again.")
