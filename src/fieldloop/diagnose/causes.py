"""From the most probable set to causes: each with its share of the loss, its interval, its evidence and its fix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.explanation import Explanation, Kind
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.sets import Told
from fieldloop.diagnose.shares import Shares, shares
from fieldloop.diagnose.wording import of_explanation
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Cause, Gap

MOST_RIVALS = 5
"""Conditions that cannot be told apart are named in one sentence, which more would make unreadable."""


@dataclass(frozen=True)
class Causes:
    """Causes, the gap with the largest share first, and how sure it is that anything, or anything known, is wrong."""

    causes: tuple[Cause, ...]
    window: tuple[tuple[Told, float], ...]
    shares: Shares
    wrong: float
    known: float


def name_causes(inquiry: Inquiry, rng: np.random.Generator) -> Causes:
    """Name the members of the most probable set, their shares averaged over all that count."""
    sets = inquiry.sets
    window = sets.window(inquiry.best)
    loss = float(inquiry.before.success.mean() - inquiry.after.success.mean())
    made = shares(sets, window, loss, rng)
    wrong = sum(weight for one, weight in window if one.members)
    known = sum(w for one, w in window if any(sets.options[m].gap is not Gap.UNKNOWN for m in one.members))
    causes = [_cause(inquiry, member, made, _probability(inquiry, member, window)) for member in inquiry.best.members]
    return Causes(_sorted([c for c in causes if c.share > 0.0]), tuple(window), made, wrong, known)


def probabilities(inquiry: Inquiry, window: Sequence[tuple[Told, float]]) -> dict[int, float]:
    """How probable each member of the best set is."""
    return {member: _probability(inquiry, member, window) for member in inquiry.best.members}


def _probability(inquiry: Inquiry, member: int, window: Sequence[tuple[Told, float]]) -> float:
    """Sets in which it, another cut of its number or another day of its condition stands."""
    alike = inquiry.sets.alike(member)
    return float(sum(weight for one, weight in window if alike & set(one.members)))


def _cause(inquiry: Inquiry, member: int, made: Shares, probability: float) -> Cause:
    one = inquiry.sets.options[member]
    share, low, high = made.of(member, one.gap)
    fix = gaps.fix(one.gap, one.where, never_covered=one.never_covered)
    if one.kind is Kind.DAY and one.since is not None:
        fix = f"Find out what else changed on {one.since.day}, and log it."
    if not inquiry.after.success[one.inside].any():
        fix = f"Let a person try whether it can be done at all; if so: {fix}"
    return Cause(
        one.gap, share, max(0.0, low), min(1.0, high), one.where, one.never_covered,
        of_explanation(inquiry, one, probability), fix,
        group=_group(inquiry, member), since_ns=one.since.at_ns if one.since else None,
        episodes=int(one.inside.sum()), since_day=one.since.day.isoformat() if one.since else "",
    )  # fmt: skip


def _group(inquiry: Inquiry, member: int) -> tuple[Stratum, ...]:
    """Single conditions, and numbers, of other factors whose rows are the same: the data cannot tell which it is."""
    options, chosen = inquiry.sets.options, inquiry.sets.options[member]
    if chosen.kind in (Kind.FAULT, Kind.EVERYWHERE, Kind.DAY, Kind.GROWTH):
        return ()
    # in production alone: what happened to the baseline there is another question
    columns = inquiry.sets.matrix[inquiry.sets.nature.production]
    columns = columns - columns.mean(axis=0)
    length = np.maximum(np.linalg.norm(columns, axis=0), 1e-9)
    alike = (columns.T @ columns[:, member]) / (length * length[member])
    kept: list[Stratum] = []
    factors = {c.factor for c in chosen.stratum.conditions}
    for at in np.argsort(-alike, kind="stable").tolist():
        if alike[at] < inquiry.settings.number("confounded_overlap") or len(kept) == MOST_RIVALS:
            break
        if not _rival(options[at], chosen) or factors & {c.factor for c in options[at].stratum.conditions}:
            continue
        kept.append(options[at].stratum)
        factors |= {c.factor for c in options[at].stratum.conditions}
    return tuple(kept)


def _rival(one: Explanation, chosen: Explanation) -> bool:
    """A number of the same sort, as lux is of light, says the same and is no other explanation."""
    if one.kind in (Kind.CONDITION, Kind.LATER):
        return True
    return one.kind in (Kind.STEP, Kind.RISE) and one.gap is not chosen.gap


def _sorted(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """The gap with the largest share first; the unknown last."""
    total = {gap: sum(c.share for c in causes if c.gap is gap) for gap in Gap}
    return tuple(sorted(causes, key=lambda c: (c.gap is Gap.UNKNOWN, -total[c.gap], c.gap, -c.share)))
