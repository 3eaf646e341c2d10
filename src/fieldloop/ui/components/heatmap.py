"""Coverage as a heat map: a number in every cell, orange for too little, blue for too much, hatched for none."""

from urllib.parse import urlencode

from fieldloop.report.plan.grid import Cell, Grid
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.numbers import format_fixed, percent

STEPS = ((0.4, "under-3"), (0.7, "under-2"), (0.9, "under-1"), (1.1, "even"), (1.5, "over-1"))
LEGEND = (
    ("nodata", "no data"),
    ("under-3", "under 0.4"),
    ("under-2", "0.4 to 0.7"),
    ("under-1", "0.7 to 0.9"),
    ("even", "matches"),
    ("over-1", "to 1.5"),
    ("over-2", "over"),
)


def draw_heat_map(grid: Grid) -> Markup:
    """Draw the share of the data over the share of production, by two factors."""
    head = [tag("span"), *(tag("span", name, class_="h") for name in map(_format_level_name, grid.columns))]
    rows = [
        join(
            tag("span", _format_level_name(name), class_="r"),
            *(_draw_cell(grid, name, column) for column in grid.columns),
        )
        for name in grid.rows
    ]
    width = f"grid-template-columns:max-content repeat({len(grid.columns)},minmax(76px,1fr))"
    return join(tag("div", *head, *rows, class_="heat", style=width), _draw_legend())


def _draw_cell(grid: Grid, row: str, column: str) -> Markup:
    cell = grid.cells.get((row, column))
    if cell is None:
        return tag("span", tag("b", "–"), tag("i", "not deployed"), class_="cell absent")
    fails = "not attempted" if cell.attempts == 0 else f"{percent(cell.failures / cell.attempts, 0)} fail"
    ratio = "none" if cell.demonstrations == 0 else f"{format_fixed(cell.ratio, 2)}"
    label = (
        f"{row}, {column}: {cell.demonstrations} demonstrations, ratio {ratio}, "
        f"{percent(cell.exposure)} of production, {fails} of {cell.attempts}"
    )
    target = f"/episodes?{urlencode({grid.row_factor: row, grid.column_factor: column})}"
    return tag(
        "a",
        tag("b", ratio),
        tag("i", fails),
        href=target,
        class_=f"cell {_choose_colour_class(cell)}",
        title=label,
        aria_label=label,
    )


def _format_level_name(level: str) -> str:
    return level.replace("_", " ")


def _choose_colour_class(cell: Cell) -> str:
    if cell.demonstrations == 0:
        return "nodata"
    return next((name for limit, name in STEPS if cell.ratio <= limit), "over-2")


def _draw_legend() -> Markup:
    return tag("div", *(tag("span", tag("i", class_=name), word) for name, word in LEGEND), class_="legend")
