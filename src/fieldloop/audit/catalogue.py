"""Read the catalogue of articles and sort them into tiers by how often they are picked."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fieldloop.audit.cells import Cells, read_table_rows
from fieldloop.audit.master_columns import Column, match_master_columns
from fieldloop.audit.units import explain_impossible_values
from fieldloop.errors import BadInput
from fieldloop.model.deployment import Sku
from fieldloop.model.episode_text import parse_bool
from fieldloop.protocol import Section

MANDATORY = ("sku", "picks_per_week")
ATTRIBUTES = ("mass_kg", "length_m", "width_m", "height_m", "packaging", "deformable", "texture")
COLUMNS = (*MANDATORY, "site", *ATTRIBUTES)
TIERS = ("high", "medium", "long_tail")
SIDES = ("length_m", "width_m", "height_m")
LIMITED = {"picks_per_week": "picks_per_week", "mass_kg": "mass_kg", **dict.fromkeys(SIDES, "article_side_m")}
"""Columns with a known possible range, and the setting that states it."""
NOT_PICKED = "write 0 for an article that is not picked"


def read_catalogue(text: str, settings: Section, file: str = "skus.csv") -> tuple[Sku, ...]:
    """Read articles from CSV; an empty text is an empty catalogue, which the audit reports.

    With a column `site` an article has one row for each site, and its velocity is the sum.
    """
    if not text.strip():
        return ()
    skus: dict[str, Sku] = {}
    for cells in read_table_rows(text, file, COLUMNS, MANDATORY):
        sku = _read_article(cells, settings)
        known = skus.get(sku.id)
        skus[sku.id] = sku if known is None else _join_sites_of_article(known, sku, cells)
    if not skus:
        raise BadInput(f"{file} has a header but no article; add one row per article.")
    _refuse_implausible_medians(skus.values(), settings, file)
    return assign_tiers(tuple(skus.values()), settings)


def read_item_master(text: str, file: str) -> dict[str, Sku]:
    """Read the physical properties of articles by id; other columns are ignored.

    The article's column may have any usual name, and masses and sides any usual unit in theirs: 'Weight (g)'.
    """
    skus: dict[str, Sku] = {}
    columns: dict[int, Column] = {}
    for raw in read_table_rows(text, file, (), (), others=True):
        columns = columns or match_master_columns(list(raw), file)
        cells = _convert_to_catalogue_units(raw, columns)
        sku = read_description(cells)
        if sku.id in skus:
            cells.refuse_value("sku", f"the article {sku.id!r} is listed twice; keep one row.")
        skus[sku.id] = sku
    return skus


def _convert_to_catalogue_units(raw: Cells, columns: Mapping[int, Column]) -> Cells:
    """Return a row of a master under the names of the catalogue, in kilograms and metres."""
    names, values = list(raw), {}
    for at, (name, factor) in columns.items():
        number = raw.read_number(names[at]) if factor != 1.0 else None
        values[name] = raw[names[at]] if number is None else f"{number * factor:.12g}"
    return Cells(values, raw.where)


def assign_tiers(skus: Sequence[Sku], settings: Section) -> tuple[Sku, ...]:
    """Assign each article its tier: most picked first, until the tier's share of all picks is reached.

    Without any picks, tiers stay empty.
    """
    high, medium = settings.number("high_tier_share"), settings.number("medium_tier_share")
    total = math.fsum(sku.picks_per_week for sku in skus)
    if not total:
        return tuple(replace(sku, tier="") for sku in skus)
    tiers, before = {}, 0.0
    for sku in sorted(skus, key=lambda s: (-s.picks_per_week, s.id)):
        share = before / total
        tiers[sku.id] = TIERS[0] if share < high else TIERS[1] if share < medium else TIERS[2]
        before += sku.picks_per_week
    return tuple(replace(sku, tier=tiers[sku.id]) for sku in skus)


def read_description(cells: Cells) -> Sku:
    """Read an article's name and physical properties."""
    if not cells["sku"]:
        cells.refuse_value("sku", "the article has no name; fill it in or delete the row.")
    size = tuple(cells.read_number(side) for side in SIDES)
    given = cells.get("deformable", "")
    deformable = parse_bool(given)
    if given and deformable is None:
        cells.refuse_value("deformable", f"{given!r} is neither yes nor no.")
    return Sku(
        id=cells["sku"],
        picks_per_week=0.0,
        mass_kg=cells.read_number("mass_kg"),
        size_m=None if None in size else (size[0] or 0.0, size[1] or 0.0, size[2] or 0.0),
        packaging=cells.get("packaging", ""),
        deformable=deformable,
        texture=cells.get("texture", ""),
    )


def _read_article(cells: Cells, settings: Section) -> Sku:
    sku, picks, site = read_description(cells), cells.read_number("picks_per_week", NOT_PICKED), cells.get("site", "")
    if picks is None:
        cells.refuse_value("picks_per_week", f"empty; {NOT_PICKED}.")
    _refuse_impossible_values(cells, settings)
    if "site" in cells and not site:
        cells.refuse_value("site", "empty; with a column `site` every row must name its site.")
    return replace(sku, picks_per_week=picks, by_site=((site, picks),) if site else ())


def _refuse_impossible_values(cells: Cells, settings: Section) -> None:
    for column, quantity in LIMITED.items():
        least, _, _, most = settings[quantity]
        value = cells.read_number(column)
        if value is not None and not least <= value <= most:
            why = explain_impossible_values(quantity, (value,), settings)
            cells.refuse_value(column, f"{value:g}: {why}. Correct it, or widen audit.{quantity} in operations.toml.")


def _refuse_implausible_medians(skus: Iterable[Sku], settings: Section, file: str) -> None:
    """Refuse a catalogue whose median article is unusual: one article may be heavy or long, not half of them."""
    listed = tuple(skus)
    for columns, quantity, values in (
        ("mass_kg", "mass_kg", [sku.mass_kg for sku in listed if sku.mass_kg is not None]),
        (", ".join(SIDES), "article_side_m", [max(sku.size_m) for sku in listed if sku.size_m is not None]),
    ):
        middle = statistics.median(values) if values else 0.0
        if middle and (why := explain_impossible_values(quantity, (middle,), settings)):
            raise BadInput(
                f"{file}, {columns}: the median of {len(values):,} articles is {middle:g}; {why}. Correct the "
                f"column, or widen audit.{quantity} in operations.toml."
            )


def _join_sites_of_article(known: Sku, sku: Sku, cells: Cells) -> Sku:
    """Sum one article over its sites; its physical properties must agree between them."""
    if not sku.by_site or sku.by_site[0][0] in dict(known.by_site):
        cells.refuse_value("sku", f"the article {sku.id!r} is listed twice; add its picks into one row.")
    news = {}
    for name in ("mass_kg", "size_m", "packaging", "deformable", "texture"):
        known_value, new_value = getattr(known, name), getattr(sku, name)
        if known_value not in (None, "") and new_value not in (None, "") and known_value != new_value:
            cells.refuse_value(
                name, f"the article {sku.id!r} was {known_value} in an earlier row and is {new_value} here."
            )
        news[name] = new_value if known_value in (None, "") else known_value
    picks = known.picks_per_week + sku.picks_per_week
    return replace(known, picks_per_week=picks, by_site=(*known.by_site, *sku.by_site), **news)
