"""The collection plan: coverage, gaps, quotas, work orders, progress and scores."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class Coverage:
    """One deployed stratum: its share of production, the demonstrations in hand, and the results of production there.

    `cost` is the cost of one demonstration in units of an ordinary one. Of `tried` demonstrations, `demonstrations`
    were good enough to keep (`tried` 0: not counted).
    """

    stratum: Stratum
    exposure: float
    demonstrations: int
    share: float
    attempts: int = 0
    failures: int = 0
    tried: int = 0
    cost: float = 1.0
    learnt: int | None = None
    """Demonstrations that the version in production was trained on; None: all in hand."""


class GapKind(StrEnum):
    """How the data in hand fail to cover what is deployed."""

    NEVER_SHOWN = "never shown"
    COMBINATION = "combination never shown"
    RANGE_END = "end of a range never shown"
    POSITION = "position or orientation never shown"
    EXTRAPOLATION = "outside what was shown"
    ARTICLE = "article not in the catalogue"


@dataclass(frozen=True, slots=True)
class CoverageGap:
    """Something deployed that no demonstration shows: where, its share of production, and a message."""

    kind: GapKind
    stratum: Stratum
    share: float | None
    message: Note


class QuotaKind(StrEnum):
    """The kind of demonstrations that a quota asks for."""

    DEMONSTRATION = "demonstration"
    RECOVERY = "failure and recovery"
    SIMULATION = "simulation"


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that asks for demonstrations: a diagnosis, an incident, a new SKU."""

    id: str
    stratum: Stratum
    demonstrations: int
    why: Note
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
    why: Note
    kind: QuotaKind = QuotaKind.DEMONSTRATION
    cost: float = 0.0
    """Expected cost including rejected demonstrations, in units of an ordinary one."""


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
    kind: QuotaKind = QuotaKind.DEMONSTRATION
    skus: tuple[str, ...] = ()
    """Articles to use, highest priority first; any of the stratum where none is named."""
    start: tuple[tuple[str, str], ...] = ()
    """Initial conditions to randomise, such as ("yaw", "0 to 360°")."""
    number: int = 0
    """The order's number for people, counted on from plan to plan; 0 where an earlier version drew the plan."""
    hours: float = 0.0
    """Expected hours of work, with resets and tries that fail."""
    cost: float | None = None
    """Expected cost of that work; None where the cost of an hour is not set."""
    due: str = ""
    """The day by which its operator and its robot can have done it, after their earlier orders."""

    @property
    def name(self) -> str:
        """Return its name for people.

        >>> WorkOrder("order_01M7", "p", "", "", "", Stratum(), 1, "", number=14).name
        'order 14'
        """
        return f"order {self.number}" if self.number else self.id


@dataclass(frozen=True, slots=True)
class Plan:
    """A budget allocated to strata, and the resulting work orders."""

    id: str
    budget: int
    strategy: str
    quotas: tuple[Quota, ...]
    orders: tuple[WorkOrder, ...]
    expected_gain: float
    drawn_ns: int
    operations: str
    warnings: tuple[Note, ...] = ()
    answered: tuple[tuple[str, int], ...] = ()
    """Demands by id, and how many demonstrations each got; the rest waits for the next plan."""
    gaps: tuple[CoverageGap, ...] = ()
    gain_low: float = 0.0
    gain_high: float = 0.0
    cost: float = 0.0
    policy: str = ""
    """The version whose failures it is based on; '' where none was in production."""
    tiers: tuple["TierState", ...] = ()
    sites: tuple["SiteSet", ...] = ()
    cover: tuple[Stratum, ...] = ()
    """The fewest deployed strata found that together show every combination of conditions never shown."""
    in_hand_gain: float = 0.0
    """Additional expected gain from demonstrations in hand that the version in production had not learnt from."""
    assumed: bool = False
    """No attempt in production counted: the gain rests on an assumed failure rate."""


@dataclass(frozen=True, slots=True)
class OrderTemplate:
    """A reusable work order without an operator.

    `slots` is how many people share it, 0 as many as rotation gives. `robot` '' leaves the choice open.
    """

    name: str
    stratum: Stratum
    demonstrations: int
    protocol: str
    site: str = ""
    robot: str = ""
    slots: int = 0
    kind: QuotaKind = QuotaKind.DEMONSTRATION
    skus: tuple[str, ...] = ()
    start: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Returned:
    """What a collection team reports for one order; checks decide how much of it counts."""

    order: str
    collected: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class TierState:
    """One tier of articles: its target in demonstrations per article, and how many articles reached it."""

    tier: str
    picks_share: float
    articles: int
    shown: int
    at_target: int
    target: int
    simulated_share: float = 0.0
    """The simulated share of this tier's quotas."""


@dataclass(frozen=True, slots=True)
class SiteSet:
    """The demonstrations that a site needs before it goes live: those of conditions specific to it.

    `specific` names the conditions that the primary site does not have; `needed`, `have` and `planned` count
    demonstrations there, `simulated` additional simulated ones, `open` what still lacks after the plan.
    """

    site: str
    share: float
    primary: bool
    specific: tuple[str, ...]
    needed: int
    have: int
    planned: int
    complete: bool
    message: Note
    simulated: int = 0
    open: int = 0


@dataclass(frozen=True, slots=True)
class PlanScore:
    """The promised and the measured gain of a plan, once a policy trained on it worked in production.

    Both are gains in production success on the mix the plan was drawn for. The promise includes data in hand but not
    yet learnt when it was drawn. PASSED: the measured interval reaches the promise. FAILED: it stays below.
    CANNOT_TELL: too few outcomes, or none of its demonstrations came in.
    """

    plan: str
    before: str
    after: str
    expected: float
    expected_low: float
    expected_high: float
    measured: float
    measured_low: float
    measured_high: float
    demonstrations: int
    episodes: int
    status: Status
    message: Note
    strata: tuple["StratumScore", ...] = ()


@dataclass(frozen=True, slots=True)
class StratumScore:
    """One stratum before and after: demonstrations, attempts and failures, used to fit learning curves."""

    stratum: Stratum
    exposure: float
    demonstrations_before: int
    demonstrations_after: int
    attempts_before: int
    failures_before: int
    attempts_after: int
    failures_after: int
    expected_gain: float
    measured_gain: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a plan will be complete at the current pace; None while the pace is unknown."""

    left: int
    per_day: float | None
    days: float | None
    days_low: float | None
    days_high: float | None
    message: Note


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of one quota or, where `order` names it, one order: collected, accepted, rejected and left.

    `reported` is what the collection team reported; None where it has not reported yet.
    """

    stratum: Stratum
    planned: int
    done: int
    accepted: int
    rejected: int
    kind: QuotaKind = QuotaKind.DEMONSTRATION
    order: str = ""
    reported: int | None = None

    @property
    def left(self) -> int:
        """Return how many accepted demonstrations are still missing."""
        return max(0, self.planned - self.accepted)
