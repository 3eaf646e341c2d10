"""A diagnosis: which gap between training and production cost success, with evidence, fix and what is not known."""

import math
from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.note import Note


class Gap(StrEnum):
    """The kinds of cause that a diagnosis distinguishes."""

    ENVIRONMENT = "environment mismatch"
    TIMING = "temporal misalignment"
    EDGE_CASES = "edge-case distribution"
    LABELS = "annotation inconsistency"
    CONDITIONS = "physical-condition coverage"
    SIM_TO_REAL = "sim-to-real"
    HARDWARE = "hardware drift"
    INFRASTRUCTURE = "infrastructure"
    UNKNOWN = "unknown"


class Role(StrEnum):
    """What a logged column is. Roles are inferred from values and coverage, or stated by the team."""

    CONDITION = "condition"
    ITEM = "item"
    PERSON = "person"
    SITE = "site"
    ROBOT = "robot"
    JUDGE = "judge"
    TIME = "time"
    LATENCY = "latency"
    WEAR = "wear counter"
    PACE = "pace"
    TELEMETRY = "telemetry"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Column:
    """The role of one logged column, why it has that role, and the gap that a cause in it is called by."""

    name: str
    role: Role
    gap: Gap
    why: Note
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Lag:
    """How far a camera's pictures lag behind the joints in the demonstrations of a rig, estimated from content."""

    rig: str
    stream: str
    lag_ms: float
    low_ms: float
    high_ms: float
    episodes: int


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause with its share of the lost success, its evidence and its fix.

    `never_covered` False: it changed since deployment, from about `since_ns` on where that could be estimated.
    `since_day` is its date at the site ('' in diagnoses older than this field). `group` are conditions that always
    occur together with this one, so the data cannot separate them; `group_days` has the day since which each does, ''
    where it always did. `cost` is the success that it costs in production, with its interval; None in diagnoses older
    than this field.
    """

    gap: Gap
    share: float
    low: float
    high: float
    stratum: Stratum
    never_covered: bool | None
    evidence: Note
    fix: Note
    group: tuple[Stratum, ...] = ()
    since_ns: int | None = None
    episodes: int = 0
    """Number of production outcomes that it affects."""
    since_day: str = ""
    cost: float | None = None
    cost_low: float | None = None
    cost_high: float | None = None
    group_days: tuple[str, ...] = ()

    @property
    def rivals(self) -> tuple[tuple[Stratum, str], ...]:
        """The conditions of its group, each with the day since which it goes with this one ('': always)."""
        return tuple(zip(self.group, self.group_days or ("",) * len(self.group), strict=True))


@dataclass(frozen=True, slots=True)
class Kinds:
    """A change of success by kind: three parts that add up to the loss, below 0 where success rose."""

    mix: float
    mechanism: float
    unseen: float

    @property
    def mostly_mix(self) -> bool:
        """Is there a loss, and is more than half of it a harder mix?"""
        return 2.0 * self.mix > self.mix + self.mechanism + self.unseen > 0.0


@dataclass(frozen=True, slots=True)
class Shifted:
    """Hard conditions that are a larger share of the work than before, and what that costs at unchanged performance.

    `worse`: fewer succeed there than before, by more than chance.
    """

    stratum: Stratum
    share_before: float
    share_after: float
    cost: float
    success_before: float
    success_after: float
    worse: bool


@dataclass(frozen=True, slots=True)
class LostSlice:
    """Conditions that are probably a cause, with observed and expected success.

    `doubt` is the posterior probability that they are not a cause: 1 minus the probability of the sets of explanations
    that contain them. The sum of all doubts is the expected number of false positives. NaN in diagnoses older than this
    field.
    """

    stratum: Stratum
    episodes: int
    observed: float
    expected: float
    doubt: float = math.nan


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the four questions about a failure: PASSED where the answer is yes, FAILED where it is no."""

    question: Note
    status: Status
    answer: Note


@dataclass(frozen=True, slots=True)
class FailureExplained:
    """One failed attempt and the four questions: enough close examples, cue sensed, judged right, labelled right."""

    outcome: str
    stratum: Stratum
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Is the drop real, how much of it is mix, mechanism and unseen conditions, and what caused it.

    `unseen` are conditions hardly ever demonstrated. Without a loss all shares are 0, and `kinds` has the parts in
    success (None in diagnoses older than this field). `shifted` lists the conditions behind a harder mix. `columns` are
    the roles of all logged columns.
    """

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
    cannot_tell: tuple[Note, ...] = ()
    slices: tuple[LostSlice, ...] = ()
    failures: tuple[FailureExplained, ...] = ()
    loss_low: float = 0.0
    loss_high: float = 0.0
    kinds: Kinds | None = None
    shifted: tuple[Shifted, ...] = ()
    columns: tuple[Column, ...] = ()

    @property
    def failed(self) -> int:
        """Number of failed production episodes; `failures` explains the least expected of them."""
        return round(self.episodes * (1.0 - self.observed)) if math.isfinite(self.observed) else 0

    def sum_gap_shares(self, gap: Gap) -> float:
        """Sum the shares of all causes of one gap."""
        return sum(cause.share for cause in self.causes if cause.gap is gap)
