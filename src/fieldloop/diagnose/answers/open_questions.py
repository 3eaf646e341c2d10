"""What the data leave open, and what to log, vary or verify to answer it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fieldloop.diagnose.answers.missing_conditions import missing_conditions
from fieldloop.diagnose.answers.to_log import why_no_chain, worth_logging
from fieldloop.diagnose.causes import Causes
from fieldloop.diagnose.explanations.columns import COVERABLE
from fieldloop.diagnose.explanations.confounded import confounded_numbers
from fieldloop.diagnose.explanations.explanation import Explanation, Kind
from fieldloop.diagnose.explanations.faults import exceeds
from fieldloop.diagnose.inference.split import Split
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.attempts import settle
from fieldloop.model.condition import Condition
from fieldloop.model.diagnosis import Gap
from fieldloop.model.note import Note, note

OPEN = (Gap.UNKNOWN, Gap.TIMING, Gap.LABELS)
"""Where part of a loss is attributed to one of these, a fault of the data that was not measured may be behind it."""


def open_questions(inquiry: Inquiry, named: Causes, low: float, split: Split) -> Iterator[Note]:
    """State what stays open of a loss that is at least this large."""
    if low <= 0.0:
        yield note("diagnose.whole_may_not_have_dropped")
    yield from _no_sure_cause(inquiry, named, split)
    yield from _vague_causes(named)
    unassigned = float(inquiry.before.success.mean() - inquiry.after.success.mean() - named.shares.lost)
    negligible = inquiry.settings.number("negligible_loss")
    if unassigned > negligible:
        yield note("diagnose.unassigned", unassigned_points=100.0 * unassigned)
    yield from _always_together(named)
    yield from _uncertain_ranking_note(named)
    for explanation in _risks(inquiry, named):
        if explanation.measurement is not None:
            fact = explanation.measurement
        else:
            fact = _compare_with_elsewhere(inquiry, explanation)
        yield replace(fact, details=(*fact.details, note("diagnose.risk")))
    if unassigned > negligible or any(c.gap in OPEN for c in named.causes):
        yield from _missing_measurement_notes(inquiry)
    if inquiry.evidence.demonstrations is None:
        yield note("diagnose.release_unknown")
    yield from missing_conditions(inquiry)
    if not any(c.gap is not Gap.UNKNOWN for c in named.causes):
        yield from _log_conditions(inquiry, nothing_explains=_nothing_explains(inquiry, named, split))
    yield from _contested_attempts_note(inquiry)
    yield from _map_differs(inquiry)
    days = len(np.unique(inquiry.after.days))
    if days < inquiry.settings.number("min_days"):
        yield note("diagnose.few_days", days=days)


def _nothing_explains(inquiry: Inquiry, named: Causes, split: Split) -> bool:
    """Is there no logged condition or number with a part in the loss, and no large part under unseen conditions?"""
    placed = any(c.stratum for c in (*named.causes, *named.vague))
    return not placed and split.share(split.unseen) <= inquiry.settings.number("explaining_share")


def _was_never_shown(explanation: Explanation) -> bool:
    condition = explanation.kind is Kind.CONDITION and explanation.gap in COVERABLE
    return condition and bool(explanation.never_covered) and not explanation.inside.all()


def _risks(inquiry: Inquiry, named: Causes) -> Iterator[Explanation]:
    """Yield what no outcome supports; without a known cause also every condition that was never demonstrated."""
    yield from named.risks
    if all(c.gap is Gap.UNKNOWN for c in (*named.causes, *named.vague)):
        listed = {risk.stratum for risk in named.risks}
        yield from (one for one in inquiry.sets.explanations if _was_never_shown(one) and one.stratum not in listed)


def _vague_causes(named: Causes) -> Iterator[Note]:
    """State causes whose share may be nothing or all of the loss, and what to do about a number of unknown meaning."""
    for cause in named.vague:
        where = str(cause.stratum) if cause.stratum else None
        yield note("diagnose.share_not_known", cause=cause.gap.value, where=where, low=cause.low, high=cause.high)


def _no_sure_cause(inquiry: Inquiry, named: Causes, split: Split) -> Iterator[Note]:
    surely = inquiry.settings.number("surely")
    if named.known >= surely:
        return
    suspects = [number.note for number in confounded_numbers(inquiry)]
    yield from suspects
    if named.wrong < surely:
        yield note("diagnose.too_unlikely", probability=named.known)
    elif not suspects and _nothing_explains(inquiry, named, split):
        yield note("diagnose.nothing_logged_explains")
    elif not suspects and not any(c.stratum for c in (*named.causes, *named.vague)):
        yield note("diagnose.lost_in_all_conditions", unseen=split.share(split.unseen))


def _log_conditions(inquiry: Inquiry, *, nothing_explains: bool) -> Iterator[Note]:
    if names := worth_logging(inquiry):
        yield note("diagnose.log_conditions" if nothing_explains else "diagnose.log_conditions_too", names=names)


def questions_without_a_cause(inquiry: Inquiry, low: float, split: Split) -> Iterator[Note]:
    """State what is worth knowing although no cause is named: what was never demonstrated, what was measured wrong."""
    negligible = inquiry.settings.number("negligible_loss")
    loss = float(inquiry.before.success.mean() - inquiry.after.success.mean())
    beyond_mix = loss - max(split.mix, 0.0)
    if low > 0.0 and split.kinds.mostly_mix:
        yield note("diagnose.beyond_the_mix", left_points=100.0 * max(beyond_mix, 0.0), loss_points=100.0 * loss)
    elif low > 0.0:
        yield note("diagnose.no_cause_explains", low_points=100.0 * low)
        yield from (number.note for number in confounded_numbers(inquiry))
    yield from missing_conditions(inquiry)
    if low > 0.0 and beyond_mix > negligible:
        unseen = split.share(split.unseen)
        yield from _log_conditions(inquiry, nothing_explains=unseen <= inquiry.settings.number("explaining_share"))
    for explanation in inquiry.sets.explanations:
        if _was_never_shown(explanation):
            yield _compare_with_elsewhere(inquiry, explanation)
        if explanation.measured and explanation.kind is Kind.FAULT and explanation.measurement is not None:
            fault = explanation.measurement
            yield replace(fault, details=(*fault.details, note("diagnose.baseline_lost_by_it_too")))
    if beyond_mix > negligible:
        yield from _missing_measurement_notes(inquiry)
    yield from _contested_attempts_note(inquiry)


def _compare_with_elsewhere(inquiry: Inquiry, explanation: Explanation) -> Note:
    """State how little of it was demonstrated, and how often it succeeds there and elsewhere."""
    inside = explanation.inside
    here, elsewhere = (float(inquiry.after.success[rows].mean()) for rows in (inside, ~inside))
    never = explanation.never_covered
    code = "diagnose.hardly_demonstrated_there" if never else "diagnose.demonstrated_too_little_there"
    if explanation.gap is Gap.SIM_TO_REAL:
        code = "diagnose.only_simulated_there"
    where, share = str(explanation.stratum), float(inside.mean())
    return note(code, where=where, share=share, here=here, elsewhere=elsewhere)


def _contested_attempts_note(inquiry: Inquiry) -> Iterator[Note]:
    contested = len(settle(inquiry.evidence.after)[1])
    if contested:
        yield note("diagnose.evenly_contested", attempts=contested)


def _always_together(named: Causes) -> Iterator[Note]:
    for cause in named.causes:
        if cause.group and cause.stratum:
            places = [(cause.stratum, ""), *cause.rivals]
            parts = tuple(note("diagnose.place_since", where=str(where), since=day) for where, day in places)
            yield note("diagnose.always_together", places=parts)


def _uncertain_ranking_note(named: Causes) -> Iterator[Note]:
    order = list(dict.fromkeys(c.gap for c in named.causes))
    if len(order) > 1 and named.shares.gaps[order[0]][1] < named.shares.gaps[order[1]][2]:
        yield note("diagnose.order_uncertain", first=order[0].value, second=order[1].value)


def _missing_measurement_notes(inquiry: Inquiry) -> Iterator[Note]:
    """Ask for measurements that would confirm or exclude a fault of the data."""
    limit = inquiry.settings.number("max_lag_ms")
    lags = inquiry.evidence.lags
    if not lags:
        yield note("diagnose.lag_not_measured")
    elif any(max(abs(lag.low_ms), abs(lag.high_ms)) > limit and not exceeds(lag, limit) for lag in lags):
        yield note("diagnose.lag_uncertain", limit_ms=limit)
    if not inquiry.evidence.agreements:
        yield note("diagnose.agreement_not_measured")
    yield from why_no_chain(inquiry)


def _map_differs(inquiry: Inquiry) -> Iterator[Note]:
    """Conditions that the deployment map does not list, or whose share it states far from the observed one."""
    claimed: dict[Condition, float] = {}
    for exposure in inquiry.evidence.exposures:
        for condition in exposure.stratum.conditions:
            claimed[condition] = claimed.get(condition, 0.0) + exposure.share
    factors = {c.factor for c in claimed}
    off = inquiry.settings.number("share_off")
    for condition in inquiry.after.conditions:
        if condition.factor not in factors:
            continue
        logged = inquiry.after.logs(condition.factor).sum()  # rows that lack it are not evidence
        share = inquiry.after.count(condition) / logged
        if abs(share - claimed.get(condition, 0.0)) <= off:
            continue
        if condition in claimed:
            yield note("diagnose.map_states_otherwise", where=str(condition), share=share, claimed=claimed[condition])
        else:
            yield note("diagnose.map_lacks_it", where=str(condition), share=share)
