"""Explanations by time: a condition since a day, everything since a day, everything more and more."""

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.beliefs import loss_of
from fieldloop.diagnose.explanation import TIME, Explanation, Kind
from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section


def of_times(before: Table, after: Table, settings: Section) -> Iterator[Explanation]:
    """Places change on a day more often than anything else does; each day is believed its part of that."""
    if len(np.unique(after.days)) < settings.number("min_days"):
        return
    nothing = np.zeros(len(before))
    loss = loss_of(Gap.UNKNOWN, settings)
    least = settings.number("min_slice_episodes")
    days = _days(after)
    conditions = list(after.conditions)
    holds = after.indicators(conditions)
    places = sum(gaps.of_factor(c.factor) is Gap.ENVIRONMENT for c in conditions)
    for at, condition in enumerate(conditions):
        gap = gaps.of_factor(condition.factor)
        place = gap is Gap.ENVIRONMENT
        odds = settings.number("changed_odds") if place else settings.number("pairs_odds")
        odds -= np.log(max(places if place else len(conditions), 1) * len(days))
        for since_ns in days if place else days[len(days) // 4 :: max(len(days) // 4, 1)]:
            late = holds[:, at] * (after.at_ns >= since_ns)
            if least <= late.sum() <= holds[:, at].sum() - least:
                yield Explanation(
                    gap, Stratum((condition,)), Kind.LATER, late, nothing, odds, loss_of(gap, settings),
                    never_covered=False,
                    since_ns=since_ns, reasons=("it changed since",),
                )  # fmt: skip
    seldom = settings.number("unknown_odds") + settings.number("changed_odds")
    for since_ns in days:
        day = datetime.fromtimestamp(since_ns // NS_PER_S, UTC).date().isoformat()
        late = np.asarray(after.at_ns >= since_ns, dtype=np.float64)
        odds = seldom - np.log(len(days))
        where = Stratum((Condition(TIME, day),))
        yield Explanation(
            Gap.UNKNOWN, where, Kind.DAY, late, nothing, odds, loss, since_ns=since_ns,
            reasons=("it changes with time",),
        )  # fmt: skip
    span = int(after.at_ns.max() - after.at_ns.min())
    grown = (after.at_ns - after.at_ns.min()) / max(span, 1)
    where = Stratum((Condition(TIME, "the first day, more and more"),))
    yield Explanation(
        Gap.HARDWARE, where, Kind.GROWTH, grown, nothing, seldom, loss,
        reasons=("it changes with time",),
    )  # fmt: skip


def _days(table: Table) -> list[int]:
    """First moments of all days but the first."""
    return [int(table.at_ns[table.days == day].min()) for day in np.unique(table.days)[1:].tolist()]
