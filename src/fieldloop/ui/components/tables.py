"""Dense tables: 28 px rows, figures to the right, the first column stays in sight on a phone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.say.html import Markup, tag


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, and what is in it: `num` figures, `text` that wraps, `slim` as narrow as it can."""

    title: str
    kind: str = ""


Cells = Sequence[Any]
Row = Cells | tuple[Cells, Mapping[str, Any]]


def draw_table(columns: Sequence[Column | str], rows: Iterable[Row], table_id: str | None = None) -> Markup:
    """Lay rows out; a row may be a pair of cells and attributes of its own (`data_x`, `class_`)."""
    known = [column if isinstance(column, Column) else Column(column) for column in columns]
    head = tag("tr", *(tag("th", c.title, class_=_choose_cell_class(c, k), scope="col") for k, c in enumerate(known)))
    body = [_draw_row(known, row) for row in rows]
    return tag("table", tag("thead", head), tag("tbody", *body), class_="t", id=table_id)


def _draw_row(columns: Sequence[Column], row: Row) -> Markup:
    cells, attributes = _split_cells_and_attributes(row)
    return tag(
        "tr", *(tag("td", cell, class_=_choose_cell_class(columns[k], k)) for k, cell in enumerate(cells)), **attributes
    )


def _split_cells_and_attributes(row: Row) -> tuple[Cells, Mapping[str, Any]]:
    if len(row) == 2 and isinstance(row[1], Mapping):  # noqa: PLR2004 - cells and their row's attributes
        return row[0], row[1]
    return row, {}


def _choose_cell_class(column: Column, column_index: int) -> str | None:
    return f"{column.kind} {'stick' if column_index == 0 else ''}".strip() or None
