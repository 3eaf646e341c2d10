"""Which of the gaps made it fail."""

import math
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

    `never_covered` False: it changed since deployment, from about `since_ns` on where that could be told; `since_day`
    is its date at the site ('' in diagnoses that were made before dates were stated). `group` are conditions that
    always go together with this one: the data cannot tell which of them it is; `group_days` has the day since which
    each does, '' where it always did. `cost` is the success that it takes off production, with its interval; None in
    diagnoses that were made before costs were stated.
    """

    gap: Gap
    share: float
    low: float
    high: float
    stratum: Stratum
    never_covered: bool | None
    evidence: str
    fix: str
    group: tuple[Stratum, ...] = ()
    since_ns: int | None = None
    episodes: int = 0
    """How many production outcomes it speaks of."""
    since_day: str = ""
    cost: float | None = None
    cost_low: float | None = None
    cost_high: float | None = None
    group_days: tuple[str, ...] = ()

    @property
    def rivals(self) -> tuple[tuple[Stratum, str], ...]:
        """The conditions of its group, each with the words since when, if not always."""
        days = self.group_days or ("",) * len(self.group)
        return tuple((one, f" since {day}" if day else "") for one, day in zip(self.group, days, strict=True))


@dataclass(frozen=True, slots=True)
class Kinds:
    """A change of success by kind: three parts that add up to the loss, below 0 where something was won."""

    mix: float
    mechanism: float
    unseen: float

    @property
    def mostly_mix(self) -> bool:
        """Is there a loss, and is more than half of it a harder mix?"""
        return 2.0 * self.mix > self.mix + self.mechanism + self.unseen > 0.0


@dataclass(frozen=True, slots=True)
class Shifted:
    """Conditions that are hard and a larger part of the work than before: what that costs, though nothing went wrong.

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
    """Conditions that probably are a cause, with what they lost against what the baseline lets expect.

    `doubt` is the probability, after all outcomes, that they are none of the causes: 1 less the probability of the sets
    of explanations in which they stand. The doubts of all slices add up to the number of false finds to expect. It is
    no number in diagnoses that were made before doubts were stated.
    """

    stratum: Stratum
    episodes: int
    observed: float
    expected: float
    doubt: float = math.nan


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the four questions about a failure: PASSED where the answer is yes, FAILED where it is no."""

    question: str
    status: Status
    answer: str


@dataclass(frozen=True, slots=True)
class FailureExplained:
    """One failed attempt and the four questions: enough close examples, cue sensed, judged right, labelled right."""

    outcome: str
    stratum: Stratum
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Is the drop real, how much of it is mix, mechanism and unseen conditions, and what caused it.

    `unseen` are conditions hardly ever demonstrated. Of no loss there are no shares: they are 0, and `kinds` has the
    parts in success (None in diagnoses that were made before these were stated). `shifted` says what the mix is about.
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
    cannot_tell: tuple[str, ...] = ()
    slices: tuple[LostSlice, ...] = ()
    failures: tuple[FailureExplained, ...] = ()
    loss_low: float = 0.0
    loss_high: float = 0.0
    kinds: Kinds | None = None
    shifted: tuple[Shifted, ...] = ()

    @property
    def failed(self) -> int:
        """How many of the production episodes failed; `failures` explains the least expected of them."""
        return round(self.episodes * (1.0 - self.observed)) if math.isfinite(self.observed) else 0

    def share_of(self, gap: Gap) -> float:
        """The share of the loss that all causes of one gap carry together."""
        return sum(cause.share for cause in self.causes if cause.gap is gap)
