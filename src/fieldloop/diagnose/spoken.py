"""Do outcomes speak for a member of the best set, or is it there because it was believed beforehand?

What was never demonstrated is likely to lose, and so likely that it stands in the best set although nothing shows that
it has lost. That is a risk, no cause.
"""

from collections.abc import Collection

import numpy as np

from fieldloop.diagnose.expectation import log_odds, logistic
from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.table import Floats


def spoken_for(inquiry: Inquiry, members: Collection[int]) -> bool:
    """Is the best set better with them than without, or do their rows lose clearly more than the others?

    What holds everywhere, or is a fault of the data, has nothing to be held against.
    """
    settings, options = inquiry.settings, [inquiry.sets.options[m] for m in members]
    inside = np.any([one.inside for one in options], axis=0)
    if (~inside).sum() < settings.number("min_slice_episodes") or any(one.kind is Kind.FAULT for one in options):
        return True
    rest = tuple(m for m in inquiry.best.members if m not in members)
    if inquiry.best.fitted.evidence > inquiry.sets.evidence(rest):
        return True
    left = inquiry.after.success - _rates(inquiry, rest)
    apart = left[~inside].mean() - left[inside].mean()
    error = np.sqrt(sum(left[side].var() / side.sum() for side in (inside, ~inside)))
    return bool(apart > settings.number("worse_errors") * error)


def _rates(inquiry: Inquiry, members: Collection[int]) -> Floats:
    """What the baseline lets expect, less what these members take off."""
    sets, best = inquiry.sets, inquiry.best
    known = dict(zip(best.members, best.fitted.coefficients[len(sets.nature.mean) :].tolist(), strict=True))
    own = list(members)
    pull = sets.matrix[sets.nature.production][:, own] * np.array([known[m] for m in own])
    apart = sets.apart[own]
    steep = logistic(log_odds(inquiry.expected) + pull[:, ~apart].sum(axis=1))
    return np.asarray(steep * np.exp(pull[:, apart].sum(axis=1)))
