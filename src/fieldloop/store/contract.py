"""What the rest of the house may ask of the store: the protocols, free of any database."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from fieldloop.model.alarm import Rate
from fieldloop.model.episode import Blob, Log
from fieldloop.model.event import E, Event, Recorded

N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class Job:
    """Work that is due, in the hands of the worker that claimed it."""

    name: str
    due_ns: int
    body: Mapping[str, Any] = field(default_factory=dict)
    worker: str = ""
    attempt: int = 0
    error: str = ""


class Jobs(Protocol):
    """Timed and background work, claimed by lease: the only scheduler there is."""

    def schedule(self, name: str, due_ns: int, body: Mapping[str, Any] | None = None) -> bool:
        """Note work for a time; False where the same name is already noted for that time."""

    def claim(self, worker: str, at_ns: int, lease_s: float) -> Job | None:
        """Take the longest due job that nobody holds; whoever held it past its lease has lost it."""

    def extend(self, job: Job, at_ns: int, lease_s: float) -> bool:
        """Hold on to a claimed job for longer; False where it was lost."""

    def done(self, job: Job, at_ns: int) -> bool:
        """Finish a claimed job; False where it was lost to another worker meanwhile."""

    def fail(self, job: Job, at_ns: int, error: str, retry_ns: int | None = None) -> bool:
        """Say why a claimed job failed, for good or until it may be tried again; False where it was lost."""

    def open(self, at_ns: int | None = None) -> list[Job]:
        """Return what is not finished, first due first; only what is due by `at_ns` where that is given."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a writer read before it decided: no such noun was stated behind this sequence number."""

    noun: type
    last: int
    where: Mapping[str, Any] = field(default_factory=dict)


class Store(Protocol):
    """A ledger of typed events beside tables that follow from it, written in one transaction."""

    @property
    def jobs(self) -> Jobs:
        """Timed and background work, kept in the same database."""

    def append(
        self,
        events: Sequence[Event],
        *,
        actor: str,
        at_ns: int,
        caused_by: int | None = None,
        expect: Expected | None = None,
    ) -> int:
        """Write events and their table rows, all or none, durably; return the last sequence number.

        Where `expect` does not hold any more: StoreBusy, and nothing is written.
        """

    def last(self) -> int:
        """Return the sequence number of the newest event, 0 where nothing has happened."""

    def tail(self, after: int = 0, limit: int = 1000) -> list[Recorded[Event]]:
        """Return events in ledger order behind a sequence number; following it skips nothing."""

    def events(self, kind: type[E], after: int = 0) -> Iterator[Recorded[E]]:
        """Iterate over the events of one kind in ledger order."""

    def find(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[N]:
        """Return nouns from their table, oldest first: in the order of the events that stated them last.

        `where` filters on key columns: a value is equality, None is NULL, a list or set is any of them, and
        `range(a, b)` is a ≤ column < b.
        """

    def get(self, noun: type[N], id_or_prefix: str) -> N:
        """Return one noun by id or any unique prefix; UnknownName or BadInput (ambiguous) otherwise."""

    def count(self, noun: type[N], where: Mapping[str, Any] | None = None) -> int:
        """Count rows of a noun's table."""

    def log_of(self, episode: str) -> Log:
        """Return the log that an episode last came in with."""

    def success_rates(self, start_ns: int, end_ns: int, stage: str = "production") -> list[Rate]:
        """Success by policy × site at times in [start, end); what several judged counts once, by majority."""

    def blobs(self) -> set[str]:
        """Return the hash of every blob that an event speaks of: what a sweep of the shelf must keep."""

    def rebuild(self) -> None:
        """Drop every table and replay the ledger."""

    def close(self) -> None:
        """Let go of the database."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep removed: blobs nobody speaks of, and files that a killed writer left."""

    blobs: tuple[str, ...] = ()
    temporaries: int = 0
    size: int = 0


class Shelf(Protocol):
    """Immutable bytes by the hash of their content."""

    def put_bytes(self, content: bytes) -> Blob:
        """Keep bytes; keeping the same again changes nothing."""

    def put_file(self, path: Path) -> Blob:
        """Keep a copy of a file."""

    def put_folder(self, path: Path, files: Sequence[Path] | None = None) -> Blob:
        """Keep every file below a folder, or these, and a manifest that lists them; its hash is the folder's."""

    def has(self, sha256: str) -> bool:
        """Are these bytes here?"""

    def read(self, sha256: str) -> bytes:
        """Return the bytes, verified against their hash."""

    def open(self, sha256: str) -> BinaryIO:
        """Open the bytes for reading; whoever reads them through to the end has them verified."""

    def local(self, blob: Blob, cache_dir: Path) -> Path:
        """Return a path on this machine to read a blob from, file or folder, verified."""

    def sweep(self, keep: AbstractSet[str], min_age_s: float) -> Swept:
        """Remove what is older than this and not kept; members of kept folders are kept with them."""
