"""Combinations of conditions that are deployed but were never shown; counted, never assumed."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Stratum
from fieldloop.model.note import note
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.strata import Codes, Table

Columns = tuple[int, ...]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Missing:
    """Combinations that no demonstration shows, by columns of the table: a mark and a share of production each.

    `unseen` are all of them; `marks` only the smallest: where a level was never shown, its combinations follow.
    """

    unseen: Mapping[Columns, Mask]
    marks: Mapping[Columns, Mask]
    shares: Mapping[Columns, NDArray[np.float64]]

    @property
    def count(self) -> int:
        """Return the number of smallest missing combinations."""
        return sum(int(marks.sum()) for marks in self.marks.values())


def encode_strata(table: Table, logged: Iterable[Stratum]) -> Codes:
    """Return one row of codes per logged stratum; a level that is not logged or not deployed is 0."""
    place = {factor: at for at, factor in enumerate(table.factors)}
    known = [{level: code for code, level in enumerate(levels)} for levels in table.levels]
    strata = list(logged)
    codes = np.zeros((len(strata), len(table.factors)), dtype=np.int32)
    for row, stratum in enumerate(strata):
        for condition in stratum.conditions:
            at = place.get(condition.factor)
            if at is not None:
                codes[row, at] = known[at].get(condition.level, 0)
    return codes


def find_missing_combinations(table: Table, shown: Codes, strength: int) -> Missing:
    """Mark what is deployed but never shown: single levels, then pairs, up to `strength` conditions together."""
    unseen: dict[Columns, Mask] = {}
    marks: dict[Columns, Mask] = {}
    shares: dict[Columns, NDArray[np.float64]] = {}
    live = table.exposure > 0.0
    codes, exposure = table.codes[live], table.exposure[live]
    for size in range(1, min(strength, len(table.factors)) + 1):
        for columns in itertools.combinations(range(len(table.factors)), size):
            shape = tuple(len(table.levels[at]) for at in columns)
            here, cells = number_combinations(codes, columns, shape), int(np.prod(shape))
            shares[columns] = np.bincount(here, exposure, cells).astype(np.float64)
            seen = np.bincount(number_combinations(shown, columns, shape), minlength=cells) > 0
            unseen[columns] = (shares[columns] > 0.0) & ~seen & ~_mark_cells_without_factor(shape)
            marks[columns] = unseen[columns] & ~_mark_implied_cells(marks, columns, shape)
    return Missing(unseen, marks, shares)


def number_combinations(codes: Codes, columns: Columns, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return one number per row for its levels in these columns."""
    key = np.zeros(len(codes), dtype=np.int64)
    for at, size in zip(columns, shape, strict=True):
        key = key * size + codes[:, at]
    return key


def mark_strata_with_missing_combinations(table: Table, missing: Missing) -> Mask:
    """Mark the strata that hold at least one missing combination."""
    inside = np.zeros(len(table), dtype=bool)
    for columns, marks in missing.marks.items():
        if marks.any():
            inside |= marks[number_combinations(table.codes, columns, tuple(len(table.levels[at]) for at in columns))]
    return inside & (table.exposure > 0.0)


def list_missing_combinations(table: Table, missing: Missing, most: int) -> Iterator[CoverageGap]:
    """Name the largest by their share of production, levels before combinations of them."""
    combinations = [
        (len(columns), -float(missing.shares[columns][key]), columns, int(key))
        for columns, marks in missing.marks.items()
        for key in np.flatnonzero(marks)
    ]
    for size, share, columns, key in sorted(combinations)[:most]:
        stratum = _make_stratum(table, columns, key)
        if size == 1:
            message = note("plan.level_never_shown", stratum=str(stratum), share=-share)
            yield CoverageGap(GapKind.NEVER_SHOWN, stratum, -share, message)
        else:
            message = note("plan.combination_never_shown", stratum=str(stratum), share=-share)
            yield CoverageGap(GapKind.COMBINATION, stratum, -share, message)
    if len(combinations) > most:
        whole = float(table.exposure[mark_strata_with_missing_combinations(table, missing)].sum())
        message = note("plan.more_combinations", more=len(combinations) - most, all=len(combinations), share=whole)
        yield CoverageGap(GapKind.COMBINATION, Stratum(), whole, message)


def _mark_cells_without_factor(shape: tuple[int, ...]) -> Mask:
    """Mark cells of strata that leave one of the factors out: level 0 stands for that."""
    absent = np.zeros(shape, dtype=bool)
    for axis in range(len(shape)):
        absent[(slice(None),) * axis + (0,)] = True
    return absent.ravel()


def _mark_implied_cells(marks: Mapping[Columns, Mask], columns: Columns, shape: tuple[int, ...]) -> Mask:
    """Mark cells that add nothing, because a part of them is marked already."""
    implied = np.zeros(shape, dtype=bool)
    for size in range(1, len(columns)):
        for part in itertools.combinations(range(len(columns)), size):
            marked = marks[tuple(columns[at] for at in part)].reshape([shape[at] for at in part])
            implied |= marked.reshape([shape[at] if at in part else 1 for at in range(len(columns))])
    return implied.ravel()


def _make_stratum(table: Table, columns: Columns, key: int) -> Stratum:
    at = np.unravel_index(key, [len(table.levels[column]) for column in columns])
    return Stratum.of(
        {table.factors[column]: table.levels[column][int(code)] for column, code in zip(columns, at, strict=True)}
    )
