"""Annotations: labelled spans of episodes, by people or machines."""

from dataclasses import dataclass

from fieldloop.model.condition import EVERYWHERE, Stratum

PHASES = ("approach", "pre-grasp", "grasp", "lift", "transport", "place", "release", "retract")


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a taxonomy: what it means and where it begins and ends."""

    name: str
    definition: str
    begins: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The labels annotators may use; versioned, locked before annotation begins."""

    name: str
    version: int
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One label over one span of one episode, and its author."""

    episode: str
    kind: str
    label: str
    start_ns: int
    end_ns: int
    author: str
    verified_by: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two authors agree on the phases of the same episodes; under one condition where `stratum` names one.

    `worst_frames` is how far apart, on average, they draw the kind of boundary that they agree on least
    (`worst_boundary`); obvious boundaries, such as the end of the episode, do not hide it.
    """

    authors: tuple[str, str]
    episodes: int
    kappa: float
    boundary_frames: float
    unmatched: int
    stratum: Stratum = EVERYWHERE
    worst_boundary: str = ""
    worst_frames: float | None = None
