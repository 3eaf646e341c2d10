"""Attempts as arrays: success, day, conditions and numbers of telemetry."""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.inference.columns import Codes, pair_codes
from fieldloop.model.attempts import Key, get_attempt_key, settle_attempts
from fieldloop.model.condition import Condition
from fieldloop.model.days import get_local_day, get_local_days
from fieldloop.model.outcome_columns import OutcomeColumns, Texts
from fieldloop.model.policy import Outcome

Floats = NDArray[np.float64]
Counted = NDArray[np.int64]

MOST_CODES = 2**40
"""Codes of several factors are numbered anew before they exceed this."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The level of each row in one factor: 0 where the row does not log it, else its place among the names, from 1."""

    codes: Codes
    names: tuple[str, ...]

    @cached_property
    def place(self) -> dict[str, int]:
        """Return the code of each level."""
        return {name: at for at, name in enumerate(self.names, 1)}

    @cached_property
    def counts(self) -> Counted:
        """Return the number of rows with each code."""
        return np.bincount(self.codes, minlength=len(self.names) + 1)


@dataclass(frozen=True)
class Table:
    """One row an attempt; where several people judged it the majority decides, and ties are left out."""

    outcomes: Sequence[Outcome]
    levels: Mapping[str, Levels]
    """Level of every row by factor, in the order of their names; at least one row logs each."""
    site: Levels
    success: Floats
    at_ns: Counted
    days: Counted
    """Local day at the site, as a calendar ordinal."""
    numbers: Mapping[str, Floats]
    """Every number of telemetry by name, NaN where it was not logged."""
    logs_steps: bool = True
    """Can outcomes have steps? A table of columns has none."""

    def __len__(self) -> int:
        return len(self.success)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Return every condition that occurs, in a fixed order."""
        return tuple(Condition(factor, name) for factor in sorted(self.levels) for name in self.levels[factor].names)

    @cached_property
    def factors(self) -> dict[str, list[Condition]]:
        """Return every factor with its levels."""
        levels: dict[str, list[Condition]] = {}
        for condition in self.conditions:
            levels.setdefault(condition.factor, []).append(condition)
        return levels

    def row(self, at: int) -> dict[str, str]:
        """Return the levels of one row by factor."""
        coded = ((factor, level, int(level.codes[at])) for factor, level in self.levels.items())
        return {factor: level.names[code - 1] for factor, level, code in coded if code}

    def holds(self, condition: Condition) -> NDArray[np.bool_]:
        """Mark the rows under a condition."""
        level = self.levels.get(condition.factor)
        code = level.place.get(condition.level) if level is not None else None
        if level is None or code is None:
            return np.zeros(len(self), dtype=bool)
        return np.asarray(level.codes == code)

    def count(self, condition: Condition) -> int:
        """Count the rows under a condition."""
        level = self.levels.get(condition.factor)
        return int(level.counts[level.place[condition.level]]) if level and condition.level in level.place else 0

    def count_together(self, conditions: Sequence[Condition]) -> Counted:
        """Count the rows under each pair of conditions (down and across)."""
        made = np.zeros((len(conditions), len(conditions)), dtype=np.int64)
        factors = {factor: [at for at, c in enumerate(conditions) if c.factor == factor] for factor in self.levels}
        for factor, mine in factors.items():
            for other, theirs in factors.items():
                if factor <= other:
                    first, second = self.levels[factor], self.levels[other]
                    wide = len(second.names) + 1
                    table = np.bincount(
                        pair_codes(first.codes, second.codes, wide), minlength=(len(first.names) + 1) * wide
                    ).reshape(-1, wide)
                    down = [first.place.get(conditions[at].level, -1) for at in mine]
                    across = [second.place.get(conditions[at].level, -1) for at in theirs]
                    made[np.ix_(mine, theirs)] = table[np.ix_(down, across)]
                    made[np.ix_(theirs, mine)] = made[np.ix_(mine, theirs)].T
        return made

    def logs(self, factor: str) -> NDArray[np.bool_]:
        """Mark the rows that log a factor."""
        return np.asarray(self.levels[factor].codes > 0) if factor in self.levels else np.zeros(len(self), dtype=bool)

    def indicators(self, conditions: Sequence[Condition]) -> Floats:
        """Return for every row (down) which of the conditions (across) hold."""
        made = np.zeros((len(self), len(conditions)), order="F")
        for at, condition in enumerate(conditions):
            made[:, at] = self.holds(condition)
        return made

    @cached_property
    def different_rows(self) -> tuple[Counted, Counted]:
        """Return the first row under each combination of conditions, and the combination of each row."""
        codes, count = np.zeros(len(self), dtype=np.int64), 1
        for level in self.levels.values():
            if count > MOST_CODES:
                codes = np.unique(codes, return_inverse=True)[1].ravel()
                count = len(self)
            codes, count = pair_codes(codes, level.codes, len(level.names) + 1), count * (len(level.names) + 1)
        _, first, where = np.unique(codes, return_index=True, return_inverse=True)
        return first, where.ravel()

    @cached_property
    def clusters(self) -> Counted:
        """Number the days of each site: attempts of one day share more than their conditions."""
        if not len(self):
            return np.empty(0, np.int64)
        first = int(self.days.min())
        codes = pair_codes(self.site.codes, self.days - first, int(self.days.max()) - first + 1)
        return np.unique(codes, return_inverse=True)[1].ravel().astype(np.int64)

    @property
    def counts(self) -> tuple[int, int]:
        """Return successes and rows."""
        return round(self.success.sum()), len(self)


def tabulate(
    outcomes: Sequence[Outcome], time_zones: Mapping[str, str] | None = None, codes: frozenset[str] = frozenset()
) -> Table:
    """Arrange outcomes, one row an attempt, with stratum, site, robot and judge.

    A day is local to its site (IANA zone by site, UTC where none is given). `codes` are facts that are codes of a
    level, not sizes.
    """
    zones = time_zones or {}
    if isinstance(outcomes, OutcomeColumns) and not outcomes.names_attempts:
        return _tabulate_columns(outcomes.take(outcomes.known), zones, codes)
    kept = settle_attempts(outcomes)[0]
    judges: dict[Key, set[str]] = {}
    for outcome in outcomes:
        if (key := get_attempt_key(outcome)) is not None:
            judges.setdefault(key, set()).add(outcome.judged_by)
    alone = [len(judges.get(get_attempt_key(o) or ("", "", "", ""), ())) <= 1 for o in kept]
    rows = (_levels(o, codes, alone=one) for o, one in zip(kept, alone, strict=True))
    days = [get_local_day(o.at_ns, zones.get(o.site, "UTC")) for o in kept]
    return Table(
        outcomes=tuple(kept),
        levels=_code_levels(rows, len(kept)),
        site=_code_levels(({"site": o.site} for o in kept), len(kept)).get("site", Levels(np.empty(0, np.uint8), ())),
        success=np.array([bool(o.succeeded) for o in kept], dtype=np.float64),
        at_ns=np.array([o.at_ns for o in kept], dtype=np.int64),
        days=np.array(days, dtype=np.int64),
        numbers=_numbers(kept, codes),
    )


def _tabulate_columns(outcomes: OutcomeColumns, zones: Mapping[str, str], codes: frozenset[str]) -> Table:
    """Arrange columns of which each row is an attempt with a known result."""
    texts = {name: outcomes.texts[name] for name in ("site", "robot", "judged_by")}
    levels = {name: _code_texts(column) for name, column in texts.items()}
    levels |= {name: _code_numbers(outcomes.facts[name]) for name in codes if name in outcomes.facts}
    for name, column in outcomes.conditions.items():
        stated = _code_texts(column)
        levels[name] = _replace_stated(levels[name], stated) if name in texts else stated
    numbers = {name: values for name, values in outcomes.facts.items() if name not in codes}
    numbers |= {"latency_ms": outcomes.numbers["latency_ms"]}
    return Table(
        outcomes=outcomes,
        levels={name: level for name, level in sorted(levels.items()) if level.names},
        site=Levels(texts["site"].codes, texts["site"].names),
        success=outcomes.succeeded.astype(np.float64),
        at_ns=outcomes.at_ns,
        days=_local_days(outcomes, zones),
        numbers={name: values for name, values in numbers.items() if np.isfinite(values).any()},
        logs_steps=False,
    )


def _code_texts(column: Texts) -> Levels:
    """Code the texts that occur; an empty one is not a level."""
    seen = [code for code in np.unique(column.codes).tolist() if column.names[code]]
    names = list(dict.fromkeys(column.names[code] for code in seen))
    place = {name: at for at, name in enumerate(names, 1)}
    number = np.zeros(max(len(column.names), 1), dtype=np.int64)
    number[seen] = [place[column.names[code]] for code in seen]
    return sort_levels(number[column.codes], names)


def _code_numbers(values: Floats) -> Levels:
    different, where = np.unique(values, return_inverse=True)
    names = tuple(f"{value:g}" if np.isfinite(value) else "" for value in different.tolist())
    return _code_texts(Texts(where.ravel(), names))


def _replace_stated(levels: Levels, stated: Levels) -> Levels:
    """Return the levels that conditions state, and the others where they state none."""
    names = (*levels.names, *stated.names)
    codes = np.where(stated.codes > 0, stated.codes.astype(np.int64) + len(levels.names), levels.codes)
    return _code_texts(Texts(codes, ("", *names)))


def _local_days(outcomes: OutcomeColumns, zones: Mapping[str, str]) -> Counted:
    """Return each row's local day at its site."""
    site, days = outcomes.texts["site"], np.zeros(len(outcomes), dtype=np.int64)
    for zone in {zones.get(name, "UTC") for name in site.names}:
        here = site.mark(name for name in site.names if zones.get(name, "UTC") == zone)
        days[here] = get_local_days(outcomes.at_ns[here], zone)
    return days


