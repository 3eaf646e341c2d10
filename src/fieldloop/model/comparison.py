"""Two policy versions compared by a sequential test."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.finding import Status
from fieldloop.model.note import Note


class Question(StrEnum):
    """What the comparison is for; it decides only when waiting has become futile."""

    BETTER = "better"
    DROPPED = "dropped"


class Verdict(StrEnum):
    """What the pairs show about the candidate; UNDECIDED means that more pairs are needed."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """A candidate and the version it is compared with, over `pairs` pairs of attempts.

    The candidate won `candidate_only` pairs and lost `other_only`. The interval holds the candidate's success rate
    minus the other's; each of its bounds, like either verdict, errs with at most 1 − `level`, at any look.
    `more_pairs` is what an answer takes at the observed rates, `most_pairs` what it takes at most. `paired` pairs share
    a scene. `unused` attempts had no partner or came after the end; `unknown` attempts have no known result.
    """

    candidate: str
    other: str
    question: Question
    verdict: Verdict
    status: Status
    paired: bool
    pairs: int
    max_pairs: int
    candidate_successes: int
    other_successes: int
    candidate_only: int
    other_only: int
    difference: float | None
    low: float
    high: float
    level: float
    more_pairs: int
    most_pairs: int
    unused: int
    unknown: int
    message: Note
    weaknesses: tuple[Note, ...]
    assumes: tuple[Note, ...]
    operations: str
    simulated: int = 0
