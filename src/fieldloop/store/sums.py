"""Sums of outcomes by hour and by conditions, updated in the transaction that writes the outcomes.

Sums count verdicts. An attempt with several judges has several verdicts; `judged_again` corrects for that.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection

from fieldloop.model.stream import NS_PER_HOUR
from fieldloop.store.database import get_driver_cursor
from fieldloop.store.outcomes import Row
from fieldloop.store.statements import Statements
from fieldloop.store.tables import outcomes

POLICY, STAGE, SITE, AT_NS, SUCCEEDED, STRATUM, ITEM = (
    list(outcomes.c.keys()).index(name) for name in ("policy", "stage", "site", "at_ns", "succeeded", "stratum", "item")
)


def sum_by_hour(rows: Iterable[Row], sign: int = 1) -> list[Row]:
    """Sum outcomes by hour, in the order of the columns of `success_hours`."""
    return _sum_by_key(rows, lambda row: (row[STAGE], row[AT_NS] // NS_PER_HOUR, row[POLICY], row[SITE]), sign)


def sum_by_stratum(rows: Iterable[Row], sign: int = 1) -> list[Row]:
    """Sum outcomes by conditions, in the order of the columns of `success_strata`."""
    return _sum_by_key(
        rows,
        lambda row: (
            row[STAGE],
            row[POLICY],
            row[SITE],
            row[STRATUM],
            choose_article_for_sums(row[STRATUM], row[ITEM]),
        ),
        sign,
    )


def choose_article_for_sums(stratum: str, item: str) -> str:
    """Return the article to sum by: only its tier matters, so '' where the stratum states the tier.

    >>> choose_article_for_sums("lighting=dim", "A7"), choose_article_for_sums("lighting=dim,tier=high", "A7")
    ('A7', '')
    """
    return "" if ",tier=" in f",{stratum}" else item


def add_to_sums(connection: Connection, statements: Statements, rows: Iterable[Row], sign: int = 1) -> None:
    """Add outcomes to both kinds of sums, or subtract them."""
    given = list(rows)
    if given:
        cursor = get_driver_cursor(connection)
        cursor.executemany(statements.add_hours, sum_by_hour(given, sign))
        cursor.executemany(statements.add_strata, sum_by_stratum(given, sign))


def _sum_by_key(rows: Iterable[Row], get_key: Callable[[Row], tuple[Any, ...]], sign: int) -> list[Row]:
    sums: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        if row[SUCCEEDED] is None:
            continue  # an unknown result is neither a success nor a failure
        key = get_key(row)
        summed = sums.get(key)
        if summed is None:
            summed = sums[key] = [0, 0]
        summed[0] += row[SUCCEEDED]
        summed[1] += 1
    return [[*key, sign * successes, sign * episodes] for key, (successes, episodes) in sums.items()]
