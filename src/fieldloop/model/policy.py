"""Policy versions, their observations and actions, and the outcomes of their attempts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Stratum


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A version of a policy, identified by the content of its weights; trained here or added from elsewhere.

    `bundle` holds weights, transforms and guard limits; it is '' where the weights are elsewhere, at `source`.
    `release` is '' where the training data is not known here.
    """

    id: str
    name: str
    release: str
    trainer: str
    bundle: str
    episodes: int
    seed: int
    validation_error: float | None
    control_hz: float | None
    guard: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What a policy sees at one moment: pictures and signals by the name of their stream, and the task in words.

    For real-time chunking, `leftover` holds the actions of the last chunk that are not executed yet (rows of values),
    and `delay_steps` says how many of them the robot will have executed when the answer arrives.
    """

    at_ns: int
    pictures: Mapping[str, NDArray[Any]]
    signals: Mapping[str, NDArray[np.float64]]
    prompt: str = ""
    leftover: NDArray[np.float64] | None = None
    delay_steps: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """An action: named values, and the policy's confidence (0 to 1; None where unknown).

    `values` has one value for each name; of a policy that answers a chunk, one such row for each step ahead.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    confidence: float | None = None
    latency_ms: float | None = None

    @property
    def chunk(self) -> NDArray[np.float64]:
        """The values as rows, one for each step ahead."""
        return np.atleast_2d(self.values)


@dataclass(frozen=True, slots=True)
class Input:
    """One input of a policy's model: named like its stream, with its shape (a batch axis first, 0: any) and type."""

    name: str
    shape: tuple[int, ...]
    dtype: str


class Policy(Protocol):
    """Anything that returns an action for an observation: an engine, a remote server, a scripted expert."""

    def act(self, observation: Observation) -> Action:
        """Answer one observation."""


class FailureClass(StrEnum):
    """How an attempt failed."""

    GRASP = "grasp"
    PLACEMENT = "placement"
    COLLISION = "collision"
    TIMEOUT = "timeout"
    OTHER = "other"


class Stage(StrEnum):
    """The setting of an attempt."""

    LAB = "lab"
    GATE = "gate"
    SHADOW = "shadow"
    PRODUCTION = "production"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an attempt's chain, in the order tried; a step that was never reached is not listed.

    `deviation_m` is the final position error, as measured by the robot's own sensors.
    """

    name: str
    succeeded: bool
    deviation_m: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one attempt of one policy version in one stratum ended, and its judge.

    `succeeded` is None where the result is not known: such an attempt is neither a success nor a failure.
    `attempt` is given where several people judge the same attempt, with one row each. `facts` are numbers
    from telemetry under their names, such as lux, temperature_c or gripper_cycles.
    """

    id: str
    policy: str
    stratum: Stratum
    stage: Stage
    site: str
    robot: str
    at_ns: int
    succeeded: bool | None
    judged_by: str
    failure: FailureClass | None = None
    scenario: str = ""
    cycle_s: float | None = None
    confidence: float | None = None
    latency_ms: float | None = None
    interventions: int = 0
    attempt: str = ""
    item: str = ""
    steps: tuple[Step, ...] = ()
    facts: tuple[tuple[str, float], ...] = ()

    def get_fact(self, name: str) -> float | None:
        """Return a number from telemetry, None where it was not logged."""
        return dict(self.facts).get(name)
