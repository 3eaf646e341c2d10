"""A rollout: which stage a new policy version has reached."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.finding import Status
from fieldloop.model.note import Note


class Rung(StrEnum):
    """The stages of a rollout, lowest first; BACK means rolled back."""

    SHADOW = "shadow"
    TRIAL = "trial"
    QUARTER = "quarter"
    HALF = "half"
    FLEET = "fleet"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Rollout:
    """A candidate replacing an incumbent: its stage, since when, its share of tasks, and why."""

    id: str
    candidate: str
    incumbent: str | None
    rung: Rung
    share: float
    since_ns: int
    verdict: Status
    reason: Note
    operations: str
    candidate_episodes: int = 0
    candidate_successes: int = 0
    incumbent_episodes: int = 0
    incumbent_successes: int = 0
