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
    one listed first counts; the store lists them in the order in which they last submitted.
    """
    by_place: dict[tuple[str, str], dict[str, list[Annotation]]] = {}
    for annotation in annotations:
        authors = by_place.setdefault((annotation.episode, annotation.kind), {})
        authors.setdefault(annotation.author, []).append(annotation)
    return [
        annotation
        for authors in by_place.values()
        for annotation in authors[max(authors, key=classify_author)]  # of equals, max returns the first
    ]
