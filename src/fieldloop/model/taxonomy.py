"""Taxonomies: the labels annotators may use, with their boundary conditions."""

from dataclasses import dataclass

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
