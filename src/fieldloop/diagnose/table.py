"""Outcomes as arrays: who succeeded, on which day, under which conditions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Condition
from fieldloop.model.policy import Outcome
from fieldloop.model.stream import NS_PER_S

SLOW, QUICK = "slow", "quick"


@dataclass(frozen=True)
class Table:
    """One row an outcome: its success, its time, its local day (counted), and what it says of every factor."""

    rows: tuple[dict[str, str], ...]
    success: NDArray[np.float64]
    at_ns: NDArray[np.int64]
    days: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

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


def tabulate(
    outcomes: Sequence[Outcome], slow_ms: float | None = None, time_zones: Mapping[str, str] | None = None
) -> Table:
    """Lay outcomes out: of each its stratum, site, robot and judge, and whether it answered slowly.

    A day is local to its site (IANA zone by site, UTC where none is given).
    """
    zones = {site: ZoneInfo(name) for site, name in (time_zones or {}).items()}
    days = [datetime.fromtimestamp(o.at_ns // NS_PER_S, zones.get(o.site, UTC)).toordinal() for o in outcomes]
    return Table(
        rows=tuple(_levels(o, slow_ms) for o in outcomes),
        success=np.array([o.succeeded for o in outcomes], dtype=np.float64),
        at_ns=np.array([o.at_ns for o in outcomes], dtype=np.int64),
        days=np.array(days, dtype=np.int64),
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
