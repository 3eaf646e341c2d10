"""Everything that the report of a gate states: what was tested, how, by whom, when, where, and what came out."""

from dataclasses import dataclass

from fieldloop.model.decision import Decision, StatedLimit
from fieldloop.model.note import Note
from fieldloop.model.policy import Outcome, PolicyVersion
from fieldloop.model.trial import KeptScenario


@dataclass(frozen=True, slots=True)
class ArmTally:
    """How often an arm of a plan with a control succeeded in the scenes that both arms met."""

    letter: str
    policy: str
    name: str
    successes: int
    trials: int


@dataclass(frozen=True, slots=True)
class PlanUsed:
    """A plan of trials that the decision rests on: its seed, its size, and what departed from it."""

    id: str
    seed: int
    planned_ns: int
    planned_by: str
    trials: int
    made: int
    deviations: tuple[Note, ...]
    arms: tuple[ArmTally, ...] = ()


@dataclass(frozen=True, slots=True)
class GateReport:
    """The report of a gate's decision; `release` and `decided_by` are '' where they are not known."""

    decision: Decision
    policy: PolicyVersion
    workspace: str
    release: str
    decided_by: str
    fieldloop: str
    plans: tuple[PlanUsed, ...]
    outcomes: tuple[Outcome, ...]
    kept: tuple[KeptScenario, ...]
    limits: tuple[StatedLimit, ...]
    alpha: float
    written_ns: int
    remarks: tuple[Note, ...] = ()
