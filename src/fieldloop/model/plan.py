"""What to collect next, and why."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum


@dataclass(frozen=True, slots=True)
class Coverage:
    """One deployed stratum: its share of production, the demonstrations in hand, and how production fared there."""

    stratum: Stratum
    exposure: float
    demonstrations: int
    share: float
    attempts: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that asks for demonstrations: a diagnosis, an incident, a new SKU."""

    id: str
    stratum: Stratum
    demonstrations: int
    why: str
    source: str
    at_ns: int = 0


@dataclass(frozen=True, slots=True)
class Quota:
    """How many demonstrations of a stratum to collect, the expected gain in production success, and why."""

    stratum: Stratum
    demonstrations: int
    gain: float
    gain_low: float
    gain_high: float
    why: str


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """What one operator slot collects: site, robot, operator, stratum, count, protocol."""

    id: str
    plan: str
    site: str
    robot: str
    operator: str
    stratum: Stratum
    demonstrations: int
    protocol: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A budget spread over strata, and the work orders that follow."""

    id: str
    budget: int
    strategy: str
    quotas: tuple[Quota, ...]
    orders: tuple[WorkOrder, ...]
    expected_gain: float
    drawn_ns: int
    operations: str
    warnings: tuple[str, ...] = ()
    answered: tuple[tuple[str, int], ...] = ()
    """Demands by id, and how many demonstrations each got; what is missing waits for the next plan."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one quota is: collected, accepted, rejected and left."""

    stratum: Stratum
    planned: int
    done: int
    accepted: int
    rejected: int

    @property
    def left(self) -> int:
        """How many accepted demonstrations are still missing."""
        return max(0, self.planned - self.accepted)
