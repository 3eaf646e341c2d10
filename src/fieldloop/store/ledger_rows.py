"""Events as rows of the ledger, and back."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model import event as model
from fieldloop.model.codec import from_plain
from fieldloop.model.event import EVENTS, Event, OutcomeRecorded
from fieldloop.store.outcomes import body_of, event_body, event_of, row_of
from fieldloop.store.upcast import upcast


def bodies_of(events: Sequence[Event]) -> list[str]:
    """Encode every event; an unknown type is refused here, before anything is written."""
    for event in events:
        if type(event) not in _KINDS:
            raise BadInput(f"{event!r} is not an event of the ledger.")
    return [body_of(row_of(e.outcome)) if type(e) is OutcomeRecorded else event_body(e) for e in events]


def rows_of(
    events: Iterable[Event], bodies: Iterable[str], last: int, actor: str, at_ns: int, caused_by: int | None
) -> list[tuple[Any, ...]]:
    """Return the ledger rows after a sequence number, in the order of the columns."""
    return [
        (seq, at_ns, actor, caused_by, type(event).__name__, model.VERSION, body)
        for seq, (event, body) in enumerate(zip(events, bodies, strict=True), last + 1)
    ]


def read_event(seq: int, kind: str, version: int, body: str) -> Event:
    """Decode the event of a row, upcast to this version."""
    plain: dict[str, Any] = upcast(kind, version, json.loads(body), seq)
    return event_of(plain) if kind == "OutcomeRecorded" else from_plain(EVENTS[kind], plain)


_KINDS = frozenset(EVENTS.values())
