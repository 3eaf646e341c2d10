"""What differs between two versions of a taxonomy, and which labels that touches."""

from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """How a label changed."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    SPLIT = "split"
    MEANING = "meaning"
    """Its definition, begin or end: every span of it may be drawn differently now."""
    EDGE_CASES = "edge cases"
    """Only its standards for doubtful cases."""
    WORDING = "wording"
    """Its card, key, picture or examples: spans stay as they are."""


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One change of one label; `became` are the names that replace it, `fields` what else differs."""

    kind: str
    label: str
    change: Change
    fields: tuple[str, ...] = ()
    became: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TouchedEpisode:
    """An episode and a kind whose labels a change touches: which labels, and whose."""

    episode: str
    name: str
    kind: str
    labels: tuple[str, ...]
    authors: tuple[str, ...]
