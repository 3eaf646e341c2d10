"""Make a catalogue with pick velocity from order lines that a warehouse system exports."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fieldloop.audit import (
    TIERS,
    OrderLines,
    Skipped,
    make_catalogue,
    read_item_master,
    read_order_lines,
    write_catalogue_csv,
)
from fieldloop.errors import BadInput
from fieldloop.loop.audit.audit import read_map
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Sku
from fieldloop.protocol import Section, default_operations
from fieldloop.say.numbers import format_count, format_fixed, percent
from fieldloop.text_files import open_text

MANY_LINES = 10
"""With fewer lines, one line naturally makes up much of all pieces."""


@dataclass(frozen=True, slots=True)
class TierCounted:
    """The number of articles in a tier, and its share of all picks."""

    tier: str
    skus: int
    share: float


@dataclass(frozen=True, slots=True)
class Velocity:
    """Summary of the order lines: period, columns, what was left out and why, and the tiers."""

    catalogue: str
    lines: int
    used: int
    skus: int
    first_day: str
    last_day: str
    weeks: float
    picks_per_week: float
    columns: tuple[tuple[str, str], ...]
    tiers: tuple[TierCounted, ...]
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[str, ...] = ()


def write_velocity_catalogue(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace | None,
    lines: Path,
    *,
    out: Path = Path("skus.csv"),
    master: Path | None = None,
    count: Literal["pieces", "lines"] = "pieces",
    dates: Literal["", "day-first", "month-first"] = "",
    sku_column: str = "",
    date_column: str = "",
    pieces_column: str = "",
    site_column: str = "",
    overwrite: bool = False,
) -> Velocity:
    """Make the catalogue of articles, with how often each is picked, from an export of order lines.

    Columns are found by their names; ambiguous ones must be named. Weeks are counted from the first day to the last.

    Arguments:
        lines: order lines as CSV with a header, one line per article of an order
        out: where the catalogue is written
        master: an item master as CSV: the article, and masses and sides with their units, such as weight_g, length_mm
        count: what counts as a pick: each piece, or each order line
        dates: whether day or month comes first in dates such as 3/4/2026, if the data do not show it
        sku_column: the column that names the article
        date_column: the column with the day
        pieces_column: the column with the number of pieces
        site_column: the column that names the site
        overwrite: replace an existing catalogue
    """
    settings = (workspace.operations if workspace else default_operations())["audit"]
    named = {"sku": sku_column, "date": date_column, "pieces": pieces_column, "site": site_column}
    items = read_item_master(read_map(master), master.name) if master else {}
    counted = _read_order_lines_file(lines, named, dates, settings, lines_are_picks=count == "lines")
    made = make_catalogue(counted, items, settings)
    if out.exists() and not overwrite:
        keep = f"--master {out} keeps its articles" if master is None else "name another with --out"
        raise BadInput(f"{out} already exists. {keep}, or replace it with --overwrite.")
    write_atomically(out, write_catalogue_csv(made), "catalogue")
    total = sum(sku.picks_per_week for sku in made)
    return Velocity(
        catalogue=str(out),
        lines=counted.lines,
        used=counted.lines - sum(one.lines for one in counted.skipped),
        skus=len(made),
        first_day=counted.first_day.isoformat(),
        last_day=counted.last_day.isoformat(),
        weeks=counted.weeks,
        picks_per_week=total,
        columns=counted.columns,
        tiers=tuple(_count_tier(tier, made, total) for tier in TIERS),
        skipped=counted.skipped,
        remarks=tuple(_list_remarks(counted, items, total, settings)),
    )


def _read_order_lines_file(
    lines: Path, named: dict[str, str], dates: str, settings: Section, *, lines_are_picks: bool
) -> OrderLines:
    with open_text(lines) as text:
        return read_order_lines(
            text, settings, file=lines.name, named=named, dates=dates, lines_are_picks=lines_are_picks
        )


def _count_tier(tier: str, skus: tuple[Sku, ...], total: float) -> TierCounted:
    tier_picks = [sku.picks_per_week for sku in skus if sku.tier == tier]
    return TierCounted(tier, len(tier_picks), sum(tier_picks) / total)


def _list_remarks(counted: OrderLines, items: dict[str, Sku], total: float, settings: Section) -> list[str]:
    remarks = []
    largest, pieces = counted.largest, total * counted.weeks
    if counted.lines >= MANY_LINES and largest.pieces > settings.number("one_line_share") * pieces:
        remarks.append(
            f"Line {largest.number} alone is {percent(largest.pieces / pieces, 0)} of all pieces: "
            f"{format_count(largest.pieces)} of {largest.sku}. Remove it if it is not an order, or use --count lines."
        )
    if counted.weeks < 1.0:
        remarks.append(f"The lines span {format_fixed(counted.weeks * 7, 0)} days; less than a week was counted.")
    if "pieces" not in dict(counted.columns):
        remarks.append("Every line counts as one pick.")
    if items:
        unknown = [sku for sku in counted.picks if sku not in items]
        share = sum(sum(counted.picks[sku].values()) for sku in unknown) / counted.weeks / total
        if unknown:
            remarks.append(f"{len(unknown)} picked articles ({percent(share)} of picks) are not in the item master.")
        if idle := len(set(items) - set(counted.picks)):
            remarks.append(f"{idle} articles of the item master were never picked.")
    return remarks
