"""Outcomes as arrays: who succeeded, on which day, under which conditions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Condition
from fieldloop.model.policy import Outcome
from fieldloop.model.stream import NS_PER_S

NS_PER_DAY = 86_400 * NS_PER_S
SLOW, QUICK = "slow", "quick"


@dataclass(frozen=True)
class Table:
    """One row an outcome: its success, its time, and what it says of every factor."""

    rows: tuple[dict[str, str], ...]
    success: NDArray[np.float64]
    at_ns: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def days(self) -> NDArray[np.int64]:
        """Return the day of every row."""
        return self.at_ns // NS_PER_DAY

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Return every condition that occurs, in a fixed order."""
        pairs = {pair for row in self.rows for pair in row.items()}
        return tuple(Condition(*pair) for pair in sorted(pairs))

    @cached_property
    def _columns(self) -> dict[str, NDArray[np.str_]]:
        factors = {c.factor for c in self.conditions}
        return {factor: np.array([row.get(factor, "") for row in self.rows]) for factor in factors}

    def indicators(self, conditions: Sequence[Condition]) -> NDArray[np.float64]:
        """Say for every row (down) which of the conditions (across) hold."""
        found = np.zeros((len(self), len(conditions)))
        for at, condition in enumerate(conditions):
            if condition.factor in self._columns:
                found[:, at] = self._columns[condition.factor] == condition.level
        return found

    @property
    def counts(self) -> tuple[int, int]:
        """Successes and rows."""
        return int(self.success.sum()), len(self)


def tabulate(outcomes: Sequence[Outcome], slow_ms: float | None = None) -> Table:
    """Lay outcomes out: of each its stratum, site, robot and judge, and whether it answered slowly."""
    return Table(
        rows=tuple(_levels(o, slow_ms) for o in outcomes),
        success=np.array([o.succeeded for o in outcomes], dtype=np.float64),
        at_ns=np.array([o.at_ns for o in outcomes], dtype=np.int64),
    )


def slow_limit_ms(baseline: Sequence[Outcome], quantile: float) -> float | None:
    """The answer time that this share of the baseline stayed under; None where it was not logged."""
    logged = [o.latency_ms for o in baseline if o.latency_ms is not None]
    return float(np.quantile(logged, quantile)) if logged else None


def _levels(outcome: Outcome, slow_ms: float | None) -> dict[str, str]:
    levels = {"site": outcome.site, "robot": outcome.robot, "judged_by": outcome.judged_by, **outcome.stratum.levels}
    if slow_ms is not None and outcome.latency_ms is not None:
        levels["latency"] = SLOW if outcome.latency_ms > slow_ms else QUICK
    return {factor: level for factor, level in levels.items() if level}
