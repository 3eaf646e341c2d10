"""Everything that is computed once, before causes are named."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fieldloop.diagnose.chain import Chain, chain_of, rows_with_usual_latency
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.explanations.changed import time_explanations
from fieldloop.diagnose.explanations.columns import Columns, infer_columns
from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.explanations.explanation import Explanation, Kind
from fieldloop.diagnose.explanations.faults import fault_explanations
from fieldloop.diagnose.explanations.inherent import inherent_difficulty
from fieldloop.diagnose.explanations.judges import Judges, compare
from fieldloop.diagnose.explanations.lacking import condition_explanations
from fieldloop.diagnose.explanations.numbers import number_explanations
from fieldloop.diagnose.inference.coded_levels import find_coded_facts
from fieldloop.diagnose.inference.day_spread import day_spread
from fieldloop.diagnose.inference.expectation import Expectation, expect
from fieldloop.diagnose.inference.sets import FittedSet, Sets
from fieldloop.diagnose.inference.shown_rows import unseen_rows
from fieldloop.diagnose.inference.table import Floats, Table, tabulate
from fieldloop.model.diagnosis import Gap, Role
from fieldloop.model.outcome_columns import mark_texts
from fieldloop.protocol import Section


@dataclass(frozen=True)
class Inquiry:
    """Tables, success as the baseline predicts it, the sets of explanations, and the most probable set."""

    evidence: Evidence
    before: Table
    after: Table
    settings: Section
    expected: Floats
    sets: Sets
    best: FittedSet
    chain: Chain | None
    judges: Judges | None
    columns: Columns

    @property
    def log_bayes_factor(self) -> float:
        """Log evidence of the best set over the empty one, without priors."""
        prior = float(self.sets.prior[list(self.best.members)].sum())
        return self.best.score - prior - self.sets.empty_set.score

    @cached_property
    def unseen(self) -> Floats:
        """Mark rows under conditions that were hardly ever demonstrated."""
        return unseen_rows(self.after, self.evidence.demonstrations, self.settings)


def inquire(evidence: Evidence, settings: Section) -> Inquiry:
    """Compute everything once."""
    coded = find_coded_facts((evidence.before, evidence.after), settings)
    before, after = (tabulate(side, evidence.time_zones, coded) for side in (evidence.before, evidence.after))
    shown = evidence.demonstrations
    known: Expectation = expect(before, settings.number("expectation_penalty"))
    expected = known.rates(after)
    columns = infer_columns(before, after, shown, evidence.roles, settings)
    ordinary = rows_with_usual_latency(
        before, after, columns, settings.number("usual_quantile"), settings.number("slow_answers")
    )
    chain = chain_of(before, after, ordinary, columns, settings)
    judges = compare(evidence.after)
    explanations = [
        *fault_explanations(evidence, before, after, chain, judges, settings),
        *condition_explanations(before, after, shown, columns, settings),
        *number_explanations(before, after, shown, columns, settings),
        *time_explanations(before, after, shown, columns, settings),
    ]
    edges = {
        o.stratum.conditions[0]
        for o in explanations
        if o.kind is Kind.CONDITION and o.gap is not Gap.SIM_TO_REAL and o.log_odds > 0 and _is_thing(o, columns)
    }
    extra = _slight_difficulty_columns(before, after, shown, columns)
    spread = day_spread(after, expected, settings)
    inherent = inherent_difficulty(before, after, edges, columns, extra, spread, settings)
    numbers = {
        name: np.append(before.numbers.get(name, np.full(len(before), np.nan)), values)
        for name, values in after.numbers.items()
    }
    sets = Sets(inherent, explanations, settings, numbers)
    return Inquiry(evidence, before, after, settings, expected, sets, sets.best(), chain, judges, columns)


def _is_thing(explanation: Explanation, columns: Columns) -> bool:
    """Is it a thing or a person at the attempt, and not a place?"""
    return columns.role(explanation.stratum.conditions[0].factor) in (Role.CONDITION, Role.ITEM, Role.PERSON)


def _slight_difficulty_columns(before: Table, after: Table, shown: Demonstrations | None, known: Columns) -> Floats:
    """Return columns that make any attempt a little harder: an unknown item, cold or heat, dark or glare."""
    from scipy.stats import rankdata

    columns = []
    if shown is not None and shown.items:
        familiar = {"", *shown.items}
        new = [mark_texts(side.outcomes, "item", lambda item: item not in familiar) for side in (before, after)]
        columns.append(np.concatenate(new).astype(np.float64))
    for name, values in after.numbers.items():
        if known.role(name) is Role.TELEMETRY and name in before.numbers:
            both = np.append(before.numbers[name], values)
            logged, rank = np.isfinite(both), np.zeros(len(both))
            rank[logged] = rankdata(both[logged]) / max(logged.sum(), 1) - 0.5
            columns += [np.maximum(sign * rank, 0.0) * 2.0 for sign in (1.0, -1.0)]
    return np.column_stack(columns) if columns else np.zeros((len(before) + len(after), 0))
