"""A database behind a URL: opening, reading, writing, and translation of driver errors."""

import contextlib
import importlib.util
import math
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import StaticPool

from fieldloop.errors import BadInput, FieldloopError, MissingExtra, StoreBusy, StoreError, StoreFull

LOCK = "SELECT pg_advisory_xact_lock(7305, hashtext(current_schema()))"
"""PostgreSQL's advisory lock for appends, held until the transaction ends; each schema has its own."""

PAUSE_S = 0.01
IDLE_S = 5.0


class Database:
    """A connection pool with concurrent reads and one write transaction at a time."""

    def __init__(self, url: str, busy_timeout_s: float) -> None:
        """Parse the URL; nothing is opened before the first transaction."""
        self.url = _parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.in_memory = self.is_sqlite and not self.url.database
        self._engine = (
            _create_sqlite_engine(self.url, busy_timeout_s)
            if self.is_sqlite
            else _create_postgresql_engine(self.url, busy_timeout_s)
        )
        self._busy_timeout_s = busy_timeout_s
        self._writing = self._engine.execution_options(writes=True)
        # SQLite allows one writer and makes others poll; threads of one process wait on this lock instead.
        # An in-memory database has one connection for all threads, so reads take the lock as well.
        self._turn: contextlib.AbstractContextManager[Any] = (
            threading.RLock() if self.is_sqlite else contextlib.nullcontext()
        )

    @property
    def name(self) -> str:
        """The URL without the password."""
        return self.url.render_as_string(hide_password=True)

    @contextlib.contextmanager
    def open_for_reading(self) -> Iterator[Connection]:
        """Yield a connection with a consistent snapshot."""
        with (
            self._turn if self.in_memory else contextlib.nullcontext(),
            self._translate_errors(),
            self._engine.begin() as c,
        ):
            yield c

    @contextlib.contextmanager
    def open_for_writing(self, *, in_order: bool = False) -> Iterator[Connection]:
        """Yield a connection whose changes are committed durably and atomically at the end.

        `in_order` makes PostgreSQL queue such writers on one advisory lock, so that sequence numbers become visible in
        their order; SQLite has one writer at a time anyway.
        """
        with self._turn, self._translate_errors(), self._writing.begin() as connection:
            if in_order and not self.is_sqlite:
                get_driver_cursor(connection).execute(LOCK)
            yield connection

    @contextlib.contextmanager
    def open_driver_cursor_for_writing(self) -> Iterator[Any]:
        """Yield the driver's own cursor for the hot path; commits at the end like `writing(in_order=True)`."""
        with (
            self._turn,
            self._translate_errors(),
            contextlib.closing(self._engine.raw_connection()) as connection,  # closing rolls back an open transaction
            contextlib.closing(connection.cursor()) as cursor,
        ):
            cursor.execute("BEGIN IMMEDIATE" if self.is_sqlite else LOCK)
            yield cursor
            connection.commit()

    def use_write_ahead_log(self) -> None:
        """Switch an SQLite file to WAL, so that readers and the writer do not block each other. The file keeps it."""
        deadline_s = time.monotonic() + self._busy_timeout_s
        with self._translate_errors(), contextlib.closing(self._engine.raw_connection()) as connection:
            while True:
                try:
                    mode = connection.cursor().execute("PRAGMA journal_mode=WAL").fetchone()[0]
                except sqlite3.OperationalError as wrong:
                    # SQLite does not apply the busy timeout to this statement
                    if wrong.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline_s:
                        raise _translate_error(self.name, wrong) from wrong
                    time.sleep(PAUSE_S)
                else:
                    break
        if mode != "wal":
            raise StoreError(f"{self.name}: the file system supports no write-ahead log (SQLite chose {mode!r}).")

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as wrong:
            raise _translate_error(self.name, wrong.orig or wrong) from wrong
        except self._engine.dialect.loaded_dbapi.Error as wrong:
            raise _translate_error(self.name, wrong) from wrong
        except PoolTimeout as wrong:
            raise StoreBusy(f"{self.name}: all connections stayed in use for too long. Try again.") from wrong
        except (UnicodeEncodeError, OverflowError) as wrong:
            raise BadInput(f"A value cannot be stored as text or as a 64-bit number: {wrong}.") from wrong


