"""Coverage as a heat map: a number in every cell; orange is too little, blue more than its share, hatched none."""

from collections.abc import Sequence
from typing import Any

from fieldloop.model.plan import Coverage
from fieldloop.report.markup import draw_figure, draw_folded, draw_paragraph
from fieldloop.report.plan.content import select_deployed_strata
from fieldloop.report.plan.grid import MOST_LEVELS, SITE, Cell, Grid, choose_grid_factors, make_coverage_grid
from fieldloop.report.plots import BAD, INK, INK_2, INK_3, LINE_2, SURFACE, Margins, make_responsive, open_drawing
from fieldloop.say.html import Markup, join
from fieldloop.say.numbers import format_fixed, format_plural, percent
from fieldloop.stats import binomial

TONES = ((0.4, "#b3540a"), (0.7, "#e39a5c"), (0.9, "#f6d9bd"), (1.1, "#eef0f2"), (1.5, "#c5d8f4"))
MOST_TONE = "#7fa6e2"
DARKEST = TONES[0][1]
NONE = "#e39a5c"
CELL_WIDTH, CELL_HEIGHT = 0.98, 0.44
LETTER = 0.066
"""Width of a letter in inches at 8 points, about."""

LONGEST_NAME = 24
FEW_SITES, MOST_SITES = 3, 6
LEGEND = (
    "Bold: share of the data ÷ share of production; 1 matches, orange is too little, blue more than its share, hatched "
    "none. At the right: share of production. Below: failures among attempts in production, red or bold where they are "
    "clearly above the overall rate."
)


def draw_coverage(coverage: Sequence[Coverage]) -> Markup:
    """Draw the two most informative factors: one map for all, and one per site where there are several."""
    coverage = select_deployed_strata(coverage)
    rows, columns = choose_grid_factors(coverage)
    whole = make_coverage_grid(coverage, rows, columns, MOST_LEVELS)
    sites = _group_by_site(coverage)
    usual = _compute_failure_rate(coverage)
    if len(sites) < 2 or SITE in (rows, columns):  # noqa: PLR2004 - one site is the whole
        return Markup(
            f'<div class="maps">{draw_figure(draw_heat_map(whole, usual), "")}</div>{draw_paragraph(LEGEND, "dim")}'
        )
    maps = []
    for site in list(sites)[:MOST_SITES]:
        share = sum(c.exposure for c in sites[site])
        of_site = make_coverage_grid(sites[site], whole.row_factor, whole.column_factor, MOST_LEVELS)
        maps.append(draw_figure(draw_heat_map(of_site, usual), f"{site}, {percent(share, 0)} of production"))
    hidden = len(sites) - MOST_SITES
    first, legend = draw_figure(draw_heat_map(whole, usual), "all sites"), draw_paragraph(LEGEND, "dim")
    if len(maps) <= FEW_SITES:
        return Markup(f'<div class="maps">{join(first, *maps)}</div>{legend}')
    smaller = f"; {format_plural(hidden, 'smaller one')} only in the map of all" if hidden > 0 else ""
    by_site = draw_folded(f"The {len(maps)} largest sites{smaller}", [Markup(f'<div class="maps">{join(*maps)}</div>')])
    return Markup(f'<div class="maps">{first}</div>{legend}{by_site}')


def draw_heat_map(grid: Grid, overall_failure_rate: float) -> Markup:
    """Draw one map; `overall_failure_rate` is the failure rate of the whole, above which a cell is marked."""
    left = 0.25 + LETTER * max((len(_format_level_name(n)) for n in (*grid.rows, grid.row_factor)), default=0)
    width, height = left + CELL_WIDTH * len(grid.columns) + 0.05, CELL_HEIGHT * len(grid.rows) + 0.5
    with open_drawing(width, height, Margins(left, 0.05, 0.45, 0.05)) as (axis, made):
        axis.grid(visible=False)
        for y, row in enumerate(grid.rows):
            for x, column in enumerate(grid.columns):
                _draw_cell(axis, x, y, grid.cells.get((row, column)), overall_failure_rate)
        axis.set_xlim(0, len(grid.columns))
        axis.set_ylim(len(grid.rows), 0)
        axis.xaxis.tick_top()
        axis.set_xticks(
            [x + 0.5 for x in range(len(grid.columns))], [_truncate_to_cell(n) for n in grid.columns], color=INK_2
        )
        axis.set_yticks(
            [y + 0.5 for y in range(len(grid.rows))], [_format_level_name(n) for n in grid.rows], color=INK_2
        )
        for spine in axis.spines.values():
            spine.set_visible(False)
        corner = f"{_format_level_name(grid.row_factor)} ↓  {_format_level_name(grid.column_factor)} →"
        above = {"xycoords": ("axes fraction", "axes fraction"), "textcoords": "offset points", "color": INK_3}
        axis.annotate(corner, (0, 1), (0, 19), ha="left", **above)
    title = f"Share of the data over share of production by {grid.row_factor} and {grid.column_factor}"
    return make_responsive(made[0], title, width, min_width_in=width)


