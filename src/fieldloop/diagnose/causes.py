"""From what was found to causes: each with its share of the loss, its interval, its evidence and its fix."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.attribution import Accounts, Attribution, Interval, attribute
from fieldloop.diagnose.beliefs import starved
from fieldloop.diagnose.candidates import Candidate, Kind
from fieldloop.diagnose.components import Component
from fieldloop.diagnose.everywhere import Suspect
from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.diagnose.mix import Harder
from fieldloop.diagnose.table import Floats
from fieldloop.diagnose.wording import of_component, of_mix, of_pool
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Cause, Gap

MOST_RIVALS = 5


@dataclass(frozen=True)
class Causes:
    """Causes, the gap with the largest part first, and the account they rest on."""

    causes: tuple[Cause, ...]
    attribution: Attribution
    shared: tuple[Suspect, ...]


def name_causes(inquiry: Inquiry, rng: np.random.Generator) -> Causes:
    """Name what carries a real loss."""
    chosen = _chosen(inquiry.suspects, inquiry.settings.number("clear_errors"))
    owned = [c for c in inquiry.components if _owned(c, chosen)]
    lent = [c for c in inquiry.components if not _owned(c, chosen)]
    spread = _spread(inquiry, chosen)
    columns = [*spread, *(c.found.candidate.after for c in (*lent, *owned))]
    rows = len(inquiry.after)
    accounts = Accounts(
        inquiry.before, inquiry.after, inquiry.expectation,
        np.column_stack(columns) if columns else np.zeros((rows, 0)),
        inquiry.mix, inquiry.harder, inquiry.unseen, inquiry.covered, bool(spread) and bool(spread[0].all()),
    )  # fmt: skip
    made = attribute(accounts, inquiry.settings, rng)
    pool, own = made.columns[: len(spread) + len(lent)], made.columns[len(spread) + len(lent) :]
    mixed = list(zip(inquiry.harder, made.harder, strict=True))
    pool += [part for harder, part in mixed if not _own_mix(inquiry, harder, chosen)]
    causes = [
        *_of_pool(inquiry, chosen, spread, pool, lent),
        *(_of_component(inquiry, c, part) for c, part in zip(owned, own, strict=True)),
        *(_of_mix(harder, part) for harder, part in mixed if _own_mix(inquiry, harder, chosen)),
    ]
    return Causes(_sorted([c for c in causes if c.high > 0.0 and c.share > 0.0]), made, tuple(chosen))


def _chosen(suspects: Sequence[Suspect], clear: float) -> list[Suspect]:
    """Whom the loss everywhere is laid to, the first of these that there is.

    Measured faults of the data; a number beyond all usual with which the loss also rises within production; answers
    slower than any before; chains that lose precision; a factor whose levels are all new; demonstrations of too few
    people; a condition measured beyond all usual. A floor's grippers have always done more cycles than a laboratory's:
    without a dose that is no suspicion.
    """
    numbers = [s for s in suspects if s.number]
    new = sorted((s for s in suspects if not s.number and s.stratum), key=lambda s: gaps.rank(s.stratum))
    orders = (
        [s for s in suspects if s.of_the_data],
        [s for s in numbers if s.severity > clear],
        [s for s in numbers if s.gap is Gap.INFRASTRUCTURE][:1],
        [s for s in suspects if s.gap is Gap.TIMING],
        [s for s in new if s.stratum.conditions[0].factor == new[0].stratum.conditions[0].factor],
        [s for s in suspects if s.gap is Gap.CONDITIONS and not s.stratum],
        [s for s in numbers if s.gap not in gaps.MACHINERY][:1],
    )
    return next((some for some in orders if some), [])


def _owned(component: Component, chosen: Sequence[Suspect]) -> bool:
    """A slice is its own cause unless it has no reason of its own while a fault that reaches everything has one."""
    return bool(component.reasons) or not any(s.of_the_data or s.number for s in chosen)


def _own_mix(inquiry: Inquiry, harder: Harder, chosen: Sequence[Suspect]) -> bool:
    """The same of a harder mix: where its conditions were demonstrated enough, a fault of the data made them hard."""
    few = starved(harder.stratum, harder.after, inquiry.evidence.demonstrations, inquiry.settings)
    return few is True or not any(s.of_the_data for s in chosen)


def _spread(inquiry: Inquiry, chosen: Sequence[Suspect]) -> list[Floats]:
    """Columns for what is lost everywhere: one, or one a level where every level is new; none where nothing is."""
    if not inquiry.diffuse_counts(any(s.of_the_data for s in chosen)):
        return []
    if chosen and all(s.stratum and not s.number for s in chosen):
        return [inquiry.after.indicators(list(s.stratum.conditions))[:, 0] for s in chosen]
    return [np.ones(len(inquiry.after))]


def _of_pool(
    inquiry: Inquiry, chosen: Sequence[Suspect], spread: Sequence[Floats], parts: Sequence[Interval],
    lent: Sequence[Component],
) -> Iterator[Cause]:  # fmt: skip
    """Lay what is lost everywhere to the suspects, in proportion to how far each is beyond its limit."""
    if not parts:
        return
    if len(spread) == len(chosen) > 1 or (len(spread) == 1 and spread[0].min() == 0.0):
        for suspect, part, column in zip(chosen, parts, spread, strict=True):
            yield _of_suspect(inquiry, suspect, part, column, ())
        return
    whole = (sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts))
    places = [*spread, *(c.found.candidate.after for c in lent)]
    rows = np.max(places, axis=0) if places else np.ones(len(inquiry.after))
    if not chosen:
        words = of_pool(inquiry, rows)
        yield Cause(
            Gap.UNKNOWN, *whole, Stratum(), None, words, gaps.FIX[Gap.UNKNOWN][0], episodes=int((rows > 0).sum())
        )
        return
    total = sum(s.severity for s in chosen)
    for suspect in chosen:
        weight = suspect.severity / total if total > 0.0 else 1.0 / len(chosen)
        # how two faults that act everywhere divide a loss is not in the outcomes: either may have none or all of it
        low, high = (weight * whole[1], weight * whole[2]) if len(chosen) == 1 else (0.0, whole[2])
        yield _of_suspect(inquiry, suspect, (weight * whole[0], low, high), rows, lent)


def _of_suspect(inquiry: Inquiry, suspect: Suspect, part: Interval, rows: Floats, lent: Sequence[Component]) -> Cause:
    words = f"{suspect.words} {of_pool(inquiry, rows)}"
    if lent:
        words += f" Most under {' and '.join(str(c.stratum) for c in lent)}, which nothing else sets apart."
    others = [s.stratum for s in inquiry.suspects if s.gap is not suspect.gap and s.stratum and not s.measured]
    fix = gaps.fix(suspect.gap, suspect.stratum, never_covered=suspect.never_covered)
    return Cause(
        suspect.gap, *part, suspect.stratum, suspect.never_covered, words, fix,
        group=tuple(others), episodes=int((rows > 0.0).sum()),
    )  # fmt: skip


def _of_component(inquiry: Inquiry, component: Component, part: Interval) -> Cause:
    one = component.found.candidate
    since = one.since_ns if component.change is None else component.change.since_ns
    stratum = Stratum() if one.kind is Kind.GROWTH else one.stratum
    never = component.never_covered if component.change is None or component.never_covered else False
    return Cause(
        component.gap, *part, stratum, never, of_component(inquiry, component),
        gaps.fix(component.gap, stratum, never_covered=never),
        group=_group(one, component.found.rivals), since_ns=since, episodes=int(one.inside.sum()),
    )  # fmt: skip


def _group(chosen: Candidate, rivals: Sequence[Candidate]) -> tuple[Stratum, ...]:
    """Rivals by another name: narrower, wider or later descriptions of the same are none, nor is another cut."""
    kept: list[Stratum] = []
    factors = {c.factor for c in chosen.stratum.conditions}
    for rival in rivals:
        mine = {c.factor for c in rival.stratum.conditions}
        if rival.kind not in (Kind.DAY, Kind.GROWTH) and not mine & factors:
            kept.append(rival.stratum)
            factors |= mine
    return tuple(kept[:MOST_RIVALS])


def _of_mix(harder: Harder, part: Interval) -> Cause:
    gap = gaps.of_stratum(harder.stratum)
    fix = f"Gate and weigh by the mix of the floor, and collect more of {harder.stratum}."
    return Cause(gap, *part, harder.stratum, never_covered=False, evidence=of_mix(harder), fix=fix)


def _sorted(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """The gap with the largest part first; the unknown, which is what remains, last."""
    total = {gap: sum(c.share for c in causes if c.gap is gap) for gap in Gap}
    kept = [replace(c, low=max(0.0, c.low), high=min(1.0, c.high)) for c in causes]
    return tuple(sorted(kept, key=lambda c: (c.gap is Gap.UNKNOWN, -total[c.gap], c.gap, -c.share)))
