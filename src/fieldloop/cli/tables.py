"""The few shapes that results are printed in: status marks, facts, tables, values as a person reads them."""

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from fieldloop.model.codec import iso
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

MARKS = {
    Status.PASSED: ("✓", "passed", "green"),
    Status.FAILED: ("✗", "failed", "bold red"),
    Status.ERRORED: ("✗", "errored", "bold red"),
    Status.CANNOT_TELL: ("▲", "cannot tell", "yellow"),
    Status.NOT_APPLICABLE: ("–", "not applicable", "dim"),
}
SHORT = 12  # letters of a content id; any unique beginning is accepted back
MOST_IN_A_CELL = 4  # of a list inside a fact; --json has all
HASH = re.compile(r"[0-9a-f]{64}")


def mark(status: Status, word: str = "") -> "Text":
    """Write a status as shape and word, so that it reads without colour."""
    shape, usual, style = MARKS[status]
    return styled(f"{shape} {word or usual}", style)


def styled(text: str, style: str) -> "Text":
    """Write a text in a style."""
    from rich.text import Text

    return Text(text, style=style)


def heading(text: str) -> "Text":
    """Write a section's heading."""
    return styled(text, "bold")


def under(line: Any, below: str) -> "Text":
    """Put a second, dim line into a cell: what would make a row wider than a screen stands under it."""
    return styled(said(line), "default").append(f"\n{below}", style="dim") if below else styled(said(line), "default")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[str] = ()) -> "Table":
    """Lay rows out under columns; `right` names the columns of figures."""
    from rich import box
    from rich.table import Table

    laid = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for column in columns:
        laid.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        laid.add_row(*(_cell(value) for value in row))
    return laid


def facts(pairs: Iterable[tuple[str, Any]]) -> "Table":
    """Lay names and values out in two columns."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(name, _cell(value))
    return grid


def said(value: Any, name: str = "") -> str:
    """Write a value as a person reads it.

    >>> said(0.12345), said(True), said(("a", "b")), said(None), said(1_700_000_000_000_000_000, "made_ns")
    ('0.1235', 'yes', 'a, b', '–', '2023-11-14 22:13:20Z')
    """
    if value is None or value == "":
        return "–"
    if name.endswith("_ns") and isinstance(value, int):
        return when(value)
    writer = next((write for kind, write in WRITERS if isinstance(value, kind)), str)
    return _noun(value) if writer is str and dataclasses.is_dataclass(value) else writer(value)


def when(at_ns: int) -> str:
    """Write a time to the second, in UTC."""
    return iso(at_ns)[:19].replace("T", " ") + "Z"


def short(text: str) -> str:
    """Shorten content ids to a beginning that commands accept back.

    >>> short("ab" * 32), short("lighting=dim")
    ('abababababab', 'lighting=dim')
    """
    return HASH.sub(lambda found: found[0][:SHORT], text)


def percent(share: float | None, digits: int = 1) -> str:
    """Write a share in per cent.

    >>> percent(0.8333), percent(None)
    ('83.3 %', '–')
    """
    return "–" if share is None or not math.isfinite(share) else f"{100 * share:.{digits}f} %"


def points(difference: float, digits: int = 1) -> str:
    """Write a difference of rates in points, with its sign.

    >>> points(0.041), points(-0.05)
    ('+4.1', '-5.0')
    """
    return f"{100 * difference:+.{digits}f}"


def span(seconds: float) -> str:
    """Write a duration in the unit a person would choose.

    >>> span(42), span(900), span(15_000), span(700_000)
    ('42 s', '15 min', '4.2 h', '8.1 days')
    """
    for unit, size, enough in (("days", 86_400, 2), ("h", 3_600, 2), ("min", 60, 2)):
        if seconds >= enough * size:
            return f"{seconds / size:.0f} {unit}" if unit == "min" else f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def words(name: str) -> str:
    """Turn a field's name into a label.

    >>> words("valid_from_ns"), words("p99_ms")
    ('valid from', 'p99 ms')
    """
    return name.removesuffix("_ns").replace("_", " ")


def _several(values: Sequence[Any]) -> str:
    if values and all(isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], str) for v in values):  # noqa: PLR2004 - pairs
        return ", ".join(f"{key}: {said(inner)}" for key, inner in values)
    shown = [said(v) for v in values[:MOST_IN_A_CELL]]
    hidden = len(values) - len(shown)
    return ", ".join(shown) + (f" and {hidden:,} more" if hidden else "") if values else "none"


def _noun(value: Any) -> str:
    for name in ("id", "name", "label"):
        if isinstance(named := getattr(value, name, None), str):
            return short(named)
    return ", ".join(f"{words(f.name)} {said(getattr(value, f.name), f.name)}" for f in dataclasses.fields(value))


WRITERS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (bool, lambda value: "yes" if value else "no"),
    (float, lambda value: f"{value:.4g}" if math.isfinite(value) else "no number"),
    (Stratum, lambda value: str(value) or "everything"),
    (Status, lambda value: " ".join(MARKS[value][:2])),
    (Enum, lambda value: str(value.value)),
    (str, short),
    (Mapping, lambda value: ", ".join(f"{key}: {said(inner)}" for key, inner in value.items())),
    (list | tuple, _several),
)
"""How each kind of value is written; the first that fits counts."""


def _cell(value: Any) -> Any:
    if isinstance(value, Status):
        return mark(value)
    return value if hasattr(value, "__rich_console__") or hasattr(value, "plain") else said(value)
