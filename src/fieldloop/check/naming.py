"""Names listed as the place of a measurement: columns, streams, episodes, phases."""

from collections.abc import Sequence

from fieldloop.model.note import Note, note

MOST_NAMED = 5
"""More names make a sentence unreadable; the rest are counted."""


def note_listed_names(names: Sequence[str], max_names: int | None = None) -> Note | None:
    """Return a place that lists names, and how many more there are; None without any.

    >>> note_listed_names(["a", "b", "c"], 2)["more"]
    1
    """
    if not names:
        return None
    shown = tuple(names if max_names is None else names[:max_names])
    return note("check.named", names=shown, more=len(names) - len(shown) or None)
