"""What was trained, and how it fared each time it tried."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.condition import Stratum


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A bundle of weights, transforms and guard limits; identified by content."""

    id: str
    name: str
    release: str
    trainer: str
    bundle: str
    episodes: int
    seed: int
    validation_error: float
    control_hz: float
    guard: str = ""


class FailureClass(StrEnum):
    """How an attempt failed."""

    GRASP = "grasp"
    PLACEMENT = "placement"
    COLLISION = "collision"
    TIMEOUT = "timeout"
    OTHER = "other"


class Stage(StrEnum):
    """In which setting an attempt was made."""

    LAB = "lab"
    GATE = "gate"
    SHADOW = "shadow"
    PRODUCTION = "production"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one attempt of one policy version in one stratum ended, and who judged it."""

    id: str
    policy: str
    stratum: Stratum
    stage: Stage
    site: str
    robot: str
    at_ns: int
    succeeded: bool
    judged_by: str
    failure: FailureClass | None = None
    scenario: str = ""
    cycle_s: float | None = None
    confidence: float | None = None
    latency_ms: float | None = None
    interventions: int = 0
