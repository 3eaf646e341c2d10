"""Attempts as arrays: success, day, conditions and numbers of telemetry."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.attempts import Key, get_attempt_key, settle_attempts
from fieldloop.model.condition import Condition
from fieldloop.model.days import get_local_day
from fieldloop.model.policy import Outcome

Floats = NDArray[np.float64]
Counted = NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """One row an attempt; where several people judged it the majority decides, and ties are left out."""

    outcomes: tuple[Outcome, ...]
    rows: tuple[dict[str, str], ...]
    success: Floats
    at_ns: Counted
    days: Counted
    """Local day at the site, as a calendar ordinal."""
    codes: frozenset[str] = frozenset()
    """Facts that are codes of a level, not sizes."""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Return every condition that occurs, in a fixed order."""
        pairs = {pair for row in self.rows for pair in row.items()}
        return tuple(Condition(*pair) for pair in sorted(pairs))

    @cached_property
    def factors(self) -> dict[str, list[Condition]]:
        """Return every factor with its levels."""
        levels: dict[str, list[Condition]] = {}
        for condition in self.conditions:
            levels.setdefault(condition.factor, []).append(condition)
        return levels

    @cached_property
    def _columns(self) -> dict[str, NDArray[np.str_]]:
        return {factor: np.array([row.get(factor, "") for row in self.rows]) for factor in self.factors}

    def indicators(self, conditions: Sequence[Condition]) -> Floats:
        """Return for every row (down) which of the conditions (across) hold."""
        holds = np.zeros((len(self), len(conditions)))
        for at, condition in enumerate(conditions):
            if condition.factor in self._columns:
                holds[:, at] = self._columns[condition.factor] == condition.level
        return holds

    @cached_property
    def numbers(self) -> dict[str, Floats]:
        """Return every number of telemetry by name, NaN where it was not logged."""
        by_name: dict[str, Floats] = {}
        for at, outcome in enumerate(self.outcomes):
            logged = dict(outcome.facts)
            if outcome.latency_ms is not None:
                logged["latency_ms"] = outcome.latency_ms
            for name, value in logged.items():
                if math.isfinite(value) and name not in self.codes:
                    by_name.setdefault(name, np.full(len(self), np.nan))[at] = value
        return by_name

    @cached_property
    def clusters(self) -> Counted:
        """Number the days of each site: attempts of one day share more than their conditions."""
        pairs = [f"{o.site}|{day}" for o, day in zip(self.outcomes, self.days.tolist(), strict=True)]
        return np.unique(pairs, return_inverse=True)[1].ravel().astype(np.int64) if pairs else np.empty(0, np.int64)

    @property
    def counts(self) -> tuple[int, int]:
        """Return successes and rows."""
        return round(self.success.sum()), len(self)


def tabulate(
    outcomes: Sequence[Outcome], time_zones: Mapping[str, str] | None = None, codes: frozenset[str] = frozenset()
) -> Table:
    """Arrange outcomes, one row an attempt, with stratum, site, robot and judge.

    A day is local to its site (IANA zone by site, UTC where none is given).
    """
    zones = time_zones or {}
    kept = settle_attempts(outcomes)[0]
    judges: dict[Key, set[str]] = {}
    for outcome in outcomes:
        if (key := get_attempt_key(outcome)) is not None:
            judges.setdefault(key, set()).add(outcome.judged_by)
    alone = [len(judges.get(get_attempt_key(o) or ("", "", "", ""), ())) <= 1 for o in kept]
    days = [get_local_day(o.at_ns, zones.get(o.site, "UTC")) for o in kept]
    return Table(
        outcomes=tuple(kept),
        rows=tuple(_levels(o, codes, alone=one) for o, one in zip(kept, alone, strict=True)),
        success=np.array([bool(o.succeeded) for o in kept], dtype=np.float64),
        at_ns=np.array([o.at_ns for o in kept], dtype=np.int64),
        days=np.array(days, dtype=np.int64),
        codes=codes,
    )


def _levels(outcome: Outcome, codes: frozenset[str], *, alone: bool) -> dict[str, str]:
    """Return the levels of a row; the judge is one of them only where one person judged."""
    coded = {name: f"{value:g}" for name, value in outcome.facts if name in codes}
    judge = outcome.judged_by if alone else ""
    levels = {**coded, "site": outcome.site, "robot": outcome.robot, "judged_by": judge, **outcome.stratum.levels}
    return {factor: level for factor, level in levels.items() if level}
