"""Diagnose a loss: is it real, what is it made of, which conditions carry it, and what would close it."""

import math
from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.causes import Causes, name_causes, probabilities
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.failures import explain_failures
from fieldloop.diagnose.inquiry import Inquiry, inquire
from fieldloop.diagnose.open_questions import open_questions, without_a_loss
from fieldloop.diagnose.real import bounds, missing, without_loss
from fieldloop.diagnose.split import divide
from fieldloop.model.attempts import settled
from fieldloop.model.diagnosis import Diagnosis, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.protocol import Section


def diagnose(evidence: Evidence, settings: Section, ids: Ids, at_ns: int, rng: np.random.Generator) -> Diagnosis:
    """Explain a loss: FAILED where a known fault is probable, PASSED where there is no loss, else what to log."""
    absent = missing(*(len(settled(side)[0]) for side in (evidence.before, evidence.after)))
    if absent:
        return _nothing(evidence, settings, ids, at_ns, absent)
    inquiry = inquire(evidence, settings)
    found = name_causes(inquiry, rng) if inquiry.best.members else None
    named = found if found is not None and found.wrong >= settings.number("probably") else None
    status, reasons = _verdict(inquiry, named)
    before, after = (float(table.success.mean()) for table in (inquiry.before, inquiry.after))
    split = divide(inquiry.after.success, inquiry.expected, inquiry.unseen.astype(bool), before) if named else None
    low, high = bounds(inquiry.before.counts, inquiry.after.counts, settings)
    return Diagnosis(
        id=ids.new("diagnosis"),
        policy=evidence.policy,
        site=evidence.site,
        status=status,
        baseline=before,
        observed=after,
        loss=before - after,
        mix_share=split.share(split.mix) if split else 0.0,
        mechanism_share=split.share(split.mechanism) if split else 0.0,
        unseen_share=split.share(split.unseen) if split else 0.0,
        causes=named.causes if named else (),
        episodes=len(inquiry.after),
        made_ns=at_ns,
        operations=settings.fingerprint,
        cannot_tell=reasons,
        slices=tuple(_slices(inquiry, named)) if named else (),
        failures=explain_failures(inquiry) if named else (),
        loss_low=low,
        loss_high=high,
    )


def _verdict(inquiry: Inquiry, named: Causes | None) -> tuple[Status, tuple[str, ...]]:
    if named is None:
        status, reasons = without_loss(inquiry.before.counts, inquiry.after.counts, inquiry.settings)
        return status, (*reasons, *without_a_loss(inquiry))
    settings = inquiry.settings
    sure = named.known >= settings.number("surely") and any(c.gap is not Gap.UNKNOWN for c in named.causes)
    # a belief alone is no finding: the whole must have lost, or the outcomes themselves speak for what is named
    seen = bounds(inquiry.before.counts, inquiry.after.counts, settings)[0] > 0.0
    seen = seen or inquiry.gained > 0.0
    return (Status.FAILED if sure and seen else Status.CANNOT_TELL), tuple(open_questions(inquiry, named))


def _slices(inquiry: Inquiry, named: Causes) -> Iterator[LostSlice]:
    for member, probability in probabilities(inquiry, named.window).items():
        one = inquiry.sets.options[member]
        if one.kind in (Kind.FAULT, Kind.EVERYWHERE):
            continue
        expected, observed = inquiry.expected[one.inside].mean(), inquiry.after.success[one.inside].mean()
        yield LostSlice(one.stratum, int(one.inside.sum()), float(observed), float(expected), 1.0 - probability)


def _nothing(evidence: Evidence, settings: Section, ids: Ids, at_ns: int, absent: str) -> Diagnosis:
    rates = [
        float(np.mean([o.succeeded for o in side])) if side else math.nan for side in (evidence.before, evidence.after)
    ]
    return Diagnosis(
        ids.new("diagnosis"), evidence.policy, evidence.site, Status.CANNOT_TELL, rates[0], rates[1], math.nan,
        0.0, 0.0, 0.0, (), len(evidence.after), at_ns, settings.fingerprint, (absent,),
    )  # fmt: skip
