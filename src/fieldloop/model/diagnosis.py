"""Which of the gaps made it fail."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status


class Gap(StrEnum):
    """The causes that are told apart."""

    ENVIRONMENT = "environment mismatch"
    TIMING = "temporal misalignment"
    EDGE_CASES = "edge-case distribution"
    LABELS = "annotation inconsistency"
    CONDITIONS = "physical-condition coverage"
    SIM_TO_REAL = "sim-to-real"
    HARDWARE = "hardware drift"
    INFRASTRUCTURE = "infrastructure"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause with its share of the lost success, its evidence and its fix."""

    gap: Gap
    share: float
    low: float
    high: float
    stratum: Stratum
    never_covered: bool | None
    evidence: str
    fix: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Is the drop real, how much of it is mix, mechanism and unseen conditions, and what caused it."""

    id: str
    policy: str
    site: str
    status: Status
    baseline: float
    observed: float
    loss: float
    mix_share: float
    mechanism_share: float
    unseen_share: float
    causes: tuple[Cause, ...]
    episodes: int
    made_ns: int
    operations: str
    cannot_tell: tuple[str, ...] = ()
