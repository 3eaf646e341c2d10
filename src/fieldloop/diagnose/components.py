"""What carries a loss, side by side: slices with their time, and what is lost everywhere alike."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.beliefs import COVERABLE, never_shown, starved
from fieldloop.diagnose.candidates import SIMULATED, Candidate, Kind
from fieldloop.diagnose.changes import Change, change_of
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.joint import fit_jointly
from fieldloop.diagnose.search import Found, Search, with_diffuse
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section


@dataclass(frozen=True)
class Component:
    """One slice: what was found, the gap it points to, since when, and whether it has a reason of its own.

    A reason is anything that sets the slice apart beside its losses: not or hardly demonstrated, only simulated, new,
    changed, or a part of the machinery. A slice without one may be where something else hurts most.
    """

    found: Found
    gap: Gap
    never_covered: bool | None
    change: Change | None
    reasons: tuple[str, ...]

    @property
    def stratum(self) -> Stratum:
        """Where it is."""
        return self.found.candidate.stratum


def components(
    found: Sequence[Found], search: Search, shown: Demonstrations | None, settings: Section, rng: np.random.Generator
) -> list[Component]:
    """Look at each slice beside the others: since when, and why there."""
    made = []
    level = settings.number("alpha") / max(len(found), 1)
    for at, one in enumerate(found):
        others = [f.candidate for k, f in enumerate(found) if k != at]
        columns = with_diffuse(others, len(search.after))
        fitted = fit_jointly(columns, search.after.success, search.expected)
        whole = _whole(one.candidate, search)
        change = None
        if one.candidate.kind in (Kind.CONDITION, Kind.PAIR, Kind.LATER):
            change = change_of(search.after, fitted.rates - search.after.success, whole.after, level, settings, rng)
            change = _begun(change, never_shown(whole.stratum, shown, settings), settings)
        since = replace(one, candidate=_since(one.candidate, whole, change, search, settings))
        made.append(_component(since, change, shown, settings))
    return made


def _begun(change: Change | None, never: bool | None, settings: Section) -> Change | None:  # noqa: FBT001 - an answer
    """What was never shown was lost from the start: there a change counts only where little was lost before it."""
    late = change is not None and change.before <= settings.number("since_share") * change.since
    return change if late or never is not True else None


def _whole(candidate: Candidate, search: Search) -> Candidate:
    """The condition itself where a candidate is only its later part."""
    if candidate.kind is not Kind.LATER:
        return candidate
    return next(c for c in search.options if c.kind is Kind.CONDITION and c.stratum == candidate.stratum)


def _since(
    candidate: Candidate, whole: Candidate, change: Change | None, search: Search, settings: Section
) -> Candidate:
    """Narrow a slice to the time since its change, where it lost little before."""
    if change is None or change.before > settings.number("since_share") * change.since:
        return candidate
    return replace(whole, after=whole.after * (search.after.at_ns >= change.since_ns), since_ns=change.since_ns)


def _component(found: Found, change: Change | None, shown: Demonstrations | None, settings: Section) -> Component:
    one = found.candidate
    if one.kind in (Kind.DAY, Kind.GROWTH):
        gap = Gap.HARDWARE if one.kind is Kind.GROWTH else Gap.UNKNOWN
        return Component(found, gap, None, change, ("it changes with time",))
    gap = gaps.of_stratum(one.stratum)
    # wear and slow answers are not covered by demonstrations, so they were never missing there either
    never = None if gap in gaps.MACHINERY else never_shown(one.stratum, shown, settings)
    few = starved(one.stratum, float(np.mean(one.after)), shown, settings)
    simulated = shown is not None and shown.mostly_simulated(one.stratum, settings.number("simulated_share"))
    if one.stratum.conditions == (SIMULATED,) or (gap in COVERABLE and simulated):
        return Component(found, Gap.SIM_TO_REAL, never, change, ("its demonstrations were simulated",))
    reasons = {
        "it is part of the machinery": gap not in COVERABLE,
        "it was hardly ever demonstrated": never is True,
        "it was demonstrated far less than it occurs": few is True and never is not True,
        "it changed since": change is not None or one.since_ns is not None,
        "the baseline never met it": not one.before.any() and never is not False,
    }
    return Component(found, gap, never, change, tuple(reason for reason, holds in reasons.items() if holds))
