"""The trials of a gate: what is planned, who makes a trial now, how it ended, and scenarios of every later gate."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.policy import FailureClass


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt to make: its place in the blind order, its scenario, its stratum, and its numeric parameters.

    Parameters: `u` and `v` place the item, in shares of half the workspace from its centre (-1 to 1), `turn` turns it,
    in shares of how far items are usually turned; `distractors` is the number of objects that do not belong there;
    `gripper_hidden` and `camera_hidden` are shares that something hides, `joint_left_rad` is how far from its limit a
    joint starts. Trials of one `scene` are set up alike, with the same `seed`: one for each arm.
    """

    policy: str
    order: int
    scenario: str
    stratum: Stratum
    parameters: tuple[tuple[str, float], ...] = ()
    scene: int = 0
    seed: int = 0

    def get_parameter(self, name: str) -> float | None:
        """Return a parameter by name, None where this trial does not set it."""
        return dict(self.parameters).get(name)


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """The trials of one gate, in the order in which they are to be made.

    `arms` names the policy of each letter; a plan without a control has one. `look` counts the gate's plans of this
    policy, `operations` is the fingerprint of the limits in force. `steps` are the rubric: what an attempt does, in
    order. `closed` is why no further trial is made, '' while they are made.
    """

    id: str
    policy: str
    arms: tuple[tuple[str, str], ...]
    site: str
    look: int
    seed: int
    operations: str
    steps: tuple[str, ...]
    planned_ns: int
    planned_by: str
    trials: tuple[Trial, ...]
    closed: str = ""

    @property
    def control(self) -> str:
        """The policy of the control arm, '' without one."""
        return next((policy for _, policy in self.arms if policy != self.policy), "")

    def get_arm(self, trial: Trial) -> str:
        """Return the letter of a trial's arm."""
        return next(letter for letter, policy in self.arms if policy == trial.policy)

    def find_trial(self, order: int) -> Trial | None:
        """Return the trial at a place in the order, None where there is none."""
        return self.trials[order - 1] if 1 <= order <= len(self.trials) else None


@dataclass(frozen=True, slots=True)
class TrialTaken:
    """Someone makes a trial of a plan now; after `until_ns` it is free for others."""

    plan: str
    order: int
    taken_by: str
    until_ns: int


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How a trial of a plan ended: the steps that were done, of the plan's rubric, and the result.

    `revision` is 1 as first recorded; a correction has the next number and the reason in `reason`. `at_ns` is when the
    trial was made, `typed_ns` when its result was typed in; 0 in results that were recorded before this was kept.
    """

    plan: str
    order: int
    succeeded: bool | None
    steps_done: int
    at_ns: int
    judged_by: str
    robot: str = ""
    failure: FailureClass | None = None
    cycle_s: float | None = None
    latency_ms: float | None = None
    confidence: float | None = None
    interventions: int = 0
    remark: str = ""
    facts: tuple[tuple[str, float], ...] = ()
    revision: int = 1
    reason: str = ""
    typed_ns: int = 0


@dataclass(frozen=True, slots=True)
class KeptScenario:
    """A failure in production that every later gate of every policy tries: its name, and how to set it up.

    `source` is the id of the incident or of the outcome.
    """

    name: str
    stratum: Stratum
    what: str
    source: str
    policy: str
    kept_ns: int
    kept_by: str

    def concerns(self, site: str) -> bool:
        """Can a gate of this site try it? A gate of the whole deployment ('') tries every one."""
        return not site or self.stratum.level("site") in (None, site)
