"""Events of a gate's trials, in the past tense; `event.py` lists them with all others."""

from dataclasses import dataclass

from fieldloop.model.trial import KeptScenario, TrialPlan, TrialResult, TrialTaken


@dataclass(frozen=True, slots=True)
class TrialsPlanned:
    """The trials of a gate were planned, before the first was made."""

    plan: TrialPlan


@dataclass(frozen=True, slots=True)
class PlanClosed:
    """A plan was closed before all its trials were made; `plan.closed` is the reason."""

    plan: TrialPlan


@dataclass(frozen=True, slots=True)
class TrialLeased:
    """Someone took a trial to make it, or gave it back."""

    taken: TrialTaken


@dataclass(frozen=True, slots=True)
class TrialJudged:
    """A trial was made and its result recorded."""

    result: TrialResult


@dataclass(frozen=True, slots=True)
class TrialCorrected:
    """A trial's result was corrected, with a reason; `before` is the result as it stood."""

    result: TrialResult
    before: TrialResult


@dataclass(frozen=True, slots=True)
class ScenarioKept:
    """A failure in production became a scenario of every later gate."""

    scenario: KeptScenario
