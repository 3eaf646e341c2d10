"""From the most probable set to causes: each with its share of the loss, its interval, its evidence and its fix."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.explanation import Explanation, Kind
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.sets import Told
from fieldloop.diagnose.shares import Interval, Shares, shares
from fieldloop.diagnose.spoken import spoken_for
from fieldloop.diagnose.twins import distinct, likeness, twins
from fieldloop.diagnose.wording import of_explanation
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
    sure: Mapping[int, float]
    """How probable each named member of the best set is."""
    risks: tuple[Explanation, ...] = ()
    """Believed beforehand, and no outcome speaks for it."""


def name_causes(inquiry: Inquiry, rng: np.random.Generator) -> Causes | None:
    """Name the members of the most probable set, their shares averaged over all that count; None where none is left."""
    sets = inquiry.sets
    window = sets.window(inquiry.best)
    loss = float(inquiry.before.success.mean() - inquiry.after.success.mean())
    named = _spoken(inquiry)
    if not named:
        return None
    silent = set(inquiry.best.members) - {m for same in named.values() for m in same}
    to: dict[int, Gap | None] = {at: None for one in silent for at in sets.alike(one)}
    to |= {at: sets.options[one].gap for one in named for at in twins(sets, one)}
    made = shares(sets, window, loss, rng, to)
    heard = [(weight, {to.get(m, sets.options[m].gap) for m in one.members} - {None}) for one, weight in window]
    wrong = sum(weight for weight, told in heard if told)
    known = sum(weight for weight, told in heard if told - {Gap.UNKNOWN})
    sure = {member: _probability(inquiry, member, window) for member in named}
    causes = [_cause(inquiry, one, made.of(same, sets.options[one].gap), sure[one]) for one, same in named.items()]
    risks = tuple(sets.options[m] for m in sorted(silent))
    return Causes(_sorted([c for c in causes if c.share > 0.0]), tuple(window), made, wrong, known, sure, risks)


def _spoken(inquiry: Inquiry) -> dict[int, tuple[int, ...]]:
    """Members of the best set that outcomes speak for, each with those that have the same rows."""
    found = distinct(inquiry.sets, inquiry.best)
    return {one: same for one, same in found.items() if spoken_for(inquiry, same)}


def _probability(inquiry: Inquiry, member: int, window: Sequence[tuple[Told, float]]) -> float:
    """Sets in which it stands, another cut of its number or day of its condition, or what has the same rows."""
    alike = inquiry.sets.alike(member) | twins(inquiry.sets, member)
    return float(sum(weight for one, weight in window if alike & set(one.members)))


def _cause(inquiry: Inquiry, member: int, part: Interval, probability: float) -> Cause:
    one = inquiry.sets.options[member]
    share, low, high = part
    fix = gaps.fix(one.gap, one.where, never_covered=one.never_covered)
    if one.kind is Kind.DAY and one.since is not None:
        fix = f"Find out what else changed on {one.since.day}, and log it."
    if not inquiry.after.success[one.inside].any():
        fix = f"Let a person try whether it can be done at all; if so: {fix}"
    rivals = _rivals(inquiry, member)
    return Cause(
        one.gap, share, max(0.0, low), min(1.0, high), one.where, one.never_covered,
        of_explanation(inquiry, one, probability), fix,
        group=tuple(rival.stratum for rival in rivals), since_ns=one.since.at_ns if one.since else None,
        episodes=int(one.inside.sum()), since_day=_day(one), group_days=tuple(map(_day, rivals)),
    )  # fmt: skip


def _day(one: Explanation) -> str:
    return one.since.day.isoformat() if one.since else ""


def _rivals(inquiry: Inquiry, member: int) -> tuple[Explanation, ...]:
    """Single conditions, and numbers, of other factors whose rows are the same: the data cannot tell which it is."""
    options, chosen = inquiry.sets.options, inquiry.sets.options[member]
    if chosen.kind in (Kind.FAULT, Kind.EVERYWHERE, Kind.DAY, Kind.GROWTH):
        return ()
    alike = likeness(inquiry.sets, member)
    kept: list[Explanation] = []
    factors = {c.factor for c in chosen.stratum.conditions}
    for at in np.argsort(-alike, kind="stable").tolist():
        if alike[at] < inquiry.settings.number("confounded_overlap") or len(kept) == MOST_RIVALS:
            break
        if not _rival(options[at], chosen) or factors & {c.factor for c in options[at].stratum.conditions}:
            continue
        kept.append(options[at])
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
