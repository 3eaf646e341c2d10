"""The result of an audit: answers to five questions, and where the logs agree with the map."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fieldloop.model.finding import Status
from fieldloop.model.note import Note


class ComparedBy(StrEnum):
    """The kind of claim that was compared with the logs."""

    MIX = "mix"
    RANGE = "range"
    RATE = "rate"


@dataclass(frozen=True, slots=True)
class LevelCompared:
    """One level of a claim: the share that the map gives it, the measured share and its interval.

    `differs`: the two differ beyond chance and by more than the tolerance.
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
    """One claim of the map compared with the logs.

    FAILED: they clearly differ by more than the tolerance. PASSED: they clearly do not. Otherwise CANNOT_TELL.
    `chance` is the p-value of such a difference if the claim were true, adjusted for all comparisons.
    `span` is where most of the measured values lie, `claims` are the ranges they were compared with.
    """

    site: str
    what: str
    claimed: Note
    measured: Note
    episodes: int
    status: Status
    message: Note
    kind: ComparedBy = ComparedBy.MIX
    days: int = 0
    chance: float | None = None
    levels: tuple[LevelCompared, ...] = ()
    span: tuple[float, float] | None = None
    claims: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """One of the five gap questions: how complete the map's answer is, and what is missing."""

    question: Note
    score: float
    missing: tuple[Note, ...] = ()
    asked: int = 0
    required_score: float = 1.0
    """The share of required items that the map states; this decides whether it is complete."""

    @staticmethod
    def from_older(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read the form of earlier versions: every item was required."""
        return {"required_score": raw["score"], **raw} if "score" in raw else raw


@dataclass(frozen=True, slots=True)
class Audit:
    """How well the map answers the five questions; going on below the required score needs a recorded override.

    `odd` holds values that are possible but unusual. `files` are the map and the catalogue that were read, each with
    the SHA-256 of its bytes.
    """

    deployment: str
    answers: tuple[AuditAnswer, ...]
    score: float
    complete: bool
    operations: str = ""
    overridden_by: str | None = None
    override_reason: str = ""
    compared: tuple[Comparison, ...] = ()
    odd: tuple[Note, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
