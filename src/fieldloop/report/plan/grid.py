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


def list_deployed_factors(coverage: Sequence[Coverage]) -> list[str]:
    """Name the factors of the deployed strata."""
    return list(dict.fromkeys(c.factor for one in coverage for c in one.stratum.conditions))


def make_coverage_grid(
    coverage: Sequence[Coverage], row_factor: str = "tier", column_factor: str = "bin", max_levels: int | None = None
) -> Grid:
    """Sum coverage by two factors; a factor that no stratum has is replaced by one that they have.

    With `max_levels`, levels are ordered by their share of production and those beyond it are merged.

    >>> from fieldloop.model.condition import Stratum
    >>> one = Coverage(Stratum.of(tier="high", bin="back"), 0.5, 3, 0.25)
    >>> make_coverage_grid([one]).cells[("high", "back")].ratio
    0.5
    """
    known = list_deployed_factors(coverage)
    row = row_factor if row_factor in known else next((f for f in known if f != column_factor), row_factor)
    column = (
        column_factor
        if column_factor in known and column_factor != row
        else next((f for f in known if f != row), column_factor)
    )
    placed = [(*_get_two_levels(one, row, column), one) for one in coverage]
    down = _name_shown_levels(((one, level) for level, _, one in placed), max_levels)
    across = _name_shown_levels(((one, level) for _, level, one in placed), max_levels)
    parts: dict[tuple[str, str], list[Coverage]] = {}
    for upper, lower, one in placed:
        parts.setdefault((down[upper], across[lower]), []).append(one)
    rows_named, columns_named = (tuple(dict.fromkeys(axis.values())) for axis in (down, across))
    return Grid(row, column, rows_named, columns_named, {key: _sum_coverage(part) for key, part in parts.items()})


def choose_grid_factors(coverage: Sequence[Coverage]) -> tuple[str, str]:
    """Name the two factors along which production differs most from the data, and fails most unevenly.

    The site is left out where two others exist: each site gets its own map. Factors with very many levels, such as the
    article, come last.
    """
    known = list_deployed_factors(coverage)
    candidates = [f for f in known if f != SITE] if len(known) > 2 else known  # noqa: PLR2004 - a map has two sides
    parts: dict[str, dict[str, list[Coverage]]] = {factor: defaultdict(list) for factor in candidates}
    for one in coverage:
        for condition in one.stratum.conditions:
            if condition.factor in parts:
                parts[condition.factor][condition.level].append(one)
    scores = {
        factor: _score_factor([_sum_coverage(part) for part in levels.values()]) for factor, levels in parts.items()
    }
    first, second = [*sorted(scores, key=lambda factor: scores[factor], reverse=True), "", ""][:2]
    return first, second


def _score_factor(cells: Sequence[Cell]) -> tuple[bool, float]:
    """Return the total variation between production and data over a factor's levels, plus the spread of failure."""
    apart = sum(abs(c.exposure - c.share) for c in cells) / 2
    attempts, failures = sum(c.attempts for c in cells), sum(c.failures for c in cells)
    usual = failures / attempts if attempts else 0.0
    uneven = sum(c.attempts * (c.failures / c.attempts - usual) ** 2 for c in cells if c.attempts)
    return len(cells) <= MOST_LEVELS, apart + math.sqrt(uneven / attempts if attempts else 0.0)


def _get_two_levels(stratum_coverage: Coverage, row_factor: str, column_factor: str) -> tuple[str, str]:
    """Return the levels of two factors; avoids building a dict per stratum, because there may be very many."""
    upper = lower = UNSAID
    for condition in stratum_coverage.stratum.conditions:
        if condition.factor == row_factor:
            upper = condition.level
        elif condition.factor == column_factor:
            lower = condition.level
    return upper, lower


def _name_shown_levels(levels_met: Iterable[tuple[Coverage, str]], max_levels: int | None) -> dict[str, str]:
    """Return the displayed name of each level, in displayed order."""
    exposure: dict[str, float] = defaultdict(float)
    for one, level in levels_met:
        exposure[level] += one.exposure
    if max_levels is None:
        return {level: level for level in exposure}
    ranked = sorted(exposure, key=lambda level: -exposure[level])
    kept = len(ranked) if len(ranked) <= max_levels else max_levels - 1
    return {level: level if place < kept else f"{len(ranked) - kept} {OTHERS}" for place, level in enumerate(ranked)}


def _sum_coverage(part: Sequence[Coverage]) -> Cell:
    return Cell(
        sum(c.exposure for c in part),
        sum(c.share for c in part),
        sum(c.demonstrations for c in part),
        sum(c.attempts for c in part),
        sum(c.failures for c in part),
    )
