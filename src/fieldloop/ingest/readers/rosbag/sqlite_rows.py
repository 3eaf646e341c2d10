"""The rows of a bag's table of messages, by number; behind damaged pages the next rows are looked for."""

import sqlite3
from collections.abc import Iterator

from fieldloop.ingest.complaints import Complaints
from fieldloop.model.note import note

Row = tuple[int, int, int, bytes]
FIRST = -(2**63)
LAST = 2**63 - 1
MOST_GAPS = 1000
FARTHEST = 40  # doublings: no bag has more than 2⁴⁰ messages
BEHIND = "SELECT rowid, topic_id, timestamp, data FROM messages WHERE rowid > ? ORDER BY rowid"
TABLE = "table messages"


def read_all_rows(database: sqlite3.Connection, complain: Complaints) -> Iterator[Row]:
    """Yield every row that can be read, in the order of writing."""
    last = FIRST
    for _ in range(MOST_GAPS):
        broken = ""
        try:
            for row in database.execute(BEHIND, (last,)):
                if row[0] <= last:
                    broken = "rows are not in order"
                    break
                last = row[0]
                if _is_message(row):
                    yield row
                else:
                    complain(f"message {last}", note("ingest.row_not_a_message", message=last))
        except (sqlite3.DatabaseError, MemoryError) as wrong:
            broken = str(wrong) or type(wrong).__name__
        if not broken:
            return
        following = _next_readable_row(database, max(last, 0))
        if following is None:
            complain(TABLE, note("ingest.table_unreadable_after", message=max(last, 0), reason=broken))
            return
        lost = note("ingest.messages_unreadable", first=max(last, 0) + 1, last=following, reason=broken)
        complain(TABLE, lost)
        last = following
    ended = note("ingest.table_unreadable_after", message=last, reason=f"more than {MOST_GAPS} damaged places")
    complain(TABLE, ended)


def _is_message(row: Row) -> bool:
    return isinstance(row[1], int) and isinstance(row[2], int) and isinstance(row[3], bytes)


def _next_readable_row(database: sqlite3.Connection, last_row: int) -> int | None:
    """Return the smallest number behind which a row can be read again: leap ahead, then close in."""
    good = next((last_row + (1 << n) for n in range(FARTHEST) if _can_read_after(database, last_row + (1 << n))), None)
    if good is None:
        return None
    bad = last_row
    while good - bad > 1:
        middle = (bad + good) // 2
        bad, good = (bad, middle) if _can_read_after(database, middle) else (middle, good)
    return good


def _can_read_after(database: sqlite3.Connection, row_number: int) -> bool:
    try:
        row = database.execute(f"{BEHIND} LIMIT 1", (row_number,)).fetchone()
    except (sqlite3.DatabaseError, MemoryError):
        return False
    return row is not None and row[0] > row_number
