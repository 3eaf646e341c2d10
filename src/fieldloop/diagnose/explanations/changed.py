"""Explanations by time: a condition or a judge that changed since the baseline or on a day, everything since a day.

A condition that was demonstrated, occurs in the baseline and loses now has changed, whether its day is known or not.
"""

from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np

from fieldloop.diagnose.explanations.columns import PLACES_AND_THINGS, Columns
from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.explanations.explanation import TIME, Explanation, Kind, Since
from fieldloop.diagnose.explanations.priors import loss_of, loss_without_reason, never_shown
from fieldloop.diagnose.inference.strengths import Strength
from fieldloop.diagnose.inference.table import Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Gap, Role
from fieldloop.model.note import note
from fieldloop.protocol import Section

JUDGE = "judged_by"


def time_explanations(
    before: Table, after: Table, shown: Demonstrations | None, columns: Columns, settings: Section
) -> Iterator[Explanation]:
    """Yield explanations by time. Places change most often; each place and day gets its part of that prior."""
    every = np.unique(after.days).tolist()
    days = every[1:] if len(every) >= settings.number("min_days") else []
    yield from _changed_condition_explanations(before, after, shown, columns, days, settings)
    yield from _new_judge_explanations(before, after, settings)
    if days:
        yield from _changed_everything_explanations(before, after, days, settings)


def _changed_condition_explanations(
    before: Table,
    after: Table,
    shown: Demonstrations | None,
    columns: Columns,
    days: Sequence[int],
    settings: Section,
) -> Iterator[Explanation]:
    nothing, least = np.zeros(len(before), dtype=bool), settings.number("min_slice_episodes")
    conditions = list(after.conditions)
    places = sum(columns.role(c.factor) is Role.SITE for c in conditions)
    for condition in conditions:
        gap, here, stratum = columns.gap(condition.factor), after.holds(condition), Stratum((condition,))
        role = columns.role(condition.factor)
        place = role is Role.SITE
        odds = settings.number("changed_odds" if place else "pairs_odds")
        since = days if place else days[len(days) // 4 :: max(len(days) // 4, 1)]
        odds -= np.log(max(places if place else len(conditions), 1) * (len(since) + 1))
        loss = loss_of(role, settings)
        if (~here).sum() < least:  # all of production: the same rows as everything since that day
            continue
        never = never_shown(stratum, shown, settings) if role in PLACES_AND_THINGS else False
        if never is not True and min(before.count(condition), here.sum()) >= least:
            yield Explanation(
                gap, stratum, Kind.LATER, here, nothing, odds, loss, never_covered=never,
                reasons=(note("diagnose.changed_since_the_baseline"),),
            )  # fmt: skip
        for day in since:
            late = here & (after.days >= day)
            if least <= late.sum() <= here.sum() - least:
                yield Explanation(
                    gap, stratum, Kind.LATER, late, nothing, odds, loss, never_covered=False,
                    since=_earliest_since(after, late), reasons=(note("diagnose.changed_that_day"),),
                )  # fmt: skip


def _new_judge_explanations(before: Table, after: Table, settings: Section) -> Iterator[Explanation]:
    """A judge who is new in production: what counts as success may have changed."""
    least = settings.number("min_slice_episodes")
    judges = [c for c in after.conditions if c.factor == JUDGE and JUDGE in before.factors]
    for judge in judges:
        here = after.holds(judge)
        if before.count(judge) or not least <= here.sum() <= len(after) - least:
            continue
        since = _earliest_since(after, here)
        late = after.days >= since.day.toordinal()
        alone = here[late].mean() >= settings.number("confounded_overlap")
        yield Explanation(
            Gap.LABELS, Stratum((judge,)), Kind.CONDITION, here, np.zeros(len(before)), settings.number("judge_odds"),
            loss_of(Role.JUDGE, settings), never_covered=False,
            since=since if since.at_ns > after.at_ns.min() else None,
            measurement=note("diagnose.one_judge_since", day=str(since.day)) if alone else None,
            reasons=(note("diagnose.standard_may_differ"), note("diagnose.new_to_the_baseline")),
        )  # fmt: skip


def _changed_everything_explanations(
    before: Table, after: Table, days: Sequence[int], settings: Section
) -> Iterator[Explanation]:
    nothing, loss = np.zeros(len(before)), loss_without_reason(settings)
    seldom = settings.number("unknown_odds") + settings.number("changed_odds")
    for day in days:
        late = np.asarray(after.days >= day)
        odds = seldom - np.log(len(days))
        where = Stratum((Condition(TIME, date.fromordinal(day).isoformat()),))
        yield Explanation(
            Gap.UNKNOWN, where, Kind.DAY, late, nothing, odds, loss, since=_earliest_since(after, late),
            reasons=(note("diagnose.changes_with_time"),),
        )  # fmt: skip
    span = int(after.at_ns.max() - after.at_ns.min())
    grown = (after.at_ns - after.at_ns.min()) / max(span, 1)
    where = Stratum((Condition(TIME, "the first day, more and more"),))
    yield Explanation(
        Gap.UNKNOWN, where, Kind.GROWTH, grown, nothing, seldom, loss,
        reasons=(note("diagnose.changes_with_time"),),
    )  # fmt: skip


def _earliest_since(table: Table, late: Strength) -> Since:
    """Return time and local day of the earliest of these rows."""
    rows = np.flatnonzero(late)
    first = rows[np.argmin(table.at_ns[rows])]
    return Since(int(table.at_ns[first]), date.fromordinal(int(table.days[first])))
