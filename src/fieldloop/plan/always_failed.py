"""Levels at which production never succeeds, by name: somebody should look before a budget is spent there."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.plan.bought import Bought
from fieldloop.plan.failure import total_failure
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.strata import Floats

MOST_SAID = 4
MOSTLY = 0.5
"""A failure that counts as total by more than half is said to."""


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a factor: how much it is, how production and operators fared, and what the plan gives it."""

    name: str
    share: float
    attempts: int
    failures: int
    managed: int
    learnt: int
    tries: int
    gets: int


def always_failed(gain: Gain, bought: Bought) -> Iterator[str]:
    """Say which levels failed in every attempt, or as good as, and how the plan takes it; the largest first."""
    found: list[tuple[float, str]] = []
    for factor in gain.table.factors:
        found += _of_factor(gain, bought, factor)
    ranked = sorted(found, key=lambda pair: (-pair[0], pair[1]))
    yield from (text for _, text in ranked[:MOST_SAID])
    if (more := len(ranked) - MOST_SAID) > 0:
        yield f"{more} more {'level' if more == 1 else 'levels'} never succeeded in production either."


def _of_factor(gain: Gain, bought: Bought, factor: str) -> Iterator[tuple[float, str]]:
    table, settings = gain.table, gain.settings
    at = table.factors.index(factor)
    levels, codes = table.levels[at], table.codes[:, at]

    def summed(column: Floats) -> Floats:
        return np.bincount(codes, column, len(levels)).astype(np.float64)

    tried, failed = summed(table.attempts), summed(table.failures)
    columns = (table.demonstrations, table.learnt, table.tried, bought.real + bought.simulated)
    managed, learnt, tries, gets = map(summed, columns)
    share, total = summed(table.exposure), total_failure(tried, failed, settings)
    enough, others = settings.number("shrinkage_attempts"), tried.sum() - tried
    usual = np.where(others > 0.0, (failed.sum() - failed) / np.maximum(others, 1.0), 1.0)
    by_chance = usual**tried
    # as the fit takes it: things and hands, where strata share them
    doubted = factor in settings["impossible_factors"] and any(
        part.reach is Reach.LEVEL and part.factors == (factor,) for part in gain.parts
    )
    for code in np.flatnonzero((tried >= enough) & (share > 0.0) & (others > 0.0)).tolist():
        if not code:  # strata that do not speak of this factor
            continue
        counts = (int(column[code]) for column in (tried, failed, managed, learnt, tries, gets))
        level = _Level(f"{factor}={levels[code]}", float(share[code]), *counts)
        if doubted and total[code] > MOSTLY and level.managed <= settings.number("total_failure_refuted"):
            yield level.share, _out_of_reach(level)
        elif level.failures == level.attempts and by_chance[code] <= 1.0 - settings.number("always_failed_confidence"):
            yield level.share, _broken(level)


def _out_of_reach(level: _Level) -> str:
    if level.managed:
        known = f"only {level.managed} good demonstrations show that it can be done: taken as partly out of reach"
    elif level.tries:
        known = f"operators managed none of {level.tries} tries: taken as mostly out of reach"
    else:
        known = "nobody has shown that it can be done: taken as mostly out of reach"
    gets = f"it gets {level.gets} to find out" if level.gets else "it gets none"
    ask = "" if level.managed or level.tries else " Let a person try."
    return f"{_failed(level)}, and {known}, {gets}.{ask}"


def _broken(level: _Level) -> str:
    if not level.managed:
        return f"{_failed(level)}: is something broken there? It is planned for as new and gets {level.gets or 'none'}."
    if not level.learnt:
        wait = f"the {level.managed} demonstrations of it are not learnt yet"
        return f"{_failed(level)}, and {wait}. It gets {level.gets or 'none'} more."
    shown = f"although {level.learnt} demonstrations of it were learnt"
    return f"{_failed(level)} {shown}: is something broken there? It gets {level.gets or 'none'} more."


def _failed(level: _Level) -> str:
    count = "all" if level.failures == level.attempts else f"{level.failures} of"
    return f"{level.name} failed in {count} {level.attempts} attempts"
