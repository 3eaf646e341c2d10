"""What a release contains, counted: people and places, outcomes, durations and labels."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counted:
    """A name and how many episodes have it; '' where it is not stated."""

    name: str
    episodes: int


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A label of one kind by one author: how many spans, in how many episodes, and seconds in all."""

    kind: str
    label: str
    author: str
    spans: int
    episodes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of a histogram, in seconds, with its number of episodes."""

    low_s: float
    high_s: float
    episodes: int


@dataclass(frozen=True, slots=True)
class ReleaseContents:
    """Counts over the episodes of a release that are on record; `missing` are not.

    `counted` is by factor: sites, robots, operators, sessions, providers, outcomes, failures, origins.
    """

    found: int
    missing: int
    first_ns: int
    last_ns: int
    counted: dict[str, tuple[Counted, ...]]
    durations: tuple[Bin, ...]
    labels: tuple[LabelCount, ...]
