"""One inquiry: everything that was looked at before causes are named."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.beliefs import COVERABLE
from fieldloop.diagnose.chain import Chain, chain_of, ordinary_answers
from fieldloop.diagnose.changed import of_times
from fieldloop.diagnose.codes import codes
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.expectation import Expectation, expect
from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.faults import of_faults
from fieldloop.diagnose.judges import Judges, compare
from fieldloop.diagnose.lacking import of_conditions
from fieldloop.diagnose.nature import nature_of
from fieldloop.diagnose.numbers import of_numbers
from fieldloop.diagnose.sets import Sets, Told
from fieldloop.diagnose.spread import day_spread
from fieldloop.diagnose.table import Floats, Table, tabulate
from fieldloop.diagnose.unseen import unseen_rows
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section


@dataclass(frozen=True)
class Inquiry:
    """Tables, what the baseline lets expect, the sets of explanations that were met, and the best of them."""

    evidence: Evidence
    before: Table
    after: Table
    settings: Section
    expected: Floats
    sets: Sets
    best: Told
    chain: Chain | None
    judges: Judges | None

    @property
    def gained(self) -> float:
        """By how much the outcomes alone speak for the best set, whatever was believed beforehand (log-odds)."""
        believed = float(self.sets.prior[list(self.best.members)].sum())
        return self.best.score - believed - self.sets.nothing.score

    @cached_property
    def unseen(self) -> Floats:
        """Rows under conditions that were hardly ever demonstrated."""
        return unseen_rows(self.after, self.evidence.demonstrations, self.settings)


def inquire(evidence: Evidence, settings: Section) -> Inquiry:
    """Look at everything once."""
    coded = codes((*evidence.before, *evidence.after), settings)
    before, after = (tabulate(side, evidence.time_zones, coded) for side in (evidence.before, evidence.after))
    shown = evidence.demonstrations
    known: Expectation = expect(before, settings.number("expectation_penalty"))
    expected = known.rates(known.design(after))
    ordinary = ordinary_answers(before, after, settings.number("usual_quantile"), settings.number("slow_answers"))
    chain = chain_of(before, after, ordinary, settings)
    judges = compare(evidence.after)
    options = [
        *of_faults(evidence, before, after, chain, judges, settings),
        *of_conditions(before, after, shown, settings),
        *of_numbers(before, after, shown, settings),
        *of_times(before, after, shown, settings),
    ]
    edges = {
        o.stratum.conditions[0]
        for o in options
        if o.kind is Kind.CONDITION and o.gap is Gap.EDGE_CASES and o.log_odds > 0
    }
    extra = _slight(before, after, shown)
    spread = day_spread(after, expected, settings.number("most_day_spread"))
    nature = nature_of(before, after, edges, extra, spread, settings)
    sets = Sets(nature, options, settings)
    return Inquiry(evidence, before, after, settings, expected, sets, sets.best(), chain, judges)


def _slight(before: Table, after: Table, shown: Demonstrations | None) -> Floats:
    """What makes any attempt a little harder: an item that nothing showed, cold or heat, dark or glare."""
    from scipy.stats import rankdata

    outcomes = (*before.outcomes, *after.outcomes)
    columns = []
    if shown is not None and shown.items:
        columns.append(np.array([float(bool(o.item) and o.item not in shown.items) for o in outcomes]))
    for name, values in after.numbers.items():
        if gaps.of_factor(name) in COVERABLE and name in before.numbers:
            both = np.append(before.numbers[name], values)
            told, place = np.isfinite(both), np.zeros(len(both))
            place[told] = rankdata(both[told]) / max(told.sum(), 1) - 0.5
            columns += [np.maximum(sign * place, 0.0) * 2.0 for sign in (1.0, -1.0)]
    return np.column_stack(columns) if columns else np.zeros((len(outcomes), 0))
