"""Coverage summed up by two factors, as the heat map shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.model.plan import Coverage


@dataclass(frozen=True, slots=True)
class Cell:
    """Several strata as one: their share of production and of the data, and how production fared."""

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
    """Name the factors that the deployed strata speak of."""
    return list(dict.fromkeys(c.factor for one in coverage for c in one.stratum.conditions))


def grid(coverage: Sequence[Coverage], rows: str = "tier", columns: str = "bin") -> Grid:
    """Sum coverage up by two factors; a factor that no stratum has is replaced by one that they have.

    >>> from fieldloop.model.condition import Stratum
    >>> one = Coverage(Stratum.of(tier="high", bin="back"), 0.5, 3, 0.25)
    >>> grid([one]).cells[("high", "back")].ratio
    0.5
    """
    known = factors(coverage)
    row = rows if rows in known else next((f for f in known if f != columns), rows)
    column = columns if columns in known and columns != row else next((f for f in known if f != row), columns)
    parts: dict[tuple[str, str], list[Coverage]] = {}
    for one in coverage:
        parts.setdefault((one.stratum.level(row) or "any", one.stratum.level(column) or "any"), []).append(one)
    cells = {key: _sum(part) for key, part in parts.items()}
    downward, across = (tuple(dict.fromkeys(key[axis] for key in cells)) for axis in (0, 1))
    return Grid(row, column, downward, across, cells)


def _sum(part: Sequence[Coverage]) -> Cell:
    return Cell(
        sum(c.exposure for c in part),
        sum(c.share for c in part),
        sum(c.demonstrations for c in part),
        sum(c.attempts for c in part),
        sum(c.failures for c in part),
    )
