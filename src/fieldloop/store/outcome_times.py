"""Outcomes in the order of their own times: when each policy reported, and which attempts were the last.

A table may list attempts in any order, so the order in which outcomes were recorded says nothing about time.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from fieldloop.model.policy import Outcome
from fieldloop.model.stream import NS_PER_HOUR
from fieldloop.store.outcomes import decode_outcome
from fieldloop.store.rates import build_known_result_criterion, build_spans_table
from fieldloop.store.tables import outcomes, success_hours


def find_reported_spans(connection: Connection, stage: str, since_ns: int | None) -> dict[str, tuple[int, int]]:
    """Return the times of the first and the last outcome with a known result of each policy, from an hour on."""
    hours, each = success_hours.c, outcomes.c
    query = select(hours.policy, func.min(hours.hour), func.max(hours.hour))
    query = query.where(hours.stage == stage, hours.episodes > 0).group_by(hours.policy)
    if since_ns is not None:
        query = query.where(hours.hour >= since_ns // NS_PER_HOUR)
    ends = {policy: (first * NS_PER_HOUR, last * NS_PER_HOUR) for policy, first, last in connection.execute(query)}
    if not ends:
        return {}
    cut = build_spans_table(sorted({(begin, begin + NS_PER_HOUR) for pair in ends.values() for begin in pair}))
    inside = (each.stage == stage) & (each.at_ns >= cut.c.begin) & (each.at_ns < cut.c.edge)
    exact = (
        select(cut.c.begin, each.policy, func.min(each.at_ns), func.max(each.at_ns))
        .join_from(cut, outcomes, inside & build_known_result_criterion())
        .group_by(cut.c.begin, each.policy)
    )
    found = {(begin, policy): (first, last) for begin, policy, first, last in connection.execute(exact)}
    return {policy: (found[a, policy][0], found[b, policy][1]) for policy, (a, b) in ends.items()}


def list_last_outcomes(connection: Connection, stages: Sequence[str], policy: str | None, limit: int) -> list[Outcome]:
    """Return the outcomes with the latest times, the latest first; at equal times the one recorded last."""
    each = outcomes.c
    latest: list[Outcome] = []
    for stage in stages:  # one stage at a time, because the index on times begins with the stage
        query = select(outcomes).where(each.stage == stage).order_by(each.at_ns.desc(), each.seq.desc()).limit(limit)
        query = query if policy is None else query.where(each.policy == policy)
        latest += [decode_outcome(list(row)) for row in connection.execute(query)]
    return sorted(latest, key=lambda outcome: -outcome.at_ns)[:limit]
