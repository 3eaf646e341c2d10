"""The interface of an engine, and its health probe on a blank observation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from fieldloop.model.finding import Status
from fieldloop.model.identity import Clock
from fieldloop.model.policy import Action, Input, Observation
from fieldloop.model.stream import NS_PER_MS
from fieldloop.serve.bundle import Bundle


class Engine(Protocol):
    """A loaded policy: a model.policy.Policy with its bundle's card."""

    @property
    def bundle(self) -> Bundle:
        """The card of the policy's bundle."""

    def act(self, observation: Observation) -> Action:
        """Answer one observation."""


@runtime_checkable
class BatchEngine(Engine, Protocol):
    """An engine that answers several robots in one pass."""

    def act_together(self, observations: Sequence[Observation]) -> Sequence[Action]:
        """Answer several observations, in their order."""


@runtime_checkable
class RememberingEngine(Engine, Protocol):
    """An engine that keeps something between the observations of one episode."""

    def reset(self, episode: str) -> None:
        """Forget what was seen before: a new episode begins."""


@dataclass(frozen=True, slots=True)
class Health:
    """One dummy inference: did it answer with finite numbers, and how long did it take?"""

    status: Status
    latency_ms: float | None
    at_ns: int
    message: str


def make_blank_observation(inputs: tuple[Input, ...]) -> Observation:
    """Make an observation of zeros that fits the inputs."""
    arrays = {i.name: np.zeros(i.shape, i.dtype) for i in inputs}
    return Observation(
        0, {n: a for n, a in arrays.items() if a.ndim > 1}, {n: a for n, a in arrays.items() if a.ndim <= 1}
    )


def probe_engine(engine: Engine, clock: Clock) -> Health:
    """Run one dummy inference; a policy that raises is ERRORED, one that answers NaN is FAILED."""
    began = clock()
    try:
        action = engine.act(make_blank_observation(engine.bundle.inputs))
    except Exception as wrong:  # noqa: BLE001  third-party runtime; a health probe reports, it never raises
        return Health(Status.ERRORED, None, began, f"The dummy inference failed: {wrong}")
    latency_ms = (clock() - began) / NS_PER_MS
    if not np.isfinite(action.values).all():
        return Health(Status.FAILED, latency_ms, began, "The dummy inference answered numbers that are not finite.")
    return Health(Status.PASSED, latency_ms, began, f"The dummy inference took {latency_ms:.2f} ms.")
