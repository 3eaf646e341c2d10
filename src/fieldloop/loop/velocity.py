"""A catalogue with velocity, made from what a warehouse system exports anyway."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fieldloop.audit import TIERS, OrderLines, Skipped, catalogue_from, catalogue_text, read_master, read_order_lines
from fieldloop.errors import BadInput
from fieldloop.loop.audit import read_map
from fieldloop.loop.whole_file import write_whole
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Sku
from fieldloop.protocol import Section, default_operations

MANY_LINES = 10
"""Of fewer lines, one makes up much of all pieces anyway."""


@dataclass(frozen=True, slots=True)
class TierCounted:
    """How many articles a tier holds, and which share of all picks."""

    tier: str
    skus: int
    share: float


@dataclass(frozen=True, slots=True)
class Velocity:
    """What the order lines say: from when to when, which columns, what was left out and why, and the tiers."""

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


def velocity(  # noqa: PLR0913 - each is an option of the command
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
    """Make the catalogue with pick velocity from an export of order lines.

    Columns are found by their names; what is unclear is asked for. Weeks are counted from the first day to the last.

    Arguments:
        lines: order lines as CSV with a header, one line an article of an order
        out: where the catalogue is written
        master: an item master as CSV with sku, mass_kg, length_m … in the words of skus.csv
        count: pieces, each of which is a pick, or lines
        dates: which comes first in days such as 3/4/2026, where the data do not tell
        sku_column: the column that names the article
        date_column: the column with the day
        pieces_column: the column with the number of pieces
        site_column: the column that names the site
        overwrite: write over a catalogue that is there already
    """
    settings = (workspace.operations if workspace else default_operations())["audit"]
    named = {"sku": sku_column, "date": date_column, "pieces": pieces_column, "site": site_column}
    items = read_master(read_map(master), master.name) if master else {}
    counted = _counted(lines, named, dates, settings, lines_are_picks=count == "lines")
    made = catalogue_from(counted, items, settings)
    if out.exists() and not overwrite:
        keep = f"--master {out} keeps what it says of articles" if master is None else "name another with --out"
        raise BadInput(f"{out} is there already and would be lost: {keep}, --overwrite writes over it.")
    write_whole(out, catalogue_text(made), "catalogue")
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
        tiers=tuple(_tier(tier, made, total) for tier in TIERS),
        skipped=counted.skipped,
        remarks=tuple(_remarks(counted, items, total, settings)),
    )


def _counted(lines: Path, named: dict[str, str], dates: str, settings: Section, *, lines_are_picks: bool) -> OrderLines:
    if lines.is_dir():
        raise BadInput(f"{lines} is a folder; name the export of order lines in it, as CSV.")
    if not lines.is_file():
        raise BadInput(f"{lines} is not there; give an export of order lines as CSV.")
    try:
        with lines.open(encoding="utf-8", newline="") as text:
            return read_order_lines(
                text, settings, file=lines.name, named=named, dates=dates, lines_are_picks=lines_are_picks
            )
    except UnicodeDecodeError as wrong:
        raise BadInput(f"{lines} is not UTF-8 text (byte {wrong.start}); save it as UTF-8.") from wrong


def _tier(tier: str, skus: tuple[Sku, ...], total: float) -> TierCounted:
    own = [sku.picks_per_week for sku in skus if sku.tier == tier]
    return TierCounted(tier, len(own), sum(own) / total)


def _remarks(counted: OrderLines, items: dict[str, Sku], total: float, settings: Section) -> list[str]:
    said = []
    largest, pieces = counted.largest, total * counted.weeks
    if counted.lines >= MANY_LINES and largest.pieces > settings.number("one_line_share") * pieces:
        said.append(
            f"Line {largest.number} alone is {100 * largest.pieces / pieces:.0f} % of all pieces: "
            f"{largest.pieces:,.12g} of {largest.sku}. Take it out if it is no order, or say --count lines."
        )
    if counted.weeks < 1.0:
        said.append(f"The lines span {counted.weeks * 7:.0f} days; a week is more than was counted.")
    if "pieces" not in dict(counted.columns):
        said.append("Every line counts as one pick.")
    if items:
        unknown = [sku for sku in counted.picks if sku not in items]
        share = sum(sum(counted.picks[sku].values()) for sku in unknown) / counted.weeks / total
        if unknown:
            said.append(f"{len(unknown)} picked articles ({100 * share:.1f} % of picks) are not in the item master.")
        if idle := len(set(items) - set(counted.picks)):
            said.append(f"{idle} articles of the item master were never picked.")
    return said
