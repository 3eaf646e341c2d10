"""Upcasts of events from older versions; no other module knows the older forms."""

from collections.abc import Callable
from typing import Any

from fieldloop.errors import StoreTooNew
from fieldloop.model import event as model

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(kind, version) → conversion of the plain body to the next version. No entry: the kind did not change."""


def upcast_event_body(kind: str, version: int, body: dict[str, Any], seq: int) -> dict[str, Any]:
    """Return the body of an event in this version's form."""
    if version > model.VERSION or kind not in model.EVENTS:
        raise StoreTooNew(
            f"Event {seq} is a {kind} of version {version}; this version reads up to {model.VERSION}"
            f"{'' if kind in model.EVENTS else ' and no such kind'}. Use the newer fieldloop that wrote it."
        )
    for step in range(version, model.VERSION):
        change = UPCASTERS.get((kind, step))
        body = change(body) if change else body
    return body