def get_driver_cursor(connection: Connection) -> Any:
    """Return the driver's own cursor inside the connection's transaction, for the hot path."""
    return connection.connection.cursor()


def _parse_url(text: str) -> URL:
    forms = "A store is sqlite:///path, sqlite:// (in memory) or postgresql://…"
    try:
        url = make_url(text)
    except ArgumentError:
        raise BadInput(f"{forms}; {text!r} is none of these.") from None
    if url.get_backend_name() not in ("sqlite", "postgresql", "postgres"):
        raise BadInput(f"{forms}; {url.render_as_string(hide_password=True)!r} is none of these.")
    if url.get_backend_name() == "sqlite":
        if url.database == ":memory:":
            url = url.set(database=None)
        if url.database and not Path(url.database).parent.is_dir():
            raise StoreError(f"{Path(url.database).parent} is not a folder, so {text} cannot be opened. Create it.")
        return url.set(drivername="sqlite")
    if importlib.util.find_spec("psycopg") is None:
        raise MissingExtra("psycopg", "postgres")
    return url.set(drivername="postgresql+psycopg")


def _create_sqlite_engine(url: URL, busy_timeout_s: float) -> Engine:
    if url.database:
        engine = create_engine(url, connect_args={"timeout": busy_timeout_s, "check_same_thread": False})
    else:
        engine = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions on its own
        connection.execute("PRAGMA synchronous=FULL")  # an acknowledged commit survives a power loss

    @event.listens_for(engine, "begin")
    def _(connection: Connection) -> None:
        # takes the write lock at once: upgrading a read transaction would fail under contention
        writes = connection.get_execution_options().get("writes")
        get_driver_cursor(connection).execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _create_postgresql_engine(url: URL, busy_timeout_s: float) -> Engine:
    engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def _(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {int(busy_timeout_s * 1000)}")
            if cursor.execute("SHOW synchronous_commit").fetchone()[0] == "off":
                cursor.execute("SET synchronous_commit = on")  # acknowledged means durable
        connection.commit()

    @event.listens_for(engine, "checkin")
    def _(_connection: Any, record: Any) -> None:
        record.info["used_s"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _(connection: Any, record: Any, _proxy: object) -> None:
        # pings idle connections, so that a restarted server is noticed; connections in steady use are not pinged
        if time.monotonic() - record.info.get("used_s", math.inf) > IDLE_S:
            try:
                connection.execute("SELECT 1")
                connection.rollback()
            except engine.dialect.loaded_dbapi.Error as wrong:
                raise DisconnectionError from wrong

    return engine


def _translate_error(database_name: str, error: BaseException) -> FieldloopError:
    """Translate a driver's error into one that states what to do."""
    code, state = getattr(error, "sqlite_errorcode", None), getattr(error, "sqlstate", None)
    cause: Any = state if code is None else code & 0xFF
    if cause in COMPLAINTS:
        kind, message = COMPLAINTS[cause]
        return kind(f"{database_name}: {message}")
    data_error = any(kind.__name__ == "DataError" for kind in type(error).__mro__)
    if data_error or "Error binding parameter" in str(error):
        return BadInput(f"A value cannot be stored in {database_name}: {error}.")
    if type(error).__name__ == "OperationalError" and cause is None:
        return StoreError(f"{database_name} cannot be reached: {str(error).strip()}")
    return StoreError(f"The database {database_name} refused the request: {str(error).strip()}")


_BUSY = (StoreBusy, "another process held the lock for too long; nothing was written. Try again.")
_FULL = (StoreFull, "no space left; nothing was written. Free space and try again.")
COMPLAINTS: dict[int | str, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    "55P03": _BUSY,  # lock not available
    "40P01": _BUSY,  # deadlock
    sqlite3.SQLITE_FULL: _FULL,
    "53100": _FULL,  # disk full
    sqlite3.SQLITE_NOTADB: (StoreError, "this is not a database. Check the path; the file may also be damaged."),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "it cannot be opened. Check the folder and the permission to write there."),
    sqlite3.SQLITE_READONLY: (StoreError, "this user has read access only; nothing was written."),
    sqlite3.SQLITE_CORRUPT: (StoreError, "the file is damaged. Restore a backup."),
}
"""SQLite result codes and PostgreSQL SQLSTATEs with a specific message."""
