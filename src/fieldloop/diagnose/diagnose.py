"""Diagnose a loss: is it real, what is it made of, which conditions cause it, and what would fix it."""

import math
from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.answers.cause_notes import complete_causes
from fieldloop.diagnose.answers.open_questions import open_questions, questions_without_a_cause
from fieldloop.diagnose.causes import Causes, name_causes
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.explanations.mix import shifted_conditions
from fieldloop.diagnose.failures import explain_failures
from fieldloop.diagnose.inference.real_drop import bounds, judge_without_loss, missing_side_note, nothing_works_note
from fieldloop.diagnose.inference.split import Split, divide
from fieldloop.diagnose.inquiry import Inquiry, inquire
from fieldloop.model.attempts import settle
from fieldloop.model.diagnosis import Diagnosis, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.note import Note
from fieldloop.protocol import Section


def diagnose(evidence: Evidence, settings: Section, ids: Ids, at_ns: int, rng: np.random.Generator) -> Diagnosis:
    """Explain a loss: FAILED where a known fault is probable, PASSED where nothing was lost, else what to log."""
    sides = [settle(side)[0] for side in (evidence.before, evidence.after)]
    absent = missing_side_note(*map(len, sides))
    if absent:
        rates = [float(np.mean([bool(o.succeeded) for o in side])) if side else math.nan for side in sides]
        return Diagnosis(
            ids.new("diagnosis"), evidence.policy, evidence.site, Status.CANNOT_TELL, rates[0], rates[1], math.nan,
            0.0, 0.0, 0.0, (), len(sides[1]), at_ns, settings.fingerprint, (absent,),
        )  # fmt: skip
    inquiry = inquire(evidence, settings)
    possible_causes = name_causes(inquiry, rng) if inquiry.best.members else None
    low, high = bounds(inquiry.before, inquiry.after, inquiry.sets.inherent.day_spread, settings)
    named = possible_causes if possible_causes is not None and _has_lost(inquiry, possible_causes, low) else None
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
        causes=tuple(complete_causes(inquiry, named)) if named else (),
        columns=tuple(inquiry.columns.known.values()),
        episodes=len(inquiry.after),
        made_ns=at_ns,
        operations=settings.fingerprint,
        cannot_tell=reasons,
        slices=tuple(_lost_slices(inquiry, named)) if named else (),
        failures=explain_failures(inquiry) if status is not Status.PASSED else (),
        loss_low=low,
        loss_high=high,
        kinds=split.kinds,
        shifted=shifted_conditions(inquiry),
    )


def _verdict(inquiry: Inquiry, named: Causes | None, low: float, split: Split) -> tuple[Status, tuple[Note, ...]]:
    if named is None:
        if nothing := nothing_works_note(inquiry.before, inquiry.after):
            return Status.CANNOT_TELL, (nothing,)
        remarks = tuple(questions_without_a_cause(inquiry, low, split))
        if low > inquiry.settings.number("negligible_loss"):
            return Status.CANNOT_TELL, remarks
        status, reasons = judge_without_loss(
            inquiry.before, inquiry.after, inquiry.sets.inherent.day_spread, inquiry.settings
        )
        return status, (*(reasons if low <= 0.0 else ()), *remarks)
    settings = inquiry.settings
    found = any(c.gap is not Gap.UNKNOWN and c.low > 0.0 for c in named.causes)
    sure = named.known >= settings.number("surely") and found
    return (Status.FAILED if sure else Status.CANNOT_TELL), tuple(open_questions(inquiry, named, low, split))


def _has_lost(inquiry: Inquiry, possible_causes: Causes, low: float) -> bool:
    """Is something probably wrong, and did it cost anything? A prior alone is a risk, not a finding.

    Either success as a whole has clearly dropped, or outcomes support the causes, the more clearly the less they cost:
    other conditions may have become easier meanwhile.
    """
    settings, cost = inquiry.settings, possible_causes.shares.fell
    asked = 0.0 if cost > settings.number("negligible_loss") else settings.number("clear_gain")
    hidden = inquiry.log_bayes_factor > asked and cost > settings.number("least_loss")
    return possible_causes.wrong >= settings.number("probably") and (low > 0.0 or hidden)


def _lost_slices(inquiry: Inquiry, named: Causes) -> Iterator[LostSlice]:
    for member, probability in named.sure.items():
        explanation = inquiry.sets.explanations[member]
        if not explanation.where or explanation.kind in (Kind.FAULT, Kind.EVERYWHERE):
            continue
        expected, observed = (
            inquiry.expected[explanation.inside].mean(),
            inquiry.after.success[explanation.inside].mean(),
        )
        if observed < expected:
            doubt = max(0.0, 1.0 - probability)
            yield LostSlice(explanation.stratum, int(explanation.inside.sum()), float(observed), float(expected), doubt)
