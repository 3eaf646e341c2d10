"""What cannot be told from what there is, and what to log, vary or verify to be able to."""

from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.apart import apart
from fieldloop.diagnose.beliefs import COVERABLE
from fieldloop.diagnose.causes import Causes
from fieldloop.diagnose.explanation import Explanation, Kind
from fieldloop.diagnose.faults import beyond
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.numerals import percent, several
from fieldloop.diagnose.split import Split
from fieldloop.diagnose.to_log import chains, worth_logging
from fieldloop.diagnose.unsaid import unsaid
from fieldloop.model.attempts import settled
from fieldloop.model.condition import Condition
from fieldloop.model.diagnosis import Gap

OPEN = (Gap.UNKNOWN, Gap.TIMING, Gap.LABELS)
"""Where part of a loss is laid to one of these, a fault of the data that nobody measured may be behind it."""


def open_questions(inquiry: Inquiry, named: Causes, low: float) -> Iterator[str]:
    """Say what stays open, of a loss that is at least this large."""
    if low <= 0.0:
        yield "The loss as a whole may be none, because the rest went better: watch what is named here."
    surely = inquiry.settings.number("surely")
    if named.known < surely:
        suspects = [one.words for one in apart(inquiry)]
        yield from suspects
        if named.wrong < surely:
            yield f"That something known is wrong is {percent(named.known)} probable; record more outcomes."
        elif not suspects:
            yield "Something is wrong, but nothing that is logged or measured explains it."
    nobodys = inquiry.before.success.mean() - inquiry.after.success.mean() - named.shares.lost
    negligible = inquiry.settings.number("negligible_loss")
    if nobodys > negligible:
        yield (
            f"{100 * nobodys:.1f} points of the loss are nobody's: what another mix, another pace or conditions hard "
            "for any policy may ordinarily cost is laid to no cause."
        )
    yield from _rivals(named)
    yield from _ranking(named)
    yield from (f"{_compared(inquiry, one)} A risk, and no cause so far." for one in named.risks)
    if nobodys > negligible or any(c.gap in OPEN for c in named.causes):
        yield from _unmeasured(inquiry)
    if inquiry.evidence.demonstrations is None:
        yield "Nobody said what was demonstrated, so never-covered and changed cannot be told apart; name the release."
    yield from unsaid(inquiry)
    if not any(c.gap is not Gap.UNKNOWN for c in named.causes):
        yield from _silent(inquiry)
    yield from _contested(inquiry)
    yield from _not_as_claimed(inquiry)
    days = len(np.unique(inquiry.after.days))
    if days < inquiry.settings.number("min_days"):
        yield f"Production spans {days} days; how much days differ is not known, and intervals are too narrow."


def _silent(inquiry: Inquiry) -> Iterator[str]:
    if names := worth_logging(inquiry):
        yield f"No condition that is logged explains the loss; log {', '.join(names)}."


def without_a_cause(inquiry: Inquiry, low: float, split: Split) -> Iterator[str]:
    """Say what is worth knowing although no cause is named: what was never demonstrated, what was measured wrong."""
    negligible = inquiry.settings.number("negligible_loss")
    loss = float(inquiry.before.success.mean() - inquiry.after.success.mean())
    beyond_mix = loss - max(split.mix, 0.0)
    if low > 0.0 and split.kinds.mostly_mix:
        left = f"{100 * max(beyond_mix, 0.0):.1f} of {100 * loss:.1f} points are left"
        yield f"Beyond a harder mix {left}, no more than another pace or harder days may ordinarily cost."
    elif low > 0.0:
        yield (
            f"Success fell by {100 * low:.1f} points at least, and no cause that was looked at explains it better than "
            "another pace or harder days would."
        )
        yield from (one.words for one in apart(inquiry))
    yield from unsaid(inquiry)
    if low > 0.0 and beyond_mix > negligible:
        yield from _silent(inquiry)
    for one in inquiry.sets.options:
        inside = one.inside
        if one.kind is Kind.CONDITION and one.gap in COVERABLE and one.never_covered and not inside.all():
            yield _compared(inquiry, one)
        if one.measured and one.kind is Kind.FAULT:
            yield f"{one.words} The baseline may have lost by it already: compare with a release without it."
    if beyond_mix > negligible:
        yield from _unmeasured(inquiry)
    yield from _contested(inquiry)


def _compared(inquiry: Inquiry, one: Explanation) -> str:
    """What was believed of it beforehand, and how it went there and elsewhere."""
    inside = one.inside
    here, elsewhere = inquiry.after.success[inside].mean(), inquiry.after.success[~inside].mean()
    lacked = "was hardly ever demonstrated" if one.never_covered else "was demonstrated less than it occurs"
    if one.gap is Gap.SIM_TO_REAL:
        lacked = "was demonstrated in simulation only"
    return (
        f"{one.stratum} {lacked} and is {percent(float(inside.mean()))} of production: {percent(here)} succeed there, "
        f"{percent(elsewhere)} elsewhere."
    )


def _contested(inquiry: Inquiry) -> Iterator[str]:
    contested = len(settled(inquiry.evidence.after)[1])
    if contested:
        yield (
            f"The judges of {several(contested, 'attempt')} contradict each other evenly, so that nobody knows how "
            "these ended; settle the standard."
        )


def _rivals(named: Causes) -> Iterator[str]:
    for cause in named.causes:
        if cause.group and cause.stratum:
            alike = ", ".join([str(cause.stratum), *(f"{one}{since}" for one, since in cause.rivals)])
            yield f"{alike} go together; vary one without the others to tell them apart."


def _ranking(named: Causes) -> Iterator[str]:
    gaps_ = list(dict.fromkeys(c.gap for c in named.causes))
    if len(gaps_) > 1 and named.shares.gaps[gaps_[0]][1] < named.shares.gaps[gaps_[1]][2]:
        yield f"The intervals of {gaps_[0].value} and {gaps_[1].value} overlap: which is larger cannot be told yet."


def _unmeasured(inquiry: Inquiry) -> Iterator[str]:
    """Ask for what would confirm or exclude a fault of the data."""
    limit = inquiry.settings.number("max_lag_ms")
    lags = inquiry.evidence.lags
    if not lags:
        yield "Nobody measured the lag of pictures behind joints in the release; verify time from content."
    elif any(max(abs(lag.low_ms), abs(lag.high_ms)) > limit and not beyond(lag, limit) for lag in lags):
        yield f"Some lags may or may not exceed {limit:.0f} ms; verify time from content on more episodes."
    if not inquiry.evidence.agreements:
        yield "Nobody measured how far annotators of the release agree; let two label the same episodes."
    yield from chains(inquiry)


def _not_as_claimed(inquiry: Inquiry) -> Iterator[str]:
    """Conditions that the deployment map does not know, or gives a share far from the one they have."""
    claimed: dict[Condition, float] = {}
    for exposure in inquiry.evidence.exposures:
        for condition in exposure.stratum.conditions:
            claimed[condition] = claimed.get(condition, 0.0) + exposure.share
    factors = {c.factor for c in claimed}
    off = inquiry.settings.number("share_off")
    for condition in inquiry.after.conditions:
        if condition.factor not in factors:
            continue
        telling = sum(condition.factor in row for row in inquiry.after.rows)  # who is silent is no evidence
        share = float(inquiry.after.indicators([condition]).sum()) / telling
        if abs(share - claimed.get(condition, 0.0)) > off:
            said = f"says {percent(claimed[condition])}" if condition in claimed else "does not know it"
            yield f"{condition} is {percent(share)} of production, the map {said}; `fieldloop audit compare` tests it."
