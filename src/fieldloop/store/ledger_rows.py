"""Events as rows of the ledger, and back."""

import json
from collections.abc import Sequence
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model import event as model
from fieldloop.model.codec import from_plain
from fieldloop.model.event import EVENTS, Event, OutcomeRecorded
from fieldloop.store.outcomes import Row, body_of, event_of, row_of, written
from fieldloop.store.upcast import upcast


class Batch:
    """Events ready to be written: bodies are made before the lock is taken, numbers follow inside it."""

    def __init__(self, events: Sequence[Event]) -> None:
        """Write every event down; one that is no event of ours is refused here, before anything is touched."""
        self.events = events
        self._outcomes = {i: row_of(e.outcome, 0) for i, e in enumerate(events) if type(e) is OutcomeRecorded}
        self._bodies = [body_of(self._outcomes[i]) if i in self._outcomes else _body(e) for i, e in enumerate(events)]

    def rows(self, last: int, actor: str, at_ns: int, caused_by: int | None) -> list[Row]:
        """Return the ledger's rows behind a sequence number, in the order of its columns."""
        return [
            (seq, at_ns, actor, caused_by, type(event).__name__, model.VERSION, body)
            for seq, (event, body) in enumerate(zip(self.events, self._bodies, strict=True), last + 1)
        ]

    def numbered(self, last: int) -> list[tuple[int, Event]]:
        """Return the events with their sequence numbers."""
        return list(enumerate(self.events, last + 1))

    def outcome_rows(self, last: int) -> dict[int, Row]:
        """Return the rows of the outcomes among them, by sequence number."""
        return {last + 1 + i: (*row[:-1], last + 1 + i) for i, row in self._outcomes.items()}


def read_event(seq: int, kind: str, version: int, body: str) -> Event:
    """Return the event that a row holds, in the words of this version."""
    plain: dict[str, Any] = upcast(kind, version, json.loads(body), seq)
    return event_of(plain) if kind == "OutcomeRecorded" else from_plain(EVENTS[kind], plain)


def _body(event: Event) -> str:
    if type(event) not in EVENTS.values():
        raise BadInput(f"{event!r} is no event that the ledger knows.")
    return written(event)
