"""Which episodes to look at first, and what that order rests on."""

from dataclasses import dataclass

from fieldloop.model.finding import Finding, Status
from fieldloop.model.fix import Fix


@dataclass(frozen=True, slots=True)
class Look:
    """An episode to look at: the share of its worth that is lost, why (dearest first), when, what would help."""

    episode: str
    name: str
    status: Status
    cost: float
    reasons: tuple[Finding, ...]
    at_s: float | None
    fixes: tuple[Fix, ...]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Episodes that something counts against, dearest first, of how many.

    `length_correlation` tells whether the order is one of length in disguise; None where that cannot be told.
    """

    looks: tuple[Look, ...] = ()
    episodes: int = 0
    length_correlation: Correlation | None = None

    @property
    def sentence(self) -> str:
        """What to do first, in one sentence."""
        if not self.looks:
            return "Nothing stands against any episode."
        first = min(len(self.looks), 8)
        lost = sum(look.cost for look in self.looks)
        share = f"{lost / self.episodes:.0%} of what {self.episodes} episodes are worth"
        return f"Look at {'this one' if first == 1 else f'these {first}'} first; findings take {share}."
