"""Completes each cause: what it costs, and a fix that fits what is already known."""

from collections.abc import Iterator
from dataclasses import replace

from fieldloop.diagnose.causes import Causes
from fieldloop.diagnose.explanations.confounded import confounded_numbers
from fieldloop.diagnose.explanations.judges import JUDGES_DISAGREE
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.diagnosis import Cause, Gap
from fieldloop.model.note import note


def complete_causes(inquiry: Inquiry, named: Causes) -> Iterator[Cause]:
    """Add cost and the final fix to each cause.

    Where several people judged the same attempts and disagree, one more judge would not help: they must first agree on
    a standard.
    """
    moved = tuple(number.name for number in confounded_numbers(inquiry))
    for cause in named.causes:
        completed = _with_cost(cause, named)
        if cause.gap is Gap.SIM_TO_REAL and cause.never_covered is False:
            completed = replace(completed, never_covered=None)  # covered in simulation: nothing has changed since
        if cause.evidence.code == JUDGES_DISAGREE:
            completed = replace(completed, fix=note("diagnose.fix_judges"))
        if cause.gap is Gap.UNKNOWN and not cause.stratum and cause.since_ns is None and moved:
            completed = replace(completed, fix=note("diagnose.fix_compare", names=moved))
        yield completed


def _with_cost(cause: Cause, named: Causes) -> Cause:
    """Its part of what its gap costs is its part of its gap's share of the loss."""
    whole = named.shares.gaps[cause.gap][0]
    part = cause.share / whole if whole > 0.0 else 0.0
    cost, low, high = (part * bound for bound in named.shares.costs[cause.gap])
    return replace(cause, cost=cost, cost_low=low, cost_high=high)
