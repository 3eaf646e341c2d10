"""Levels at which production never succeeds, by name: look there before spending a budget on them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.model.note import Note, note
from fieldloop.plan.bought import Bought
from fieldloop.plan.failure import compute_total_failure
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.strata import Floats

MOST_NAMED = 4  # levels that a plan names; the rest are counted


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a factor: its share, results of production and operators, and what the plan gives it."""

    name: str
    share: float
    attempts: int
    failures: int
    managed: int
    learnt: int
    tries: int
    gets: int


def note_levels_that_always_failed(gain: Gain, bought: Bought) -> Iterator[Note]:
    """Name levels that failed in every attempt, or nearly, and what the plan gives them; the largest first."""
    levels: list[tuple[_Level, Note]] = []
    for factor in gain.table.factors:
        levels += _find_levels_that_always_failed(gain, bought, factor)
    ranked = sorted(levels, key=lambda pair: (-pair[0].share, pair[0].name))
    yield from (fact for _, fact in ranked[:MOST_NAMED])
    if (more := len(ranked) - MOST_NAMED) > 0:
        yield note("plan.more_levels_failed", more=more)


def _find_levels_that_always_failed(gain: Gain, bought: Bought, factor: str) -> Iterator[tuple[_Level, Note]]:
    table, settings = gain.table, gain.settings
    at = table.factors.index(factor)
    levels, codes = table.levels[at], table.codes[:, at]

    def sum_by_level(column: Floats) -> Floats:
        return np.bincount(codes, column, len(levels)).astype(np.float64)

    tried, failed = sum_by_level(table.attempts), sum_by_level(table.failures)
    columns = (table.demonstrations, table.learnt, table.tried, bought.real + bought.simulated)
    managed, learnt, tries, gets = map(sum_by_level, columns)
    share, total = sum_by_level(table.exposure), compute_total_failure(tried, failed, settings)
    enough, others = settings.number("shrinkage_attempts"), tried.sum() - tried
    usual = np.where(others > 0.0, (failed.sum() - failed) / np.maximum(others, 1.0), 1.0)
    by_chance = usual**tried
    # as in the fit: only factors that can be impossible, and only where several strata share them
    doubted = factor not in settings["learnable_factors"] and any(
        part.reach is Reach.LEVEL and part.factors == (factor,) for part in gain.parts
    )
    for code in np.flatnonzero((tried >= enough) & (share > 0.0) & (others > 0.0)).tolist():
        if not code:  # strata without this factor
            continue
        counts = (int(column[code]) for column in (tried, failed, managed, learnt, tries, gets))
        level = _Level(f"{factor}={levels[code]}", float(share[code]), *counts)
        if (
            doubted
            and total[code] > settings.number("total_failure_named")
            and level.managed <= settings.number("total_failure_refuted")
        ):
            yield level, _note_out_of_reach(level)
        elif level.failures == level.attempts and by_chance[code] <= 1.0 - settings.number("always_failed_confidence"):
            yield level, _note_possibly_broken(level)


def _note_out_of_reach(level: _Level) -> Note:
    if level.managed:
        known = note("plan.hardly_managed", managed=level.managed)
    elif level.tries:
        known = note("plan.never_managed", tries=level.tries)
    else:
        known = note("plan.never_tried_by_people")
    gets = note("plan.gets_to_find_out", gets=level.gets) if level.gets else note("plan.gets_none")
    return _note_failures(level, known, gets)


def _note_possibly_broken(level: _Level) -> Note:
    gets = note("plan.gets", gets=level.gets) if level.gets else note("plan.gets_none")
    if not level.managed:
        return _note_failures(level, note("plan.maybe_broken"), gets)
    if not level.learnt:
        return _note_failures(level, note("plan.waiting_to_be_learnt", demonstrations=level.managed), gets)
    return _note_failures(level, note("plan.maybe_broken_though_learnt", demonstrations=level.learnt), gets)


def _note_failures(level: _Level, *details: Note) -> Note:
    code = "plan.always_failed" if level.failures == level.attempts else "plan.nearly_always_failed"
    return note(code, *details, level=level.name, failures=level.failures, attempts=level.attempts)