def _draw_cell(axis: Any, x: int, y: int, cell: Cell | None, overall_failure_rate: float) -> None:
    from matplotlib.patches import Rectangle

    place = (x + 0.015, y + 0.03), 0.97, 0.94
    if cell is None:
        axis.add_patch(Rectangle(*place, facecolor="none", edgecolor=LINE_2, linewidth=0.6, linestyle=":"))
        axis.text(x + 0.5, y + 0.5, "not deployed", ha="center", va="center", color=INK_3)
        return
    tone = _choose_cell_colour(cell)
    if cell.demonstrations == 0:
        axis.add_patch(Rectangle(*place, facecolor=SURFACE, edgecolor=NONE, linewidth=0.8, hatch="////"))
        # a background behind the text, so that the hatching does not cross it
        axis.add_patch(Rectangle((x + 0.05, y + 0.1), 0.9, 0.8, facecolor=SURFACE, edgecolor="none"))
    else:
        axis.add_patch(Rectangle(*place, facecolor=tone, edgecolor="none"))
    ink = SURFACE if tone == DARKEST and cell.demonstrations else INK
    ratio = "none" if cell.demonstrations == 0 else format_fixed(cell.ratio, 2)
    axis.text(x + 0.07, y + 0.33, ratio, va="center", color=ink, fontweight="bold")
    axis.text(x + 0.93, y + 0.33, _format_share(cell.exposure), va="center", ha="right", color=ink)
    fails, beyond = _format_cell_failures(cell, overall_failure_rate)
    on_light = tone != DARKEST or cell.demonstrations == 0
    axis.text(x + 0.07, y + 0.7, fails, va="center", color=BAD if beyond and on_light else ink,
              fontweight="bold" if beyond else "normal")  # fmt: skip


def _format_cell_failures(cell: Cell, overall_failure_rate: float) -> tuple[str, bool]:
    """Write the failures of a cell, and mark them where they are clearly above the overall rate."""
    if not cell.attempts:
        return "not attempted", False
    low, _ = binomial.compute_wilson_interval(min(cell.failures, cell.attempts), cell.attempts)
    return f"{percent(cell.failures / cell.attempts, 0)} fail", low > overall_failure_rate


def _choose_cell_colour(cell: Cell) -> str:
    return next((colour for limit, colour in TONES if cell.ratio <= limit), MOST_TONE)


def _compute_failure_rate(coverage: Sequence[Coverage]) -> float:
    attempts = sum(c.attempts for c in coverage)
    return sum(c.failures for c in coverage) / attempts if attempts else 0.0


def _group_by_site(coverage: Sequence[Coverage]) -> dict[str, list[Coverage]]:
    sites: dict[str, list[Coverage]] = {}
    for one in coverage:
        for condition in one.stratum.conditions:
            if condition.factor == SITE:
                sites.setdefault(condition.level, []).append(one)
    return dict(sorted(sites.items(), key=lambda pair: -sum(c.exposure for c in pair[1])))


def _format_share(share: float) -> str:
    return percent(share) if share < 0.1 else percent(share, 0)  # noqa: PLR2004 - digits that fit


def _format_level_name(text: str) -> str:
    name = text.replace("_", " ")
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _truncate_to_cell(text: str) -> str:
    name, most = text.replace("_", " "), int(CELL_WIDTH / LETTER)
    return name if len(name) <= most else f"{name[: most - 1]}…"
