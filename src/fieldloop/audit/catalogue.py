"""Read the catalogue of articles and sort them into tiers by how often they are picked."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.deployment import Sku
from fieldloop.protocol import Section

MANDATORY = ("sku", "picks_per_week")
COLUMNS = (*MANDATORY, "mass_kg", "length_m", "width_m", "height_m", "packaging", "deformable")
YES, NO = ("yes", "true", "1"), ("no", "false", "0")
TIERS = ("high", "medium", "long_tail")


def read_catalogue(text: str, settings: Section, file: str = "skus.csv") -> tuple[Sku, ...]:
    """Read articles from CSV; an empty text is an empty catalogue, which the audit then names."""
    if not text.strip():
        return ()
    skus: dict[str, Sku] = {}
    for cells in _rows(text, file):
        sku = _sku(cells)
        if sku.id in skus:
            cells.refuse("sku", f"the article {sku.id!r} is listed twice; add its picks into one row.")
        skus[sku.id] = sku
    if not skus:
        raise BadInput(f"{file} has a header and no article; add one row per article.")
    return with_tiers(tuple(skus.values()), settings.number("high_tier_share"), settings.number("medium_tier_share"))


def with_tiers(skus: Sequence[Sku], high_share: float, medium_share: float) -> tuple[Sku, ...]:
    """Name each article's tier: most picked first, until the tier's share of all picks is reached.

    >>> [s.tier for s in with_tiers([Sku("a", 85), Sku("b", 12), Sku("c", 3)], 0.8, 0.95)]
    ['high', 'medium', 'long_tail']
    """
    total = math.fsum(sku.picks_per_week for sku in skus)
    tiers, before = {}, 0.0
    for sku in sorted(skus, key=lambda s: (-s.picks_per_week, s.id)):
        share = before / total if total else 1.0
        tiers[sku.id] = TIERS[0] if share < high_share else TIERS[1] if share < medium_share else TIERS[2]
        before += sku.picks_per_week
    return tuple(replace(sku, tier=tiers[sku.id]) for sku in skus)


class _Cells(dict[str, str]):
    """One line of the catalogue, which knows where it stands."""

    def __init__(self, values: dict[str, str], where: str) -> None:
        super().__init__(values)
        self.where = where

    def refuse(self, column: str, what: str) -> NoReturn:
        raise BadInput(f"{self.where}, column {column}: {what}")

    def number(self, column: str) -> float | None:
        """A finite number that is not negative; None where the cell is empty."""
        cell = self.get(column, "")
        if not cell:
            return None
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.refuse(column, f"{cell!r} is not a number; write digits with a decimal point, or leave it empty.")
        if value < 0.0:
            self.refuse(column, f"{cell!r} is negative; correct it or leave it empty.")
        return value


def _rows(text: str, file: str) -> Iterator[_Cells]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader)]
        _check_header(header, file)
        for row in reader:
            where = f"{file}, line {reader.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise BadInput(
                    f"{where}: {len(row)} cells under {len(header)} columns; put text with commas in quotes."
                )
            yield _Cells({name: cell.strip() for name, cell in zip(header, row, strict=True)}, where)
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is a quotation mark left open?") from wrong


def _check_header(header: list[str], file: str) -> None:
    for name in header:
        if name not in COLUMNS:
            raise BadInput(
                f"{file}, line 1: {UnknownName('column', name, COLUMNS)} Known, by commas: {', '.join(COLUMNS)}."
            )
        if header.count(name) > 1:
            raise BadInput(f"{file}, line 1: the column {name!r} is there twice; keep one.")
    for name in MANDATORY:
        if name not in header:
            raise BadInput(f"{file}, line 1: the column {name!r} is missing; {' and '.join(MANDATORY)} are needed.")


def _sku(cells: _Cells) -> Sku:
    if not cells["sku"]:
        cells.refuse("sku", "the article has no name; fill it in or delete the row.")
    picks = cells.number("picks_per_week")
    if picks is None:
        cells.refuse("picks_per_week", "empty; write 0 for an article that is not picked.")
    size = tuple(cells.number(side) for side in ("length_m", "width_m", "height_m"))
    deformable = cells.get("deformable", "").lower()
    if deformable not in ("", *YES, *NO):
        cells.refuse("deformable", f"{deformable!r} is neither yes nor no.")
    return Sku(
        id=cells["sku"],
        picks_per_week=picks,
        mass_kg=cells.number("mass_kg"),
        size_m=None if None in size else (size[0] or 0.0, size[1] or 0.0, size[2] or 0.0),
        packaging=cells.get("packaging", ""),
        deformable=None if not deformable else deformable in YES,
    )
