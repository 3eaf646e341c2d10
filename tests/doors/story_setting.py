"""When and where the story of the doors' tests plays."""

from fieldloop.model.note import AS_WRITTEN, Note, note

S, DAY = 1_000_000_000, 86_400_000_000_000
NOW = 1_741_000_000 * S  # 3 March 2025
TIERS, BINS, LIGHTS = ("high", "medium", "long_tail"), ("front", "back", "buried", "near_empty"), ("bright", "dim")
NASTY = '<img src=x onerror="document.title=1">'
"""A name that must stay text wherever it is shown."""


def written(text: str) -> Note:
    """Return a fact as an earlier version of the ledger holds it: a plain text."""
    return note(AS_WRITTEN, text=text)
