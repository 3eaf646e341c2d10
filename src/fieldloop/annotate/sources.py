"""Which labels count where several authors annotated one episode."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class Attempts:
    """Whose labels do not count: attempts on a calibration set, and all of an annotator who failed one.

    `right` are the authors of the right labels at each place of a calibration set; `failed` are tasks and annotators.
    """

    right: Mapping[Place, frozenset[str]] = field(default_factory=dict)
    failed: frozenset[tuple[str, str]] = frozenset()
    tasks: Mapping[str, str] = field(default_factory=dict)

    def leave_out(self, annotations: Iterable[Annotation]) -> list[Annotation]:
        """Return the other labels; an attempt goes only where the right labels exist.

        >>> made = [Annotation("e", "phase", "lift", 0, 1, author) for author in ("lea", "ben", "cem")]
        >>> attempts = Attempts({("e", "phase"): frozenset({"lea"})}, frozenset({("pick", "cem")}), {"e": "pick"})
        >>> [[one.author for one in attempts.leave_out(several)] for several in (made, made[1:])]
        [['lea'], ['ben']]
        """
        listed = list(annotations)
        there = {(one.episode, one.kind) for one in listed if self._is_right(one)}
        return [
            one for one in listed
            if classify_author(one.author) is not Source.PERSON
            or self._is_right(one)
            or not ((one.episode, one.kind) in there or (self.tasks.get(one.episode), one.author) in self.failed)
        ]  # fmt: skip

    def _is_right(self, one: Annotation) -> bool:
        right = self.right.get((one.episode, one.kind))
        return right is not None and (one.author in right or one.author == ADJUDICATED)


NO_ATTEMPTS = Attempts()


def choose_labels(annotations: Iterable[Annotation], attempts: Attempts = NO_ATTEMPTS) -> list[Annotation]:
    """Return the labels that count: of each kind in each episode those of one author, in the order given.

    Decided labels come before those of people, and these before proposals. Labels are listed oldest first, as the store
    and a replay list them: of several authors of the same source, the one who handed in last counts. Attempts on a
    calibration set do not count.

    >>> made = [Annotation("e", "phase", "lift", 0, 1, author) for author in ("machine:signals", "anna", "ben")]
    >>> [label.author for label in choose_labels(made)]
    ['ben']
    """
    return _choose(attempts.leave_out(annotations), lambda author, last: (classify_author(author), last))


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
