"""Fast path for batches of new outcomes: four statements on the driver's own cursor and one commit.

The general path handles every other batch, and gives the same result for these.
"""

from collections.abc import Sequence
from typing import Any

from fieldloop.model import event as model
from fieldloop.model.event import Event, OutcomeRecorded
from fieldloop.store.outcomes import Row, encode_outcome_row, make_outcome_row
from fieldloop.store.statements import Statements
from fieldloop.store.sums import sum_by_hour, sum_by_stratum

KIND = OutcomeRecorded.__name__


class OutcomeBatch:
    """Outcomes encoded before the lock is taken; sequence numbers are assigned while it is held."""

    def __init__(self, events: Sequence[Event], actor: str, at_ns: int) -> None:
        """Encode events, all of them outcomes."""
        self.rows: list[Row] = [make_outcome_row(event.outcome) for event in events]  # type: ignore[union-attr]  # all outcomes
        self._ledger: list[Row] = [
            [0, at_ns, actor, None, KIND, model.VERSION, encode_outcome_row(row)] for row in self.rows
        ]
        self.hours, self.strata = sum_by_hour(self.rows), sum_by_stratum(self.rows)

    def number_rows(self, last_seq: int, caused_by: int | None) -> list[Row]:
        """Assign sequence numbers to all rows; return the ledger rows."""
        for seq, (row, entry) in enumerate(zip(self.rows, self._ledger, strict=True), last_seq + 1):
            row[-1] = entry[0] = seq
            entry[3] = caused_by
        return self._ledger

    def write(self, cursor: Any, statements: Statements, last_seq: int, caused_by: int | None) -> bool:
        """Write everything; False if an outcome already exists, and the caller must roll back."""
        execute_for_rows(cursor, statements.add_events, self.number_rows(last_seq, caused_by))
        execute_for_rows(cursor, statements.add_outcomes, self.rows)
        if cursor.rowcount != len(self.rows):
            return False
        execute_for_rows(cursor, statements.add_hours, self.hours)
        execute_for_rows(cursor, statements.add_strata, self.strata)
        return True


def execute_for_rows(cursor: Any, statement: str, rows: Sequence[Row]) -> None:
    """Run a statement for every row; `execute` is faster than `executemany` for a single row."""
    if len(rows) == 1:
        cursor.execute(statement, rows[0])
    else:
        cursor.executemany(statement, rows)
