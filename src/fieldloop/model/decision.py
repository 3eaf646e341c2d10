"""Gate decisions about a policy version, with their evidence."""

from dataclasses import dataclass

from fieldloop.model.finding import Status
from fieldloop.model.note import Note

OTHER_BOUNDS = ("distractors", "consecutive pattern", "latency", "cycle time")
"""Requirements whose bounds are not those of a success rate."""


@dataclass(frozen=True, slots=True)
class GateTest:
    """One requirement of the gate: what is required, what was observed, and the bounds of the true value."""

    name: str
    required: Note
    status: Status
    successes: int
    trials: int
    low: float
    high: float
    more_trials: int
    message: Note

    @property
    def bounds_rate(self) -> bool:
        """Are the bounds those of the success rate? Those of a share, a p-value, a latency or a time are not."""
        rate = self.name not in OTHER_BOUNDS and self.trials > 0
        return rate and self.low <= self.successes / self.trials <= self.high


@dataclass(frozen=True, slots=True)
class StatedLimit:
    """A number of the decision rule, with the reason and the source that the operations state."""

    name: str
    value: str
    unit: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Basis:
    """What a decision rests on: ids of its outcomes, names of the kept scenarios it required, and its limits."""

    outcomes: tuple[str, ...]
    kept: tuple[str, ...]
    limits: tuple[StatedLimit, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A gate's decision; CANNOT_TELL means that more trials are needed, and each test states how many.

    `site` is the one site it covers, empty for the whole deployment; `outcomes` is the hash of the judged outcomes.
    `trials` counts the judged attempts once, however many tests use them; `unknown` attempts have no known result.
    `decided_by` asked for the decision, `basis` is what it rests on: '' and None in decisions that were made before
    these were kept.
    """

    id: str
    policy: str
    status: Status
    tests: tuple[GateTest, ...]
    operations: str
    at_ns: int
    site: str = ""
    outcomes: str = ""
    trials: int = 0
    unknown: int = 0
    decided_by: str = ""
    basis: Basis | None = None


@dataclass(frozen=True, slots=True)
class Latency:
    """Measured answer times of a policy under load."""

    calls: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
