"""The fewest strata that show every missing combination of conditions: a covering array, verified by counting."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.gaps.combinations import Columns, Mask, Missing, number_combinations
from fieldloop.plan.strata import Codes, Table

MOST_FOR_ARRAY = 5_000
"""Combinations up to which a covering array takes less than a second; beyond, it takes many."""

RowIndices = NDArray[np.intp]


def choose_strata_to_cover_missing(table: Table, missing: Missing) -> list[int]:
    """Return rows of the table, most useful first, that together show every missing combination.

    A covering array is close to the minimum but ignores what was shown and what is deployed. Greedy picking of deployed
    strata knows both but looks only one step ahead. Both are tried and the shorter list is taken; each is verified by
    counting against the missing combinations.
    """
    deployed = np.flatnonzero(table.exposure > 0.0)
    wanted = {columns: unseen for columns, unseen in missing.unseen.items() if unseen.any()}
    if not wanted:
        return []
    proposed = _find_covering_array_rows(table, deployed, max(map(len, wanted)))
    first = _pick_rows_greedily(table, wanted, [proposed, deployed])
    second = _pick_rows_greedily(table, wanted, [deployed], stop_at=len(first))
    return second if len(second) < len(first) else first


def _pick_rows_greedily(
    table: Table, wanted: dict[Columns, Mask], pools: Sequence[RowIndices], stop_at: float = math.inf
) -> list[int]:
    """Pick the row that shows most of what is still missing, pool after pool, until nothing is."""
    shapes = {columns: tuple(len(table.levels[at]) for at in columns) for columns in wanted}
    still = {columns: marks.copy() for columns, marks in wanted.items()}
    chosen: list[int] = []
    for pool in pools:
        codes = table.codes[pool]
        cells = {columns: number_combinations(codes, columns, shapes[columns]) for columns in wanted}
        while len(pool) and len(chosen) < stop_at:
            news = np.zeros(len(pool), dtype=np.int32)
            for columns, marks in still.items():
                if marks.any():
                    news += marks[cells[columns]]
            best = int(np.argmax(news))  # the first of equals: the largest share of production
            if news[best] == 0:
                break
            chosen.append(int(pool[best]))
            for columns, marks in still.items():
                marks[cells[columns][best]] = False
    return chosen


def _find_covering_array_rows(table: Table, deployed: RowIndices, strength: int) -> RowIndices:
    """The deployed rows of a covering array over all levels."""
    from covertable import make

    used = [np.unique(table.codes[deployed, at]) for at in range(len(table.factors))]
    several = [at for at in range(len(used)) if len(used[at]) > 1]
    strength = min(strength, len(several))
    if strength < 2 or _count_combinations([len(used[at]) for at in several], strength) > MOST_FOR_ARRAY:  # noqa: PLR2004 - an array of pairs is the smallest
        return np.empty(0, dtype=np.intp)
    array = make([used[at].tolist() for at in several], strength=strength)
    rows = np.tile([int(levels[0]) for levels in used], (len(array), 1)).astype(np.int32)
    rows[:, several] = np.asarray(array, dtype=np.int32)
    return np.asarray(list(_match_deployed_rows(table.codes, deployed, rows)), dtype=np.intp)


def _count_combinations(sizes: Sequence[int], strength: int) -> int:
    """How many combinations of so many levels there are: an elementary symmetric polynomial of the sizes.

    >>> _count_combinations([2, 3, 4], 2)
    26
    """
    ways = [1] + [0] * strength
    for size in sizes:
        for k in range(strength, 0, -1):
            ways[k] += size * ways[k - 1]
    return ways[strength]


def _match_deployed_rows(codes: Codes, deployed: RowIndices, rows: Codes) -> Iterator[int]:
    known = {row.tobytes(): at for at, row in zip(deployed.tolist(), codes[deployed], strict=True)}
    for row in rows:
        at = known.get(row.tobytes())
        if at is not None:
            yield at
