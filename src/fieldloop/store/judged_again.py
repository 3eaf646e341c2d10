"""Corrections for attempts with several judges: sums count every verdict, a rate counts every attempt once.

Sums are updated row by row; a majority cannot be. Only outcomes that name their attempt are read, through partial
indexes. If no outcome names an attempt, these indexes are empty.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, FromClause, Select, and_, bindparam, func, literal_column, select
from sqlalchemy.sql import ColumnElement

from fieldloop.model.attempts import settle_attempts
from fieldloop.model.policy import Outcome
from fieldloop.store.outcomes import decode_outcome
from fieldloop.store.tables import outcomes

Place = tuple[str, str]
"""A policy and a site."""
SAME = ("policy", "site", "robot", "attempt")
FIRST_NS, LAST_NS = -(2**63), 2**63 - 1


def compute_verdict_corrections(
    connection: Connection, start_ns: int | None, end_ns: int | None, stage: str, policy: str | None = None
) -> Iterator[tuple[Place, int, int, int]]:
    """Yield corrections (place, time, successes, verdicts) to sums of verdicts, so that each attempt counts once.

    An attempt counts at the first verdict of its majority, as in `settle_attempts`. A tie counts nowhere. Corrections
    cover every attempt with a verdict in [start, end); they may lie outside it.
    """
    votes = list_contested_verdicts(connection, start_ns, end_ns, stage, None if policy is None else [policy])
    for sign, counted in ((-1, votes), (1, settle_attempts(votes)[0])):
        for vote in counted:
            yield (vote.policy, vote.site), vote.at_ns, sign * bool(vote.succeeded), sign


def list_contested_verdicts(
    connection: Connection,
    start_ns: int | None,
    end_ns: int | None,
    stage: str,
    policies: Sequence[str] | None = None,
) -> list[Outcome]:
    """Return all verdicts, oldest first, on attempts with several verdicts and at least one in the span."""
    wanted = {"stage": stage, "start": FIRST_NS if start_ns is None else start_ns}
    wanted |= {"end": LAST_NS if end_ns is None else end_ns}
    votes = [decode_outcome(list(row)) for row in connection.execute(_build_verdicts_query(), wanted)]
    # filtered here: SQLite would otherwise walk the index of policies and read every outcome of one
    return [vote for vote in votes if policies is None or vote.policy in policies]


@functools.cache
def _build_verdicts_query() -> Select[Any]:
    """Write the query once; building it takes longer than running it on few rows.

    It always has both limits of time: without them SQLite takes the index of all outcomes, not that of named attempts.
    """
    inside, each = outcomes.alias("inside"), outcomes.alias("each")
    stage: BindParameter[str] = bindparam("stage")
    limits = (inside.c.at_ns >= bindparam("start"), inside.c.at_ns < bindparam("end"))
    span = (inside.c.stage == stage, build_named_attempt_criterion(inside), *limits)
    touched = select(*(inside.c[name] for name in SAME)).where(*span).distinct().subquery()
    judges = func.count().over(partition_by=[each.c[name] for name in SAME]).label("judges")
    same = and_(*(each.c[name] == touched.c[name] for name in SAME))
    of_stage = (each.c.stage == stage) & build_named_attempt_criterion(each) & each.c.succeeded.is_not(None)
    found = select(*each.c, judges).join(touched, same).where(of_stage).subquery()
    cells = [found.c[column.name] for column in outcomes.c]
    return select(*cells).where(found.c.judges > 1).order_by(found.c.seq)


def build_named_attempt_criterion(table: FromClause) -> ColumnElement[bool]:
    """Is the attempt named? A literal, not a parameter: databases use a partial index only for a literal."""
    named: ColumnElement[bool] = table.c.attempt != literal_column("''")
    return named
