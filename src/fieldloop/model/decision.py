"""What was decided about a policy version, with its evidence."""

from dataclasses import dataclass

from fieldloop.model.finding import Status


@dataclass(frozen=True, slots=True)
class GateTest:
    """One requirement of the gate: what was asked, what was seen, and how sure that is."""

    name: str
    required: str
    status: Status
    successes: int
    trials: int
    low: float
    high: float
    more_trials: int
    message: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A gate's answer; CANNOT_TELL means that more trials are needed, and each test says how many.

    `site` is the only one it speaks of, empty for the whole deployment; `outcomes` names what was judged by its hash.
    """

    id: str
    policy: str
    status: Status
    tests: tuple[GateTest, ...]
    operations: str
    at_ns: int
    site: str = ""
    outcomes: str = ""


@dataclass(frozen=True, slots=True)
class Latency:
    """Measured answer times of a policy under load."""

    calls: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
