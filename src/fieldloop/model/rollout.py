"""How far a new version has climbed."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.finding import Status


class Rung(StrEnum):
    """The rungs of the ladder, lowest first; BACK is off it."""

    SHADOW = "shadow"
    TRIAL = "trial"
    QUARTER = "quarter"
    HALF = "half"
    FLEET = "fleet"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Rollout:
    """One candidate against one incumbent: which rung, since when, what share of tasks, and why."""

    id: str
    candidate: str
    incumbent: str | None
    rung: Rung
    share: float
    since_ns: int
    verdict: Status
    reason: str
    operations: str
    candidate_episodes: int = 0
    candidate_successes: int = 0
    incumbent_episodes: int = 0
    incumbent_successes: int = 0
