"""Attempts that several judged: sums count every verdict, so what they count too much is taken out again here.

A sum can be added to row by row, a majority of judges cannot. Only outcomes that name their attempt are looked at, by
indexes that hold no others: where nobody names one, this is a look into an empty index.
"""

from collections.abc import Iterator

from sqlalchemy import Connection, FromClause, and_, func, literal_column, select
from sqlalchemy.sql import ColumnElement

from fieldloop.model.attempts import settled
from fieldloop.model.policy import Outcome
from fieldloop.store.outcomes import noun_of
from fieldloop.store.tables import outcomes

Place = tuple[str, str]
"""A policy and a site."""
SAME = ("policy", "site", "robot", "attempt")


def too_many(connection: Connection, start_ns: int, end_ns: int, stage: str) -> dict[Place, tuple[int, int]]:
    """Return by policy and site how many successes and verdicts at times in [start, end) are more than attempts.

    An attempt counts at the verdict that the majority bears out, as `settled` says; an even split counts nowhere.
    """
    votes = list(_votes(connection, start_ns, end_ns, stage))
    beyond: dict[Place, tuple[int, int]] = {}
    for sign, counted in ((1, votes), (-1, settled(votes)[0])):
        for vote in counted:
            if start_ns <= vote.at_ns < end_ns:
                won, tried = beyond.get((vote.policy, vote.site), (0, 0))
                beyond[vote.policy, vote.site] = (won + sign * vote.succeeded, tried + sign)
    return beyond


def _votes(connection: Connection, start_ns: int, end_ns: int, stage: str) -> Iterator[Outcome]:
    """Yield all verdicts, also earlier and later ones, on attempts that have several and one of them in the span."""
    inside, each = outcomes.alias("inside"), outcomes.alias("each")
    span = (inside.c.stage == stage) & (inside.c.at_ns >= start_ns) & (inside.c.at_ns < end_ns) & _is_named(inside)
    touched = select(*(inside.c[name] for name in SAME)).where(span).distinct().subquery()
    judges = func.count().over(partition_by=[each.c[name] for name in SAME]).label("judges")
    same = and_(*(each.c[name] == touched.c[name] for name in SAME))
    of_stage = (each.c.stage == stage) & _is_named(each)
    found = select(*each.c, judges).join(touched, same).where(of_stage).subquery()
    cells = [found.c[column.name] for column in outcomes.c]
    query = select(*cells).where(found.c.judges > 1).order_by(found.c.seq)
    for row in connection.execute(query):
        yield noun_of(list(row))


def _is_named(table: FromClause) -> ColumnElement[bool]:
    """Written out, not as a parameter: only so is it known that the indexes of named attempts hold every row."""
    named: ColumnElement[bool] = table.c.attempt != literal_column("''")
    return named
