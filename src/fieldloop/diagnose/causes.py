"""Names causes from the most probable set: each with its share of the loss, interval, evidence and fix."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.answers.evidence_notes import evidence_of
from fieldloop.diagnose.explanations import gaps
from fieldloop.diagnose.explanations.explanation import Explanation, Kind
from fieldloop.diagnose.explanations.indistinguishable import group_by_same_rows, same_rows, similarity
from fieldloop.diagnose.inference.sets import FittedSet
from fieldloop.diagnose.inference.shares import Interval, Shares, shares
from fieldloop.diagnose.inference.support import supported_by_outcomes
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.diagnosis import Cause, Gap
from fieldloop.model.note import note

MOST_RIVALS = 5
"""Conditions that cannot be separated are named in one sentence; more would make it unreadable."""


@dataclass(frozen=True)
class Causes:
    """Causes, the gap with the largest share first, and the probability that any, or any known, cause is at work."""

    causes: tuple[Cause, ...]
    window: tuple[tuple[FittedSet, float], ...]
    shares: Shares
    wrong: float
    known: float
    sure: Mapping[int, float]
    """Posterior probability of each named member of the best set."""
    risks: tuple[Explanation, ...] = ()
    """Explanations with a high prior that no outcome supports."""
    vague: tuple[Cause, ...] = ()
    """Causes whose share may be nothing or all: no findings."""


def name_causes(inquiry: Inquiry, rng: np.random.Generator) -> Causes | None:
    """Name the members of the most probable set, with shares averaged over all sets; None where none is supported."""
    sets = inquiry.sets
    window = sets.window(inquiry.best)
    loss = float(inquiry.before.success.mean() - inquiry.after.success.mean())
    named = _supported_members(inquiry)
    if not named:
        return None
    unsupported = set(inquiry.best.members) - {m for same in named.values() for m in same}
    gap_of: dict[int, Gap | None] = {at: None for one in unsupported for at in sets.equivalent(one)}
    gap_of |= {at: sets.explanations[one].gap for one in named for at in same_rows(sets, one)}
    made = shares(sets, window, loss, rng, gap_of)
    gaps_of = [
        (weight, {gap_of.get(m, sets.explanations[m].gap) for m in one.members} - {None}) for one, weight in window
    ]
    wrong = sum(weight for weight, set_gaps in gaps_of if set_gaps)
    known = sum(weight for weight, set_gaps in gaps_of if set_gaps - {Gap.UNKNOWN})
    sure = {member: _probability(inquiry, member, window) for member in named}
    causes = [_cause(inquiry, one, made.of(same, sets.explanations[one].gap), sure[one]) for one, same in named.items()]
    risks = tuple(sets.explanations[m] for m in sorted(unsupported))
    widest = inquiry.settings.number("widest_share")
    vague = tuple(c for c in causes if c.gap is not Gap.UNKNOWN and c.high - c.low > widest)
    clear = _sort_by_gap_share([c for c in causes if c.share > 0.0 and c not in vague])
    return Causes(clear, tuple(window), made, wrong, known, sure, risks, vague)


def _supported_members(inquiry: Inquiry) -> dict[int, tuple[int, ...]]:
    """Return members of the best set that outcomes support, each with those that have the same rows."""
    groups = group_by_same_rows(inquiry.sets, inquiry.best)
    return {one: same for one, same in groups.items() if supported_by_outcomes(inquiry, same)}


def _probability(inquiry: Inquiry, member: int, window: Sequence[tuple[FittedSet, float]]) -> float:
    """Sum the sets that contain it, another cut of its number or day of its condition, or what has the same rows."""
    alike = inquiry.sets.equivalent(member) | same_rows(inquiry.sets, member)
    return float(sum(weight for one, weight in window if alike & set(one.members)))


def _cause(inquiry: Inquiry, member: int, part: Interval, probability: float) -> Cause:
    explanation = inquiry.sets.explanations[member]
    share, low, high = part
    fix = gaps.fix(explanation.gap, explanation.where, never_covered=explanation.never_covered)
    if explanation.kind is Kind.DAY and explanation.since is not None:
        fix = note("diagnose.fix_find_the_change", day=str(explanation.since.day))
    if not inquiry.after.success[explanation.inside].any():
        fix = note("diagnose.fix_try_by_hand", fix)
    if explanation.kind is Kind.GROWTH:
        fix = note("diagnose.fix_decline")
    if explanation.gap is Gap.UNKNOWN and explanation.kind in (Kind.STEP, Kind.RISE):
        fix = note("diagnose.fix_state_role", name=explanation.stratum.conditions[0].factor)
    rivals = _rivals(inquiry, member)
    return Cause(
        explanation.gap, share, max(0.0, low), min(1.0, high), explanation.where, explanation.never_covered,
        evidence_of(inquiry, explanation, probability), fix,
        group=tuple(rival.stratum for rival in rivals), since_ns=explanation.since.at_ns if explanation.since else None,
        episodes=int(explanation.inside.sum()), since_day=_day(explanation), group_days=tuple(map(_day, rivals)),
    )  # fmt: skip


def _day(explanation: Explanation) -> str:
    return explanation.since.day.isoformat() if explanation.since else ""


def _rivals(inquiry: Inquiry, member: int) -> tuple[Explanation, ...]:
    """Find conditions and numbers of other factors with the same rows: the data cannot separate them."""
    explanations, chosen = inquiry.sets.explanations, inquiry.sets.explanations[member]
    if chosen.kind in (Kind.FAULT, Kind.EVERYWHERE, Kind.DAY, Kind.GROWTH):
        return ()
    alike = similarity(inquiry.sets, member)
    kept: list[Explanation] = []
    factors = {c.factor for c in chosen.stratum.conditions}
    for at in np.argsort(-alike, kind="stable").tolist():
        if alike[at] < inquiry.settings.number("confounded_overlap") or len(kept) == MOST_RIVALS:
            break
        if not _is_rival(explanations[at], chosen) or factors & {c.factor for c in explanations[at].stratum.conditions}:
            continue
        kept.append(explanations[at])
        factors |= {c.factor for c in explanations[at].stratum.conditions}
    return tuple(kept)


def _is_rival(candidate: Explanation, chosen: Explanation) -> bool:
    """Is it another explanation? A number of the same gap, as lux for light, is not."""
    if candidate.kind in (Kind.CONDITION, Kind.LATER):
        return True
    return candidate.kind in (Kind.STEP, Kind.RISE) and candidate.gap is not chosen.gap


def _sort_by_gap_share(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """Sort by gap, the one with the largest share first, the unknown last."""
    total = {gap: sum(c.share for c in causes if c.gap is gap) for gap in Gap}
    return tuple(sorted(causes, key=lambda c: (c.gap is Gap.UNKNOWN, -total[c.gap], c.gap, -c.share)))
