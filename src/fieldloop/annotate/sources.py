"""Which labels count where several authors annotated one episode."""

from collections.abc import Iterable
from enum import IntEnum

from fieldloop.model.annotation import Annotation
from fieldloop.model.labelling import ADJUDICATED, MACHINE_PREFIX


class Source(IntEnum):
    """Where labels come from; the higher counts before the lower."""

    MACHINE = 0
    PERSON = 1
    ADJUDICATED = 2


def classify_author(author: str) -> Source:
    """Return where an author's labels come from.

    >>> [classify_author(author).name for author in ("machine:signals", "anna", "adjudicated")]
    ['MACHINE', 'PERSON', 'ADJUDICATED']
    """
    if author == ADJUDICATED:
        return Source.ADJUDICATED
    return Source.MACHINE if author.startswith(MACHINE_PREFIX) else Source.PERSON


def choose_labels(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Return the labels that count: of each kind in each episode those of one author, in the order given.

    Decided labels come before those of people, and these before proposals. Of several authors of the same source, the
    one whose name sorts first counts, so that the choice never depends on the order in which labels are read.

    >>> made = [Annotation("e", "phase", "lift", 0, 1, author) for author in ("machine:signals", "ben", "anna")]
    >>> [label.author for label in choose_labels(made)]
    ['anna']
    """
    by_place: dict[tuple[str, str], dict[str, list[Annotation]]] = {}
    for annotation in annotations:
        authors = by_place.setdefault((annotation.episode, annotation.kind), {})
        authors.setdefault(annotation.author, []).append(annotation)
    return [
        annotation
        for authors in by_place.values()
        for annotation in authors[min(authors, key=lambda author: (-classify_author(author), author))]
    ]
