"""A batch of episodes handed over by a provider, and what became of it."""

from dataclasses import dataclass

from fieldloop.model.finding import Status


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A delivery accepted (PASSED), returned (FAILED), or undecided until more can be told of its episodes."""

    provider: str
    status: Status
    episodes: int
    accepted: int
    undecided: int
    required_share: float
    reasons: tuple[str, ...]
    returned: tuple[str, ...]
    operations: str = ""
    at_ns: int = 0
    delivery: str = ""
    """Names the delivery by its episodes."""

    @property
    def share(self) -> float:
        """Share of episodes that passed; nothing delivered is nothing accepted."""
        return self.accepted / self.episodes if self.episodes else 0.0


@dataclass(frozen=True, slots=True)
class Scorecard:
    """How a provider has done over its deliveries.

    `between_deliveries` is the chance of seeing acceptance differ this much between deliveries if all were alike:
    small means that quality is not repeatable.
    """

    provider: str
    deliveries: int
    deliveries_accepted: int
    episodes: int
    accepted: int
    share: float
    share_low: float
    share_high: float
    cost_per_accepted: float | None
    currency: str
    between_deliveries: float | None
