"""What an audit of the map says: five answers, and where logs agree with the map or do not."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.finding import Status


class ComparedBy(StrEnum):
    """What kind of claim was held against the logs."""

    MIX = "mix"
    RANGE = "range"
    RATE = "rate"


@dataclass(frozen=True, slots=True)
class LevelCompared:
    """One level of a claim: the share that the map gives it, the share measured and its interval.

    `differs` says that the two lie apart beyond chance, and by more than a trifle.
    """

    level: str
    claimed: float
    measured: float
    low: float
    high: float
    count: int
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """One claim of the map beside what logs say.

    FAILED where they surely differ by more than a trifle, PASSED where they surely do not, otherwise CANNOT_TELL.
    `chance` is the probability of such a difference if the claim held, adjusted for all that was compared.
    `span` is where most of the measured values lie, `claims` are the ranges they were held against.
    """

    site: str
    what: str
    claimed: str
    measured: str
    episodes: int
    status: Status
    message: str
    kind: ComparedBy = ComparedBy.MIX
    days: int = 0
    chance: float | None = None
    levels: tuple[LevelCompared, ...] = ()
    span: tuple[float, float] | None = None
    claims: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """One of the five gap questions: how complete the map's answer is, and what is missing."""

    question: str
    score: float
    missing: tuple[str, ...] = ()
    asked: int = 0


@dataclass(frozen=True, slots=True)
class Audit:
    """How well the map answers the five questions; going on below the bar needs a recorded override.

    `odd` is what it says that can be true and seldom is, `files` are the map and the catalogue that were read, each
    with the SHA-256 of its bytes.
    """

    deployment: str
    answers: tuple[AuditAnswer, ...]
    score: float
    complete: bool
    operations: str = ""
    overridden_by: str | None = None
    override_reason: str = ""
    compared: tuple[Comparison, ...] = ()
    odd: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
