"""Failure that no demonstration removes: where even operators fail, a policy will too."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.plan.hazards import Reason, fit_hazards
from fieldloop.plan.parts import Part, Reach
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True, eq=False)
class Yield:
    """Per stratum: the share of tries that give a good demonstration, and how much more than usual operators fail."""

    share: Floats
    excess: Floats


def estimate_operator_success(table: Table, parts: Sequence[Part], settings: Section) -> Yield:
    """Pool the success of operators over levels and strata; without counted tries, every demonstration counts as good.

    Only failure above the average counts as a floor: demonstrations are also rejected for reasons that do not concern a
    policy, such as a bad clock, and those occur everywhere.
    """
    rows = np.flatnonzero(table.tried > 0.0)
    if not len(rows):
        return Yield(np.ones(len(table)), np.zeros(len(table)))
    tried, lost = table.tried[rows], (table.tried - table.demonstrations)[rows]
    usual = -np.log1p(-float(lost.sum()) / (float(tried.sum()) + settings.number("shrinkage_attempts")))
    wide = settings.number("floor_spread")
    full = np.ones(len(rows))
    several = [p for p in parts if p.reach is not Reach.PAIR]
    base = Reason(np.zeros(len(rows), dtype=np.intp), full, np.full(1, usual), np.full(1, wide))
    more = [Reason(p.codes[rows], full, np.zeros(p.size), np.full(p.size, wide)) for p in several]
    hazards = fit_hazards([base, *more], tried, lost, settings.number("usual_doubt"))
    excess = np.sum([p.spread_to_strata(size) for size, p in zip(hazards.sizes[1:], several, strict=True)], axis=0)
    return Yield(np.exp(-(hazards.sizes[0][0] + excess)), np.asarray(excess))
