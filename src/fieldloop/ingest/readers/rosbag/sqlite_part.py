"""One SQLite file of a rosbag2 recording: its topics and messages, read front to back without holding them."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.messages.arrived import Arrived, Described
from fieldloop.ingest.readers.rosbag.definitions import fill_in_definition
from fieldloop.ingest.readers.rosbag.sqlite_rows import read_all_rows
from fieldloop.ingest.readers.rosbag.unpacked import ScratchFile, copy_with_journal
from fieldloop.ingest.text_mode import SEEMS_MANGLED, is_file_damaged_by_text_mode
from fieldloop.model.note import note

MAGIC = b"SQLite format 3\x00"
BATCH_BYTES = 8 << 20
LARGEST_VALUE = 1 << 30
LEFTOVERS = ("-wal", "-journal")
Batch = dict[int, tuple[list[int], list[bytes], list[int]]]


class Definition(NamedTuple):
    """How a type is laid out, as the bag says it."""

    encoding: str
    text: str


class SqlitePart:
    """A .db3 file; `scratch` is what it was unpacked to, where it is compressed."""

    def __init__(self, path: Path, complain: Complaints, scratch: ScratchFile | None = None) -> None:
        self.path, self.complain, self.distribution = path, complain, ""
        self._held, self._plain = scratch, scratch.path if scratch else path
        if leftovers := [beside for beside in find_leftover_files(path) if beside.stat().st_size]:
            self._held = copy_with_journal(path, leftovers)
            self._plain = self._held.path
            complain("", note("ingest.journal_read", files=tuple(beside.name for beside in leftovers)))

    @property
    def facts(self) -> Mapping[str, str]:
        """What the file says about its episode: nothing, in this storage."""
        return {}

    def iterate_messages(self) -> Iterator[tuple[Described, Arrived]]:
        """Yield what can be read, in batches, in the order it was written."""
        yield from self._read_messages()
        if self.complain.list_defects() and is_file_damaged_by_text_mode(self._plain):
            self.complain(0, SEEMS_MANGLED)

    def _read_messages(self) -> Iterator[tuple[Described, Arrived]]:
        with closing(self._open_database()) as database:
            try:
                topics = self._read_topics(database)
            except (sqlite3.DatabaseError, MemoryError) as wrong:
                self.complain("table topics", note("ingest.part_unreadable", part="table of topics", reason=str(wrong)))
                return
            batch: Batch = {}
            held, strangers = 0, 0
            for row, topic, log_ns, data in read_all_rows(database, self.complain):
                if topic not in topics:
                    strangers += 1
                    continue
                stamps, payloads, rows = batch.setdefault(topic, ([], [], []))
                stamps.append(log_ns)
                payloads.append(data)
                rows.append(row)
                held += len(data) + 64
                if held > BATCH_BYTES:
                    yield from _split_by_topic(batch, topics)
                    batch, held = {}, 0
            yield from _split_by_topic(batch, topics)
            if strangers:
                self.complain("table messages", note("ingest.topic_unknown", messages=strangers))

    def fetch(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield messages again by their row; one that cannot be read any more is empty."""
        with closing(self._open_database()) as database:
            for (row,) in places.tolist():
                try:
                    result = database.execute("SELECT data FROM messages WHERE rowid = ?", (row,)).fetchone()
                except (sqlite3.DatabaseError, MemoryError):
                    result = None
                yield result[0] if result and isinstance(result[0], bytes) else b""

    def find_first_stamp_ns(self) -> int | None:
        """Return the earliest stamp, by the file's own index."""
        rows = self._run_query("SELECT min(timestamp) FROM messages")
        return rows[0][0] if rows and isinstance(rows[0][0], int) else None

    def read_ros_distribution(self) -> str:
        """Return the release of ROS that wrote the file, where it says so."""
        rows = self._run_query("SELECT ros_distro FROM schema LIMIT 1")
        return rows[0][0] if rows and isinstance(rows[0][0], str) else ""

    def read_stored_metadata(self) -> str:
        """Return the metadata.yaml that newer recorders also write into the file."""
        rows = self._run_query("SELECT metadata FROM metadata ORDER BY id DESC LIMIT 1")
        return rows[0][0] if rows and isinstance(rows[0][0], str) else ""

    def _read_topics(self, database: sqlite3.Connection) -> dict[int, Described]:
        definitions = self._read_definitions(database)
        topics = {}
        for number, name, type_, form in database.execute("SELECT id, name, type, serialization_format FROM topics"):
            if isinstance(number, int) and all(isinstance(text, str) for text in (name, type_, form)):
                topics[number] = self._describe_topic(name, type_, form, definitions)
            else:
                self.complain("table topics", note("ingest.topic_damaged", row=repr(number)))
        return topics

    def _read_definitions(self, database: sqlite3.Connection) -> dict[str, Definition]:
        try:
            rows = database.execute("SELECT topic_type, encoding, encoded_message_definition FROM message_definitions")
            return {
                type_: Definition(encoding, text)
                for type_, encoding, text in rows
                if isinstance(type_, str) and isinstance(encoding, str) and isinstance(text, str)
            }
        except sqlite3.DatabaseError:  # older recorders have no such table
            return {}

    def _describe_topic(self, name: str, type_: str, form: str, definitions: dict[str, Definition]) -> Described:
        definition = definitions.get(type_, Definition("", ""))
        described = Described(name, type_, form, definition.encoding, definition.text.encode())
        return fill_in_definition(described, self.distribution)

    def _run_query(self, sql: str) -> list[Any]:
        try:
            with closing(self._open_database()) as database:
                return database.execute(sql).fetchall()
        except (sqlite3.DatabaseError, MemoryError):
            return []

    def _open_database(self) -> sqlite3.Connection:
        return connect_read_only(self._plain, immutable=self._held is None)


def connect_read_only(path: Path, *, immutable: bool = True) -> sqlite3.Connection:
    """Open a database that may be damaged; the file is never written to, and nothing is written beside it."""
    how = "mode=ro&immutable=1" if immutable else "mode=rw"
    database = sqlite3.connect(f"file:{quote(str(path.resolve()))}?{how}", uri=True)
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    database.execute("PRAGMA writable_schema = ON")  # lets a file be read that is shorter than it says
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    return database


def is_sqlite_bag(path: Path) -> bool:
    """Is this an SQLite file with the tables of a bag? Where its catalogue is damaged, its beginning decides."""
    with path.open("rb") as file:
        head = file.read(1 << 16)
    if not head.startswith(MAGIC):
        return False
    try:
        with closing(connect_read_only(path)) as database:
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {("topics",), ("messages",)} <= set(tables)
    except sqlite3.DatabaseError:
        return b"serialization_format" in head and b"topic_id" in head


def find_leftover_files(path: Path) -> list[Path]:
    """Return what an interrupted writer left beside a database."""
    return [beside for end in LEFTOVERS if (beside := path.with_name(path.name + end)).is_file()]


def _split_by_topic(batch: Batch, topics: dict[int, Described]) -> Iterator[tuple[Described, Arrived]]:
    for topic, (stamps, payloads, rows) in batch.items():
        places = np.asarray(rows, np.int64)[:, None]
        yield topics[topic], Arrived(np.asarray(stamps, np.int64), None, payloads, places)
