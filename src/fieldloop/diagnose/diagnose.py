"""Diagnose a loss: is it real, what is it made of, which conditions carry it, and what would close it."""

import math
from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.causes import Causes, name_causes
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.failures import explain_failures
from fieldloop.diagnose.inquiry import Inquiry, inquire
from fieldloop.diagnose.mix import shifted
from fieldloop.diagnose.open_questions import open_questions, without_a_cause
from fieldloop.diagnose.real import bounds, missing, nothing_works, without_loss
from fieldloop.diagnose.split import Split, divide
from fieldloop.diagnose.told import as_told
from fieldloop.model.attempts import settled
from fieldloop.model.diagnosis import Diagnosis, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.protocol import Section


def diagnose(evidence: Evidence, settings: Section, ids: Ids, at_ns: int, rng: np.random.Generator) -> Diagnosis:
    """Explain a loss: FAILED where a known fault is probable, PASSED where there is no loss, else what to log."""
    sides = [settled(side)[0] for side in (evidence.before, evidence.after)]
    absent = missing(*map(len, sides))
    if absent:
        rates = [float(np.mean([o.succeeded for o in side])) if side else math.nan for side in sides]
        return Diagnosis(
            ids.new("diagnosis"), evidence.policy, evidence.site, Status.CANNOT_TELL, rates[0], rates[1], math.nan,
            0.0, 0.0, 0.0, (), len(sides[1]), at_ns, settings.fingerprint, (absent,),
        )  # fmt: skip
    inquiry = inquire(evidence, settings)
    found = name_causes(inquiry, rng) if inquiry.best.members else None
    low, high = bounds(inquiry.before, inquiry.after, inquiry.sets.nature.day_spread, settings)
    named = found if found is not None and _has_lost(inquiry, found, low) else None
    before, after = (float(table.success.mean()) for table in (inquiry.before, inquiry.after))
    split = divide(inquiry.after.success, inquiry.expected, inquiry.unseen.astype(bool), before)
    status, reasons = _verdict(inquiry, named, low, split)
    return Diagnosis(
        id=ids.new("diagnosis"),
        policy=evidence.policy,
        site=evidence.site,
        status=status,
        baseline=before,
        observed=after,
        loss=before - after,
        mix_share=split.share(split.mix),
        mechanism_share=split.share(split.mechanism),
        unseen_share=split.share(split.unseen),
        causes=tuple(as_told(inquiry, named)) if named else (),
        episodes=len(inquiry.after),
        made_ns=at_ns,
        operations=settings.fingerprint,
        cannot_tell=reasons,
        slices=tuple(_slices(inquiry, named)) if named else (),
        failures=explain_failures(inquiry) if status is not Status.PASSED else (),
        loss_low=low,
        loss_high=high,
        kinds=split.kinds,
        shifted=shifted(inquiry),
    )


def _verdict(inquiry: Inquiry, named: Causes | None, low: float, split: Split) -> tuple[Status, tuple[str, ...]]:
    if named is None:
        if nothing := nothing_works(inquiry.before, inquiry.after):
            return Status.CANNOT_TELL, (nothing,)
        said = tuple(without_a_cause(inquiry, low, split))
        if low > inquiry.settings.number("negligible_loss"):
            return Status.CANNOT_TELL, said
        status, reasons = without_loss(inquiry.before, inquiry.after, inquiry.sets.nature.day_spread, inquiry.settings)
        return status, (*(reasons if low <= 0.0 else ()), *said)
    settings = inquiry.settings
    sure = named.known >= settings.number("surely") and any(c.gap is not Gap.UNKNOWN for c in named.causes)
    return (Status.FAILED if sure else Status.CANNOT_TELL), tuple(open_questions(inquiry, named, low))


def _has_lost(inquiry: Inquiry, found: Causes, low: float) -> bool:
    """Is something probably wrong, and did it cost anything? A belief alone is a risk, no finding.

    Either the whole has clearly lost, or the outcomes speak for what is named, the more clearly the less it costs:
    something else may have got easier meanwhile.
    """
    settings, cost = inquiry.settings, found.shares.fell
    asked = 0.0 if cost > settings.number("negligible_loss") else settings.number("clear_gain")
    hidden = inquiry.gained > asked and cost > settings.number("least_loss")
    return found.wrong >= settings.number("probably") and (low > 0.0 or hidden)


def _slices(inquiry: Inquiry, named: Causes) -> Iterator[LostSlice]:
    for member, probability in named.sure.items():
        one = inquiry.sets.options[member]
        if not one.where or one.kind in (Kind.FAULT, Kind.EVERYWHERE):
            continue
        expected, observed = inquiry.expected[one.inside].mean(), inquiry.after.success[one.inside].mean()
        if observed < expected:
            doubt = max(0.0, 1.0 - probability)
            yield LostSlice(one.stratum, int(one.inside.sum()), float(observed), float(expected), doubt)
