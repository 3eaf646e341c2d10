"""A hash chain over records: changing, dropping, adding or swapping one breaks everything after it."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note

ROOT = "0" * 64
"""The hash before the first link."""


@dataclass(frozen=True, slots=True)
class Link:
    """One record, the link before it, and the hash of both."""

    position: int
    previous: str
    record: Mapping[str, Any]
    sha256: str


@dataclass(frozen=True, slots=True)
class ChainVerification:
    """Whether a chain is intact, else where and how it breaks. Compare `head` with a copy kept elsewhere."""

    status: Status
    links: int
    head: str
    broken_at: int | None
    message: Note


def seal_records(records: Iterable[Mapping[str, Any]]) -> tuple[Link, ...]:
    """Seal records in their order.

    >>> [link.sha256[:8] for link in seal_records([{"a": 1}, {"a": 2}])]
    ['6899055f', '6a797979']
    """
    links: list[Link] = []
    previous = ROOT
    for position, record in enumerate(records):
        digest = hash_link(position, previous, record)
        links.append(Link(position, previous, dict(record), digest))
        previous = digest
    return tuple(links)


def verify_chain(links: Iterable[Link], kept_head: str | None = None) -> ChainVerification:
    """Check every link and name the first that is broken; `kept_head`, kept elsewhere, reveals a cut-off end too."""
    previous, count = ROOT, 0
    for count, link in enumerate(links, start=1):
        wrong = _explain_broken_link(link, count - 1, previous)
        if wrong:
            return ChainVerification(Status.FAILED, count, previous, count - 1, wrong)
        previous = link.sha256
    if kept_head is not None and kept_head != previous:
        message = note("trust.other_head", found=previous, links=count, head=kept_head)
        return ChainVerification(Status.FAILED, count, previous, count, message)
    if count == 0:
        return ChainVerification(Status.CANNOT_TELL, 0, previous, None, note("trust.empty"))
    return ChainVerification(Status.PASSED, count, previous, None, note("trust.whole", links=count))


def hash_link(position: int, previous: str, record: Mapping[str, Any]) -> str:
    """Hash a record with its place and the link before it; equal values give equal hashes in any layout."""
    try:
        written = json.dumps([position, previous, record], sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as wrong:
        raise BadInput(f"Record {position} is not plain JSON and cannot be sealed: {wrong}.") from wrong
    return hashlib.sha256(written.encode()).hexdigest()


def _explain_broken_link(link: Link, position: int, previous: str) -> Note | None:
    if link.position != position:
        return note("trust.link_moved", position=position, found=link.position)
    if link.previous != previous:
        return note("trust.link_previous", position=position)
    if hash_link(link.position, link.previous, link.record) != link.sha256:
        return note("trust.link_changed", position=position)
    return None
