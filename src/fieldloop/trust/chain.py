"""A hash chain over records: change, drop, add or swap one, and everything after it no longer fits."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.finding import Status

ROOT = "0" * 64
"""What the first link holds on to."""


@dataclass(frozen=True, slots=True)
class Link:
    """One record, the link before it, and the hash of both."""

    position: int
    previous: str
    record: Mapping[str, Any]
    sha256: str


@dataclass(frozen=True, slots=True)
class Verification:
    """Does a chain hold? If not, where it first breaks and how. `head` is to be compared with a copy kept elsewhere."""

    status: Status
    links: int
    head: str
    broken_at: int | None
    message: str


def chain(records: Iterable[Mapping[str, Any]]) -> tuple[Link, ...]:
    """Seal records in their order.

    >>> [link.sha256[:8] for link in chain([{"a": 1}, {"a": 2}])]
    ['6899055f', '6a797979']
    """
    links: list[Link] = []
    previous = ROOT
    for position, record in enumerate(records):
        digest = seal(position, previous, record)
        links.append(Link(position, previous, dict(record), digest))
        previous = digest
    return tuple(links)


def verify(links: Iterable[Link], head: str | None = None) -> Verification:
    """Check every link and name the first that is broken; `head`, kept elsewhere, reveals a cut-off end too."""
    previous, count = ROOT, 0
    for count, link in enumerate(links, start=1):
        wrong = _broken(link, count - 1, previous)
        if wrong:
            return Verification(Status.FAILED, count, previous, count - 1, f"Link {count - 1}: {wrong}")
        previous = link.sha256
    if head is not None and head != previous:
        message = (
            f"The chain ends in {previous[:12]} after {count} links, not in {head[:12]}: links are missing or added."
        )
        return Verification(Status.FAILED, count, previous, count, message)
    if count == 0:
        return Verification(Status.CANNOT_TELL, 0, previous, None, "The chain is empty; it proves nothing.")
    return Verification(Status.PASSED, count, previous, None, f"All {count} links hold.")


def seal(position: int, previous: str, record: Mapping[str, Any]) -> str:
    """Hash a record with its place and the link before it; the same values hash alike however they were laid out."""
    try:
        written = json.dumps([position, previous, record], sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as wrong:
        raise BadInput(f"Record {position} is not plain JSON and cannot be sealed: {wrong}.") from wrong
    return hashlib.sha256(written.encode()).hexdigest()


def _broken(link: Link, position: int, previous: str) -> str | None:
    if link.position != position:
        return f"it says it is number {link.position}; a link was dropped, added or moved."
    if link.previous != previous:
        return "it does not hold on to the link before it; one was dropped, added, moved or rewritten."
    if seal(link.position, link.previous, link.record) != link.sha256:
        return "its record is not what was sealed; it was changed afterwards."
    return None
