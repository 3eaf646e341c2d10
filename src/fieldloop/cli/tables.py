"""The shapes in which results are printed: status marks, facts, tables, values as text."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Note, Subject
from fieldloop.say import write_sentence
from fieldloop.say.findings import write_finding
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import format_count, format_number, format_time, shorten_content_ids, shorten_ids

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

PICTURE = "data:image/"
MOST_IN_A_CELL = 4  # of a list inside a fact; --json has all


def format_status(status: Status, word: str = "") -> "Text":
    """Write a status as sign and word, so that it reads without colour."""
    shape = MARKS[status]
    return make_styled_text(f"{shape.sign} {word or shape.word}", shape.style)


def make_styled_text(text: str, style: str) -> "Text":
    """Write a text in a style."""
    from rich.text import Text

    return Text(text, style=style)


def make_heading(text: str) -> "Text":
    """Write a section's heading."""
    return make_styled_text(text, "bold")


def make_two_line_cell(line: Any, second_line: str) -> "Text":
    """Put a second, dim line into a cell, for what would make the row wider than a screen."""
    first = make_styled_text(format_value(line), "default")
    return first.append(f"\n{second_line}", style="dim") if second_line else first


def make_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[str] = ()) -> "Table":
    """Return a table; columns in `right` are flush right."""
    from rich import box
    from rich.table import Table

    laid = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for column in columns:
        laid.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        laid.add_row(*(_format_cell(value) for value in row))
    return laid


def make_facts_table(pairs: Iterable[tuple[str, Any]]) -> "Table":
    """Return names and values in two columns."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(name, _format_cell(value))
    return grid


def format_value(value: Any, name: str = "") -> str:
    """Write any value as text for people.

    >>> (format_value(0.12345), format_value(True), format_value(("a", "b")),
    ...  format_value(None), format_value(10**18, "made_ns"))
    ('0.1235', 'yes', 'a, b', '–', '2001-09-09 01:46:40 UTC')
    """
    if value is None or value == "":
        return "–"
    if name in ("id", "sha256") and isinstance(value, str):
        return shorten_content_ids(value)  # beside it stands the name
    if name.endswith("_ns") and isinstance(value, int):
        return format_time(value)
    writer = next((write for kind, write in WRITERS if isinstance(value, kind)), str)
    return _format_noun(value) if writer is str and dataclasses.is_dataclass(value) else writer(value)


def get_field_label(name: str) -> str:
    """Turn a field's name into a label.

    >>> get_field_label("valid_from_ns"), get_field_label("p99_ms")
    ('valid from', 'p99 ms')
    """
    return name.removesuffix("_ns").replace("_", " ")


def _format_list(values: Sequence[Any]) -> str:
    if values and all(isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], str) for v in values):  # noqa: PLR2004 - pairs
        return ", ".join(f"{key}: {format_value(inner)}" for key, inner in values)
    shown = [format_value(v) for v in values[:MOST_IN_A_CELL]]
    hidden = len(values) - len(shown)
    return ", ".join(shown) + (f" and {format_count(hidden)} more" if hidden else "") if values else "none"


def _format_noun(value: Any) -> str:
    if isinstance(value, Finding):
        return write_finding(value)
    for name in ("id", "name", "label"):
        if isinstance(named := getattr(value, name, None), str):
            return shorten_ids(named)
    return ", ".join(
        f"{get_field_label(f.name)} {format_value(getattr(value, f.name), f.name)}" for f in dataclasses.fields(value)
    )


WRITERS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (bool, lambda value: "yes" if value else "no"),
    (float, format_number),
    (Note, write_sentence),
    (Subject, str),
    (Stratum, lambda value: str(value) or "everything"),
    (Status, lambda value: f"{MARKS[value].sign} {MARKS[value].word}"),
    (Enum, lambda value: str(value.value)),
    (str, lambda value: "a picture" if value.startswith(PICTURE) else shorten_ids(value)),
    (Mapping, lambda value: ", ".join(f"{key}: {format_value(inner)}" for key, inner in value.items())),
    (list | tuple, _format_list),
)
"""How each kind of value is written; the first that fits counts."""


def _format_cell(value: Any) -> Any:
    if isinstance(value, Status):
        return format_status(value)
    return value if hasattr(value, "__rich_console__") or hasattr(value, "plain") else format_value(value)
