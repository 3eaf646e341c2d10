"""Where facts and bytes rest: an append-only ledger, tables rebuilt from it, a shelf of blobs, timed jobs.

Only `loop` asks. `open_store(url)` picks the database, `open_shelf(url)` the place for bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from fieldloop.model.alarm import Rate
from fieldloop.model.event import E, Event, Recorded

N = TypeVar("N")


class Store(Protocol):
    """A ledger of typed events beside tables that follow from it, written in one transaction."""

    def append(self, events: Sequence[Event], *, actor: str, at_ns: int, caused_by: int | None = None) -> int:
        """Write events and their table rows, all or none, durably; return the last sequence number."""

    def tail(self, after: int = 0, limit: int = 1000) -> list[Recorded[Event]]:
        """Return events in ledger order behind a sequence number; following it skips nothing."""

    def events(self, kind: type[E], after: int = 0) -> Iterator[Recorded[E]]:
        """Iterate over the events of one kind in ledger order."""

    def find(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[N]:
        """Return nouns from their table, oldest first, filtered by equality on its key columns (None: IS NULL)."""

    def get(self, noun: type[N], id_or_prefix: str) -> N:
        """Return one noun by id or any unique prefix; UnknownName or BadInput (ambiguous) otherwise."""

    def count(self, noun: type[N], where: Mapping[str, Any] | None = None) -> int:
        """Count rows of a noun's table."""

    def success_rates(self, start_ns: int, end_ns: int, stage: str = "production") -> list[Rate]:
        """Success by policy × site between two times, from the outcomes table."""

    def rebuild(self) -> None:
        """Drop every table and replay the ledger."""

    def close(self) -> None:
        """Let go of the database."""


Chunks = Iterable[bytes]
