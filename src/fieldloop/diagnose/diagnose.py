"""Diagnose a loss: is it real, what is it made of, which conditions carry it, and what would close it."""

import math
from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.causes import Causes, name_causes
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.failures import explain_failures
from fieldloop.diagnose.inquiry import Inquiry, inquire
from fieldloop.diagnose.open_questions import open_questions, without_a_loss
from fieldloop.diagnose.real import bounds, missing, without_loss
from fieldloop.diagnose.wording import of_mix
from fieldloop.model.attempts import settled
from fieldloop.model.diagnosis import Diagnosis, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.protocol import Section


def diagnose(evidence: Evidence, settings: Section, ids: Ids, at_ns: int, rng: np.random.Generator) -> Diagnosis:
    """Explain a loss: FAILED where it is real and a cause is named, PASSED where there is none, else what to log.

    A slice may clearly lose while the whole may not have: causes are named then, and the verdict is that nobody can
    tell.
    """
    absent = missing(*(len(settled(side)[0]) for side in (evidence.before, evidence.after)))
    if absent:
        return _nothing(evidence, settings, ids, at_ns, absent)
    inquiry = inquire(evidence, settings, rng)
    named = name_causes(inquiry, rng) if inquiry.real else None
    status, reasons = _verdict(inquiry, named)
    before, after = (float(table.success.mean()) for table in (inquiry.before, inquiry.after))
    split = named.attribution.split if named else None
    low, high = named.attribution.loss[1:] if named else bounds(inquiry.before.counts, inquiry.after.counts, settings)
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
        slices=tuple(_slices(inquiry)) if named else (),
        failures=explain_failures(inquiry) if named else (),
        loss_low=low,
        loss_high=high,
    )


def _verdict(inquiry: Inquiry, named: Causes | None) -> tuple[Status, tuple[str, ...]]:
    if named is None:
        status, reasons = without_loss(inquiry.before.counts, inquiry.after.counts, inquiry.settings)
        return status, (*reasons, *map(of_mix, inquiry.harder), *without_a_loss(inquiry))
    known = any(c.gap is not Gap.UNKNOWN for c in named.causes)
    clear = named.attribution.loss[1] > 0.0
    return (Status.FAILED if known and clear else Status.CANNOT_TELL), tuple(open_questions(inquiry, named))


def _slices(inquiry: Inquiry) -> Iterator[LostSlice]:
    for part in inquiry.components:
        inside = part.found.candidate.inside
        expected, observed = inquiry.search.expected[inside].mean(), inquiry.after.success[inside].mean()
        yield LostSlice(part.stratum, int(inside.sum()), float(observed), float(expected), part.found.chance)


def _nothing(evidence: Evidence, settings: Section, ids: Ids, at_ns: int, absent: str) -> Diagnosis:
    rates = [
        float(np.mean([o.succeeded for o in side])) if side else math.nan for side in (evidence.before, evidence.after)
    ]
    return Diagnosis(
        ids.new("diagnosis"), evidence.policy, evidence.site, Status.CANNOT_TELL, rates[0], rates[1], math.nan,
        0.0, 0.0, 0.0, (), len(evidence.after), at_ns, settings.fingerprint, (absent,),
    )  # fmt: skip
