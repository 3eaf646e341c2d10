"""Events as rows of the ledger, and back."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model import event as model
from fieldloop.model.codec import from_plain
from fieldloop.model.event import EVENTS, Event, OutcomeRecorded
from fieldloop.store.outcomes import decode_outcome_event, encode_event_body, encode_outcome_row, make_outcome_row
from fieldloop.store.upcast import upcast_event_body


def encode_events(events: Sequence[Event]) -> list[str]:
    """Encode every event; an unknown type is refused here, before anything is written."""
    for event in events:
        if type(event) not in _KINDS:
            raise BadInput(f"{event!r} is not an event of the ledger.")
    return [
        encode_outcome_row(make_outcome_row(e.outcome)) if type(e) is OutcomeRecorded else encode_event_body(e)
        for e in events
    ]


def make_ledger_rows(
    events: Iterable[Event], bodies: Iterable[str], last_seq: int, actor: str, at_ns: int, caused_by: int | None
) -> list[tuple[Any, ...]]:
    """Return the ledger rows after a sequence number, in the order of the columns."""
    return [
        (seq, at_ns, actor, caused_by, type(event).__name__, model.VERSION, body)
        for seq, (event, body) in enumerate(zip(events, bodies, strict=True), last_seq + 1)
    ]


def decode_event(seq: int, kind: str, version: int, body: str) -> Event:
    """Decode the event of a row, upcast to this version."""
    plain: dict[str, Any] = upcast_event_body(kind, version, json.loads(body), seq)
    return decode_outcome_event(plain) if kind == "OutcomeRecorded" else from_plain(EVENTS[kind], plain)


_KINDS = frozenset(EVENTS.values())
