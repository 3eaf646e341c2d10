"""Success by policy and site over any span, from sums by hour and the outcomes at the span's two edges.

Sums count verdicts; of an attempt that several judged, `judged_again` takes out all but one.
"""

from collections.abc import Iterable

from sqlalchemy import Connection, Select, func, or_, select, union_all

from fieldloop.model.alarm import Rate
from fieldloop.store.database import bare
from fieldloop.store.judged_again import too_many
from fieldloop.store.outcomes import Row
from fieldloop.store.statements import Statements
from fieldloop.store.tables import outcomes, success_hours

NS_PER_HOUR = 3_600_000_000_000
POLICY, STAGE, SITE, AT_NS, SUCCEEDED = (
    list(outcomes.c.keys()).index(name) for name in ("policy", "stage", "site", "at_ns", "succeeded")
)


def hours_of(rows: Iterable[Row], sign: int = 1) -> list[Row]:
    """Sum outcomes up by hour, in the order of the columns of `success_hours`."""
    sums: dict[tuple[str, int, str, str], list[int]] = {}
    for row in rows:
        key = (row[STAGE], row[AT_NS] // NS_PER_HOUR, row[POLICY], row[SITE])
        summed = sums.get(key)
        if summed is None:
            summed = sums[key] = [0, 0]
        summed[0] += row[SUCCEEDED]
        summed[1] += 1
    return [[*key, sign * successes, sign * episodes] for key, (successes, episodes) in sums.items()]


def add_to_hours(connection: Connection, statements: Statements, rows: Iterable[Row], sign: int = 1) -> None:
    """Add outcomes to the sums by hour, or take them out again."""
    summed = hours_of(rows, sign)
    if summed:
        bare(connection).executemany(statements.add_hours, summed)


def success_rates(connection: Connection, start_ns: int, end_ns: int, stage: str) -> list[Rate]:
    """Count attempts and successes at times in [start, end) by policy and site; each with its 95 % interval."""
    from fieldloop.stats.binomial import interval

    rates, beyond = [], too_many(connection, start_ns, end_ns, stage)
    for policy, site, successes, episodes in connection.execute(_counts(start_ns, end_ns, stage)):
        more_won, more_tried = beyond.get((policy, site), (0, 0))
        won, tried = int(successes) - more_won, int(episodes) - more_tried
        if tried:
            low, high = interval(won, tried)
            rates.append(Rate(policy, site, won, tried, won / tried, low, high, start_ns, end_ns))
    return rates


def _counts(start_ns: int, end_ns: int, stage: str) -> Select[str, str, int, int]:
    first, last = -(-start_ns // NS_PER_HOUR), end_ns // NS_PER_HOUR  # whole hours: first ≤ hour < last
    at = outcomes.c.at_ns
    edges = (
        or_(
            (at >= start_ns) & (at < first * NS_PER_HOUR),
            (at >= last * NS_PER_HOUR) & (at < end_ns),
        )
        if first < last
        else (at >= start_ns) & (at < end_ns)
    )
    whole = select(
        success_hours.c.policy, success_hours.c.site, success_hours.c.successes, success_hours.c.episodes
    ).where(success_hours.c.stage == stage, success_hours.c.hour >= first, success_hours.c.hour < last)
    part = (
        select(
            outcomes.c.policy,
            outcomes.c.site,
            func.count().filter(outcomes.c.succeeded).label("successes"),
            func.count().label("episodes"),
        )
        .where(outcomes.c.stage == stage, edges)
        .group_by(outcomes.c.policy, outcomes.c.site)
    )
    both = union_all(whole, part).subquery()
    return (
        select(both.c.policy, both.c.site, func.sum(both.c.successes), func.sum(both.c.episodes))
        .group_by(both.c.policy, both.c.site)
        .order_by(both.c.policy, both.c.site)
    )
