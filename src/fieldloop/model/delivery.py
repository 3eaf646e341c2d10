"""Deliveries of providers: whether they were accepted, and a provider's record."""

from dataclasses import dataclass

from fieldloop.model.finding import Status
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A delivery accepted (PASSED), returned (FAILED), or undecided until its episodes can be judged."""

    provider: str
    status: Status
    episodes: int
    accepted: int
    undecided: int
    required_share: float
    reasons: tuple[Note, ...]
    returned: tuple[str, ...]
    operations: str = ""
    at_ns: int = 0
    delivery: str = ""
    """Identifies the delivery by its episodes."""

    @property
    def share(self) -> float:
        """Share of episodes that passed; 0 where nothing was delivered."""
        return self.accepted / self.episodes if self.episodes else 0.0


@dataclass(frozen=True, slots=True)
class Scorecard:
    """How a provider has done over its deliveries.

    `between_deliveries` is the p-value of the differences in acceptance between deliveries: a small one means that
    quality is not repeatable.
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
