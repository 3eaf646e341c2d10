"""Names in place of ids: a door states how ids are called in its workspace."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Lookup = Callable[[str], str]
"""Returns the name of an id, '' where it has none."""
ID = re.compile(r"\b(?:[0-9a-f]{64}|[a-z]+_[0-9A-HJKMNP-TV-Z]{26})\b")
"""The id of content, or of another noun: its kind and a ULID."""

_lookup: ContextVar[Lookup | None] = ContextVar("names", default=None)


@contextmanager
def use_names(lookup: Lookup) -> Iterator[None]:
    """Write ids by their names meanwhile, in this thread."""
    token = _lookup.set(lookup)
    try:
        yield
    finally:
        _lookup.reset(token)


def look_up_name(id_: str) -> str:
    """Return what an id is called here, '' where that is not known.

    >>> with use_names({"ab" * 32: "p1"}.get):
    ...     look_up_name("ab" * 32)
    'p1'
    """
    lookup = _lookup.get()
    return (lookup(id_) or "") if lookup else ""
