"""Which episodes to look at first, and why."""

from dataclasses import dataclass

from fieldloop.model.finding import Finding, Status
from fieldloop.model.fix import Fix
from fieldloop.model.note import Note, note

SHOWN_FIRST = 8
"""Episodes that are named first; more are rarely looked at in one sitting."""


@dataclass(frozen=True, slots=True)
class Look:
    """An episode to look at: the share of its worth that is lost, why (costliest first), the moment, the fixes."""

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
    """Episodes with findings that count, costliest first, and the total.

    `length_correlation` shows whether the order merely follows length; None where that is not known.
    """

    looks: tuple[Look, ...] = ()
    episodes: int = 0
    length_correlation: Correlation | None = None

    @property
    def sentence(self) -> Note:
        """What to do first; findings that cost nothing have no cost beside it."""
        if not self.looks:
            return note("check.nothing_against_any")
        first = min(len(self.looks), SHOWN_FIRST)
        lost = sum(look.cost for look in self.looks) / self.episodes
        cost = (note("check.findings_cost", share=lost, episodes=self.episodes),) if lost else ()
        return note("check.look_at_one" if first == 1 else "check.look_at_these", *cost, episodes=first)
