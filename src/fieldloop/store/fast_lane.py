"""Outcomes only, each new: three statements on the driver's own cursor and one commit.

The general way does the same and more; whatever does not fit here is left to it, untouched.
"""

from collections.abc import Sequence
from typing import Any

from fieldloop.model import event as model
from fieldloop.model.event import Event, OutcomeRecorded
from fieldloop.store.outcomes import Row, body_of, row_of
from fieldloop.store.rates import hours_of
from fieldloop.store.statements import Statements

KIND = OutcomeRecorded.__name__


class OutcomeBatch:
    """Outcomes written down before the lock is taken; their numbers follow inside it."""

    def __init__(self, events: Sequence[Event], actor: str, at_ns: int) -> None:
        """Take events that are all outcomes."""
        self.rows: list[Row] = [row_of(event.outcome) for event in events]  # type: ignore[union-attr]  # all outcomes
        self._ledger: list[Row] = [[0, at_ns, actor, None, KIND, model.VERSION, body_of(row)] for row in self.rows]
        self.hours = hours_of(self.rows)

    def number(self, last: int, caused_by: int | None) -> list[Row]:
        """Give every row its sequence number; return the ledger's."""
        for seq, (row, entry) in enumerate(zip(self.rows, self._ledger, strict=True), last + 1):
            row[-1] = entry[0] = seq
            entry[3] = caused_by
        return self._ledger

    def write(self, cursor: Any, statements: Statements, last: int, caused_by: int | None) -> bool:
        """Write everything; False, and to be rolled back, where an outcome was there before."""
        many(cursor, statements.add_events, self.number(last, caused_by))
        many(cursor, statements.add_outcomes, self.rows)
        if cursor.rowcount != len(self.rows):
            return False
        many(cursor, statements.add_hours, self.hours)
        return True


def many(cursor: Any, statement: str, rows: Sequence[Row]) -> None:
    """Run a statement for every row; a single one goes the shorter way through the driver."""
    if len(rows) == 1:
        cursor.execute(statement, rows[0])
    else:
        cursor.executemany(statement, rows)
