"""Coverage summed by two factors for heat maps, and the choice of the most informative factors."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fieldloop.model.plan import Coverage

UNSAID = "any"
OTHERS = "others"
SITE = "site"
MOST_LEVELS = 12
"""Larger heat maps are unreadable; the least common levels are merged."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Several strata as one: their share of production and of the data, and the results of production."""

    exposure: float
    share: float
    demonstrations: int
    attempts: int
    failures: int

    @property
    def ratio(self) -> float:
        """Share of the data over share of production: 1 matches."""
        return self.share / self.exposure if self.exposure else 0.0


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells by the levels of two factors; a missing pair is not deployed."""

    row_factor: str
    column_factor: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], Cell]


def factors(coverage: Sequence[Coverage]) -> list[str]:
    """Name the factors of the deployed strata."""
    return list(dict.fromkeys(c.factor for one in coverage for c in one.stratum.conditions))


def grid(coverage: Sequence[Coverage], rows: str = "tier", columns: str = "bin", most: int | None = None) -> Grid:
    """Sum coverage by two factors; a factor that no stratum has is replaced by one that they have.

    With `most`, levels are ordered by their share of production and those beyond it are merged.

    >>> from fieldloop.model.condition import Stratum
    >>> one = Coverage(Stratum.of(tier="high", bin="back"), 0.5, 3, 0.25)
    >>> grid([one]).cells[("high", "back")].ratio
    0.5
    """
    known = factors(coverage)
    row = rows if rows in known else next((f for f in known if f != columns), rows)
    column = columns if columns in known and columns != row else next((f for f in known if f != row), columns)
    placed = [(*_levels(one, row, column), one) for one in coverage]
    down = _names(((one, level) for level, _, one in placed), most)
    across = _names(((one, level) for _, level, one in placed), most)
    parts: dict[tuple[str, str], list[Coverage]] = {}
    for upper, lower, one in placed:
        parts.setdefault((down[upper], across[lower]), []).append(one)
    rows_named, columns_named = (tuple(dict.fromkeys(axis.values())) for axis in (down, across))
    return Grid(row, column, rows_named, columns_named, {key: _sum(part) for key, part in parts.items()})


def most_telling_factors(coverage: Sequence[Coverage]) -> tuple[str, str]:
    """Name the two factors along which production differs most from the data, and fails most unevenly.

    The site is left out where two others exist: each site gets its own map. Factors with very many levels, such as the
    article, come last.
    """
    known = factors(coverage)
    candidates = [f for f in known if f != SITE] if len(known) > 2 else known  # noqa: PLR2004 - a map has two sides
    parts: dict[str, dict[str, list[Coverage]]] = {factor: defaultdict(list) for factor in candidates}
    for one in coverage:
        for condition in one.stratum.conditions:
            if condition.factor in parts:
                parts[condition.factor][condition.level].append(one)
    scores = {factor: _factor_score([_sum(part) for part in levels.values()]) for factor, levels in parts.items()}
    first, second = [*sorted(scores, key=lambda factor: scores[factor], reverse=True), "", ""][:2]
    return first, second


def _factor_score(cells: Sequence[Cell]) -> tuple[bool, float]:
    """Return the total variation between production and data over a factor's levels, plus the spread of failure."""
    apart = sum(abs(c.exposure - c.share) for c in cells) / 2
    attempts, failures = sum(c.attempts for c in cells), sum(c.failures for c in cells)
    usual = failures / attempts if attempts else 0.0
    uneven = sum(c.attempts * (c.failures / c.attempts - usual) ** 2 for c in cells if c.attempts)
    return len(cells) <= MOST_LEVELS, apart + math.sqrt(uneven / attempts if attempts else 0.0)


def _levels(stratum_coverage: Coverage, row: str, column: str) -> tuple[str, str]:
    """Return the levels of two factors; avoids building a dict per stratum, because there may be very many."""
    upper = lower = UNSAID
    for condition in stratum_coverage.stratum.conditions:
        if condition.factor == row:
            upper = condition.level
        elif condition.factor == column:
            lower = condition.level
    return upper, lower


def _names(levels_met: Iterable[tuple[Coverage, str]], most: int | None) -> dict[str, str]:
    """Return the displayed name of each level, in displayed order."""
    exposure: dict[str, float] = defaultdict(float)
    for one, level in levels_met:
        exposure[level] += one.exposure
    if most is None:
        return {level: level for level in exposure}
    ranked = sorted(exposure, key=lambda level: -exposure[level])
    kept = len(ranked) if len(ranked) <= most else most - 1
    return {level: level if place < kept else f"{len(ranked) - kept} {OTHERS}" for place, level in enumerate(ranked)}


def _sum(part: Sequence[Coverage]) -> Cell:
    return Cell(
        sum(c.exposure for c in part),
        sum(c.share for c in part),
        sum(c.demonstrations for c in part),
        sum(c.attempts for c in part),
        sum(c.failures for c in part),
    )