def _levels(outcome: Outcome, codes: frozenset[str], *, alone: bool) -> dict[str, str]:
    """Return the levels of a row; the judge is one of them only where one person judged."""
    coded = {name: f"{value:g}" for name, value in outcome.facts if name in codes}
    judge = outcome.judged_by if alone else ""
    levels = {**coded, "site": outcome.site, "robot": outcome.robot, "judged_by": judge, **outcome.stratum.levels}
    return {factor: level for factor, level in levels.items() if level}


def _code_levels(rows: Iterable[Mapping[str, str]], count: int) -> dict[str, Levels]:
    """Code the levels of every factor, in the order of their names."""
    seen: dict[str, dict[str, int]] = {}
    codes: dict[str, array[int]] = {}
    for at, row in enumerate(rows):
        for factor, level in row.items():
            if factor not in seen:
                seen[factor], codes[factor] = {}, array("i", bytes(4 * count))
            codes[factor][at] = seen[factor].setdefault(level, len(seen[factor]) + 1)
    return {factor: sort_levels(np.array(codes[factor]), list(seen[factor])) for factor in sorted(seen)}


def sort_levels(codes: Codes, names: Sequence[str]) -> Levels:
    """Number levels by their names; codes count from 1, and 0 means no level."""
    order = sorted(range(len(names)), key=lambda at: names[at])
    number = np.zeros(len(names) + 1, dtype=np.uint8 if len(names) < 2**8 else np.uint32)
    number[np.array(order, dtype=np.int64) + 1] = np.arange(1, len(names) + 1)
    return Levels(number[codes], tuple(names[at] for at in order))


def _numbers(outcomes: Sequence[Outcome], codes: frozenset[str]) -> dict[str, Floats]:
    by_name: dict[str, Floats] = {}
    for at, outcome in enumerate(outcomes):
        logged = dict(outcome.facts)
        if outcome.latency_ms is not None:
            logged["latency_ms"] = outcome.latency_ms
        for name, value in logged.items():
            if math.isfinite(value) and name not in codes:
                if name not in by_name:
                    by_name[name] = np.full(len(outcomes), np.nan)
                by_name[name][at] = value
    return by_name
