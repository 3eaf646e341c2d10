"""Is a member of the best set supported by outcomes, or only by its prior?

The prior of a condition that was never demonstrated is so high that it may be in the best set although it has not lost.
That is a risk, not a cause.
"""

from collections.abc import Collection

import numpy as np

from fieldloop.diagnose.explanations.dose import log_odds_of_points
from fieldloop.diagnose.explanations.explanation import Explanation, Kind
from fieldloop.diagnose.explanations.judges import JUDGES_DISAGREE
from fieldloop.diagnose.inference.columns import Floats
from fieldloop.diagnose.inference.expectation import log_odds, logistic
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section


def supported_by_outcomes(inquiry: Inquiry, members: Collection[int]) -> bool:
    """Has the best set more evidence with them than without, or do their rows lose clearly more than the others?

    A fault of the data must gain evidence clearly, unless one of its size is costly wherever it was tried: that it was
    measured does not show that it costs anything. What else holds everywhere has no rows to compare with and counts as
    supported.
    """
    settings, explanations = inquiry.settings, [inquiry.sets.explanations[m] for m in members]
    inside = np.any([one.inside for one in explanations], axis=0)
    rest = tuple(m for m in inquiry.best.members if m not in members)
    faults = [one for one in explanations if one.kind is Kind.FAULT]
    if faults:
        costly = any(_is_costly_at_its_size(one, settings) for one in faults)
        gained = inquiry.best.fit.evidence - inquiry.sets.evidence(rest)
        return gained > (0.0 if costly else settings.number("fault_gain"))
    if (~inside).sum() < settings.number("min_slice_episodes"):
        return True
    if inquiry.best.fit.evidence > inquiry.sets.evidence(rest):
        return True
    left = inquiry.after.success - _predicted_rates(inquiry, rest)
    difference = left[~inside].mean() - left[inside].mean()
    error = np.sqrt(sum(left[side].var() / side.sum() for side in (inside, ~inside)))
    return bool(difference > settings.number("worse_errors") * error)


def _is_costly_at_its_size(fault: Explanation, settings: Section) -> bool:
    """Did a measured lag, or annotators this far apart, cost more than a negligible loss in the ablation?"""
    judged = fault.measurement is not None and fault.measurement.code == JUDGES_DISAGREE
    if not fault.measured or judged or fault.gap not in (Gap.TIMING, Gap.LABELS):
        return False
    return fault.loss.mean >= log_odds_of_points(100.0 * settings.number("negligible_loss"), settings)


def _predicted_rates(inquiry: Inquiry, members: Collection[int]) -> Floats:
    """Return the success that the baseline predicts, less the effect of these members."""
    sets, best = inquiry.sets, inquiry.best
    known = dict(zip(best.members, best.fit.coefficients[len(sets.inherent.mean) :].tolist(), strict=True))
    columns = list(members)
    rows = sets.take(columns).among(sets.inherent.production).unpack()
    effect = rows * np.array([known[m] for m in columns])
    multiplicative = sets.multiplicative[columns]
    rates = logistic(log_odds(inquiry.expected) + effect[:, ~multiplicative].sum(axis=1))
    return np.asarray(rates * np.exp(effect[:, multiplicative].sum(axis=1)))
