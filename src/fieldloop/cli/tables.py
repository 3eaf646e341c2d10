"""The shapes in which results are printed: status marks, facts, tables, values as text."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, Subject
from fieldloop.say import sentence
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import format_number, format_time, short_id, shorten_ids, whole

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

PICTURE = "data:image/"
MOST_IN_A_CELL = 4  # of a list inside a fact; --json has all


def mark(status: Status, word: str = "") -> "Text":
    """Write a status as sign and word, so that it reads without colour."""
    shape = MARKS[status]
    return styled(f"{shape.sign} {word or shape.word}", shape.style)


def styled(text: str, style: str) -> "Text":
    """Write a text in a style."""
    from rich.text import Text

    return Text(text, style=style)


def heading(text: str) -> "Text":
    """Write a section's heading."""
    return styled(text, "bold")


def two_line_cell(line: Any, below: str) -> "Text":
    """Put a second, dim line into a cell, for what would make the row wider than a screen."""
    first = styled(value_text(line), "default")
    return first.append(f"\n{below}", style="dim") if below else first


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[str] = ()) -> "Table":
    """Return a table; columns in `right` are flush right."""
    from rich import box
    from rich.table import Table

    laid = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for column in columns:
        laid.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        laid.add_row(*(_cell(value) for value in row))
    return laid


def facts(pairs: Iterable[tuple[str, Any]]) -> "Table":
    """Return names and values in two columns."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(name, _cell(value))
    return grid


def value_text(value: Any, name: str = "") -> str:
    """Write any value as text for people.

    >>> value_text(0.12345), value_text(True), value_text(("a", "b")), value_text(None), value_text(10**18, "made_ns")
    ('0.1235', 'yes', 'a, b', '–', '2001-09-09 01:46:40 UTC')
    """
    if value is None or value == "":
        return "–"
    if name in ("id", "sha256") and isinstance(value, str):
        return short_id(value)  # beside it stands the name
    if name.endswith("_ns") and isinstance(value, int):
        return format_time(value)
    writer = next((write for kind, write in WRITERS if isinstance(value, kind)), str)
    return _noun(value) if writer is str and dataclasses.is_dataclass(value) else writer(value)


def field_label(name: str) -> str:
    """Turn a field's name into a label.

    >>> field_label("valid_from_ns"), field_label("p99_ms")
    ('valid from', 'p99 ms')
    """
    return name.removesuffix("_ns").replace("_", " ")


def _list_text(values: Sequence[Any]) -> str:
    if values and all(isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], str) for v in values):  # noqa: PLR2004 - pairs
        return ", ".join(f"{key}: {value_text(inner)}" for key, inner in values)
    shown = [value_text(v) for v in values[:MOST_IN_A_CELL]]
    hidden = len(values) - len(shown)
    return ", ".join(shown) + (f" and {whole(hidden)} more" if hidden else "") if values else "none"


def _noun(value: Any) -> str:
    for name in ("id", "name", "label"):
        if isinstance(named := getattr(value, name, None), str):
            return shorten_ids(named)
    return ", ".join(
        f"{field_label(f.name)} {value_text(getattr(value, f.name), f.name)}" for f in dataclasses.fields(value)
    )


WRITERS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (bool, lambda value: "yes" if value else "no"),
    (float, format_number),
    (Note, sentence),
    (Subject, str),
    (Stratum, lambda value: str(value) or "everything"),
    (Status, lambda value: f"{MARKS[value].sign} {MARKS[value].word}"),
    (Enum, lambda value: str(value.value)),
    (str, lambda value: "a picture" if value.startswith(PICTURE) else shorten_ids(value)),
    (Mapping, lambda value: ", ".join(f"{key}: {value_text(inner)}" for key, inner in value.items())),
    (list | tuple, _list_text),
)
"""How each kind of value is written; the first that fits counts."""


def _cell(value: Any) -> Any:
    if isinstance(value, Status):
        return mark(value)
    return value if hasattr(value, "__rich_console__") or hasattr(value, "plain") else value_text(value)
