"""Turn text columns into facts of the episode; a text that changes is listed with its rows."""

import json
from collections.abc import Iterator
from typing import Any

from fieldloop.ingest.readers.lerobot.parquet_rows import NotNumeric
from fieldloop.ingest.readers.lerobot.rows import Rows
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

MOST_CHANGES = 10_000


def collect_text_facts(rows: Rows, episode: int, place: str, defects: list[Defect]) -> dict[str, str]:
    """Return column → text. A column of numbers that cannot be one array is a defect instead."""
    facts = {}
    for name, reason in rows.reasons.items():
        if not isinstance(reason, NotNumeric):
            message = note("ingest.column_left_out", episode=episode, column=name, reason=str(reason))
            defects.append(Defect(place, f"episode {episode}, column {name}", message))
            continue
        changes = list(_find_changes(rows.get_plain_values(name)))
        if not changes:
            continue
        alone = len(changes) == 1 and changes[0][0] == 0
        facts[name] = format_as_text(changes[0][1]) if alone else json.dumps(changes, default=str, ensure_ascii=False)
    return facts


def format_as_text(value: Any) -> str:
    """Write a value of a table as text: a text as it is, anything deeper as JSON.

    >>> format_as_text("reach"), format_as_text(["reach", "lift"]), format_as_text(2.5)
    ('reach', '["reach", "lift"]', '2.5')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, default=str, ensure_ascii=False)
    return value if isinstance(value, str) else str(value)


def _find_changes(cells: list[Any]) -> Iterator[tuple[int, Any]]:
    """Yield each cell that differs from the one before, with its row; empty beginnings are passed over."""
    before: Any = None
    given = 0
    for row, cell in enumerate(cells):
        if cell != before and (cell or before) and given < MOST_CHANGES:
            yield row, cell
            given += 1
        before = cell
