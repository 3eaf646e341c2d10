"""Causes as they are told: with what they cost, and with fixes that fit what is known already."""

from collections.abc import Iterator
from dataclasses import replace

from fieldloop.diagnose.apart import apart
from fieldloop.diagnose.causes import Causes
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.numerals import listed
from fieldloop.model.diagnosis import Cause, Gap

JUDGES = "Settle with those who judge what counts as success, and let them judge a sample together again."
"""Several judged the same attempts already: another one would not end their dispute."""


def as_told(inquiry: Inquiry, named: Causes) -> Iterator[Cause]:
    """Finish each cause."""
    disputed = inquiry.judges is not None and inquiry.judges.disagree(
        inquiry.settings.number("min_kappa"), inquiry.settings.number("min_slice_episodes")
    )
    moved = [one.name for one in apart(inquiry)]
    for cause in named.causes:
        told = _costed(cause, named)
        if cause.gap is Gap.SIM_TO_REAL and cause.never_covered is False:
            told = replace(told, never_covered=None)  # covered in simulation: nothing has changed since
        if disputed and cause.evidence.startswith("Judges of the same"):
            told = replace(told, fix=JUDGES)
        if cause.gap is Gap.UNKNOWN and not cause.stratum and cause.since_ns is None and moved:
            told = replace(told, fix=f"Compare with {listed(moved)} as before, and log more, before collecting.")
        yield told


def _costed(cause: Cause, named: Causes) -> Cause:
    """Its part of what its gap costs is its part of what its gap holds of the loss."""
    whole = named.shares.gaps[cause.gap][0]
    part = cause.share / whole if whole > 0.0 else 0.0
    cost, low, high = (part * one for one in named.shares.costs[cause.gap])
    return replace(cause, cost=cost, cost_low=low, cost_high=high)
