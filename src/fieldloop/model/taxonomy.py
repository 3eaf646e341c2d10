"""Taxonomies: the labels annotators may use, with their boundary conditions, examples and keys."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.annotation import PHASE

PHASES = ("approach", "pre-grasp", "grasp", "lift", "transport", "place", "release", "retract")


class Overlap(StrEnum):
    """Whether spans of one kind and one author may overlap."""

    NEVER = "never"
    PARTS = "parts"
    """A part lies within the label that it is a part of; nothing else overlaps."""
    FREE = "free"


OVERLAPS = {
    "action": Overlap.PARTS,
    "object": Overlap.FREE,
    "pose": Overlap.FREE,
    "contact": Overlap.FREE,
    "mask": Overlap.FREE,
}
"""Kinds whose spans may overlap unless a taxonomy states otherwise; those of all other kinds never do."""


@dataclass(frozen=True, slots=True)
class Example:
    """A clip that shows a label: an episode and a span of it, in seconds from its start."""

    episode: str
    start_s: float
    end_s: float
    shows: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a taxonomy: what it means, where it begins and ends, and how it looks.

    `part_of` names the label of its kind that it is a part of, or `action:pick` for one of another kind. `includes`
    are names that other taxonomies keep apart and that this label covers. `key` is the key on the annotation page.
    `card` and `picture` are its reference card, `edge_cases` the standards for doubtful cases.
    """

    name: str
    definition: str
    begins: str = ""
    ends: str = ""
    kind: str = PHASE
    part_of: str = ""
    includes: tuple[str, ...] = ()
    key: str = ""
    card: str = ""
    picture: str = ""
    edge_cases: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The labels annotators may use; versioned, locked before annotation begins.

    `follows` is the version that it was made from. `overlaps` states the kinds that differ from the usual rule.
    """

    name: str
    version: int
    labels: tuple[Label, ...]
    follows: str = ""
    overlaps: tuple[tuple[str, Overlap], ...] = ()

    @property
    def version_name(self) -> str:
        """Name and version.

        >>> Taxonomy("picking", 2, ()).version_name
        'picking v2'
        """
        return f"{self.name} v{self.version}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its labels, in the order of the file."""
        return tuple(dict.fromkeys(label.kind for label in self.labels))

    def get_labels(self, kind: str) -> tuple[Label, ...]:
        """Return the labels of one kind."""
        return tuple(label for label in self.labels if label.kind == kind)

    def find_label(self, kind: str, name: str) -> Label | None:
        """Return a label by its name, or by a name that it includes; None for a name outside the taxonomy."""
        labels = self.get_labels(kind)
        exact = next((label for label in labels if label.name == name), None)
        return exact or next((label for label in labels if name in label.includes), None)

    def get_overlap(self, kind: str) -> Overlap:
        """Return whether spans of a kind may overlap."""
        return dict(self.overlaps).get(kind, OVERLAPS.get(kind, Overlap.NEVER))
