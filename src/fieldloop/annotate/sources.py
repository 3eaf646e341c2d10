"""Which labels count where several authors annotated one episode."""

from collections.abc import Callable, Iterable
from enum import IntEnum

from fieldloop.model.annotation import Annotation
from fieldloop.model.labelling import ADJUDICATED, MACHINE_PREFIX

Place = tuple[str, str]
"""An episode and a kind of labels."""


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

    Decided labels come before those of people, and these before proposals. Labels are listed oldest first, as the store
    and a replay list them: of several authors of the same source, the one who handed in last counts.

    >>> made = [Annotation("e", "phase", "lift", 0, 1, author) for author in ("machine:signals", "anna", "ben")]
    >>> [label.author for label in choose_labels(made)]
    ['ben']
    """
    return _choose(annotations, lambda author, last: (classify_author(author), last))


def choose_labels_by_name(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Return the labels that counted in earlier releases: of several authors of a source, the first one by name.

    >>> made = [Annotation("e", "phase", "lift", 0, 1, author) for author in ("machine:signals", "anna", "ben")]
    >>> [label.author for label in choose_labels_by_name(made)]
    ['anna']
    """
    listed = list(annotations)
    names = sorted({annotation.author for annotation in listed}, reverse=True)
    return _choose(listed, lambda author, _: (classify_author(author), names.index(author)))


def _choose(annotations: Iterable[Annotation], rank: Callable[[str, int], tuple[int, int]]) -> list[Annotation]:
    """Take the author of the highest rank at each place; a rank may ask for the number of the author's last label."""
    last: dict[Place, dict[str, int]] = {}
    by_author: dict[tuple[Place, str], list[Annotation]] = {}
    for number, annotation in enumerate(annotations):
        place = annotation.episode, annotation.kind
        last.setdefault(place, {})[annotation.author] = number
        by_author.setdefault((place, annotation.author), []).append(annotation)
    chosen: list[Annotation] = []
    for place, numbers in last.items():
        ranks = {author: rank(author, number) for author, number in numbers.items()}
        chosen += by_author[place, max(ranks, key=ranks.__getitem__)]
    return chosen
