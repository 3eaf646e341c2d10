"""The strata of a map as arrays, one row each, so that a hundred thousand are processed at once."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Coverage
from fieldloop.protocol import Section

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Strata by row: the code of each factor's level, share of production, counts and cost of a demonstration."""

    factors: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: Codes
    exposure: Floats
    demonstrations: Floats
    learnt: Floats
    """Demonstrations that the version in production was trained on."""
    tried: Floats
    attempts: Floats
    failures: Floats
    cost: Floats

    def __len__(self) -> int:
        """Return the number of strata."""
        return len(self.exposure)

    def get_level(self, row: int, factor: str) -> str:
        """Return one condition of a stratum as `factor=level`."""
        at = self.factors.index(factor)
        return f"{factor}={self.levels[at][self.codes[row, at]]}"

    def make_key(self, stratum: Stratum) -> tuple[str, ...]:
        """Return the levels of a stratum in the order of the factors, '' where a factor is absent."""
        levels = stratum.levels
        return tuple(levels.get(factor, "") for factor in self.factors)

    def number_strata_by_key(self) -> dict[tuple[str, ...], int]:
        """Return the row of each stratum by its levels."""
        named = [np.asarray(levels, dtype=object)[self.codes[:, at]].tolist() for at, levels in enumerate(self.levels)]
        return {key: row for row, key in enumerate(zip(*named, strict=True))}

    def find_rows(self, stratum: Stratum) -> NDArray[np.intp]:
        """Return the rows of all strata that a broader one covers.

        >>> small = make_table([Coverage(Stratum.of(light=x), 0.5, 0, 0.0) for x in ("dim", "lab")])
        >>> small.find_rows(Stratum.of(light="lab")).tolist(), small.find_rows(Stratum.of(floor="wet")).tolist()
        ([1], [])
        """
        inside = np.ones(len(self), dtype=bool)
        for condition in stratum.conditions:
            if condition.factor not in self.factors:
                return np.empty(0, dtype=np.intp)
            at = self.factors.index(condition.factor)
            known = self.levels[at]
            code = known.index(condition.level) if condition.level in known else -1
            inside &= self.codes[:, at] == code
        return np.flatnonzero(inside)


def make_table(coverages: Sequence[Coverage], elsewhere: Sequence[Coverage] = (), worth: float = 1.0) -> Table:
    """Put coverages into a table; refuse impossible numbers.

    `elsewhere` are demonstrations under conditions that are not deployed, such as a laboratory. They become the last
    rows, without a share of production, and each counts as `worth` demonstrations.
    """
    made = _make_table_of_coverages((*coverages, *elsewhere))
    if not elsewhere:
        return made
    each = np.where(np.arange(len(made)) < len(coverages), 1.0, worth)
    return replace(
        made, demonstrations=made.demonstrations * each, learnt=made.learnt * each, tried=made.tried * each
    )  # fmt: skip


def _make_table_of_coverages(coverages: Sequence[Coverage]) -> Table:
    factors, columns = _split_into_columns([covered.stratum for covered in coverages])
    # a stratum without a factor has the level '' there, like other strata without it
    levels = [tuple(dict.fromkeys(("", *column))) for column in columns]
    codes = np.zeros((len(coverages), len(factors)), dtype=np.int32)
    for at, (column, known) in enumerate(zip(columns, levels, strict=True)):
        number = {level: code for code, level in enumerate(known)}
        codes[:, at] = np.fromiter(map(number.__getitem__, column), np.int32, len(column))
    made = Table(
        factors=factors,
        levels=tuple(levels),
        codes=codes,
        exposure=_make_column(c.exposure for c in coverages),
        demonstrations=_make_column(c.demonstrations for c in coverages),
        # a version that learnt from more than is in hand has nothing left to learn from it
        learnt=_make_column(
            c.demonstrations if c.learnt is None else min(c.learnt, c.demonstrations) for c in coverages
        ),
        # where tries were not counted, every demonstration kept was one try
        tried=_make_column(max(c.tried, c.demonstrations) if c.tried else 0 for c in coverages),
        attempts=_make_column(c.attempts for c in coverages),
        failures=_make_column(c.failures for c in coverages),
        cost=_make_column(c.cost for c in coverages),
    )
    _refuse_impossible_numbers(coverages, made)
    return made


def _split_into_columns(strata: Sequence[Stratum]) -> tuple[tuple[str, ...], list[Sequence[str]]]:
    """Return all factors, and for each the level of every stratum."""
    kinds = {tuple([c.factor for c in stratum.conditions]) for stratum in strata}
    factors = tuple(sorted({factor for kind in kinds for factor in kind}))
    if kinds == {factors}:
        # one long list: a hundred thousand small lists would slow the garbage collector
        levels = [c.level for stratum in strata for c in stratum.conditions]
        return factors, [levels[at :: len(factors)] for at in range(len(factors))]
    by_stratum = [stratum.levels for stratum in strata]
    return factors, [[levels.get(factor, "") for levels in by_stratum] for factor in factors]


def _make_column(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _refuse_impossible_numbers(coverages: Sequence[Coverage], made: Table) -> None:
    checks = (
        (made.exposure, "share of production", 0.0),
        (made.demonstrations, "number of demonstrations", 0.0),
        (made.learnt, "number of demonstrations learnt", 0.0),
        (made.attempts, "number of attempts", 0.0),
        (made.failures, "number of failures", 0.0),
        (made.cost, "cost of a demonstration", math.ulp(0.0)),
    )
    for values, what, least in checks:
        wrong = np.flatnonzero(~(np.isfinite(values) & (values >= least)))
        if len(wrong):
            where = coverages[wrong[0]].stratum
            sign = "above zero" if least else "from zero"
            raise BadInput(f"{where}: a {what} of {values[wrong[0]]:g} is not possible; give a finite number {sign}.")
    more = np.flatnonzero(made.failures > made.attempts)
    if len(more):
        row = coverages[more[0]]
        raise BadInput(
            f"{row.stratum}: {row.failures} failures in {row.attempts} attempts; count both from the same logs."
        )


def refuse_too_large_table(table: Table, settings: Section) -> None:
    """Refuse shares that add up to more than 1 beyond rounding: their map is wrong."""
    whole = float(table.exposure.sum())
    if whole > 1.0 + settings.number("share_rounding"):
        raise BadInput(
            f"The strata's shares of production add up to {whole:.3g}; correct the map so that they sum to 1."
        )
