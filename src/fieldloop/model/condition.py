"""Conditions of attempts, and strata as combinations of conditions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fieldloop.errors import BadInput


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """One factor at one level, such as lighting=dim."""

    factor: str
    level: str

    def __str__(self) -> str:
        return f"{self.factor}={self.level}"


@dataclass(frozen=True, slots=True, order=True)
class Stratum:
    """A combination of conditions that is planned, counted and gated as one.

    >>> str(Stratum.of(lighting="dim", bin="back"))
    'bin=back,lighting=dim'
    >>> Stratum.parse("bin=back,lighting=dim").level("lighting")
    'dim'
    """

    conditions: tuple[Condition, ...] = ()

    @classmethod
    def of(cls, levels: Mapping[str, str] | None = None, /, **more: str) -> "Stratum":
        """Make a stratum from factor → level, in any order."""
        return cls(tuple(sorted(Condition(f, v) for f, v in {**(levels or {}), **more}.items())))

    @classmethod
    def parse(cls, text: str) -> "Stratum":
        """Read `factor=level,factor=level` back."""
        pairs = [part.partition("=") for part in text.split(",") if part]
        if bad := [p for p in pairs if not (p[0].strip() and p[1] and p[2].strip())]:
            raise BadInput(
                f"{''.join(bad[0])!r} is not a condition. Write factor=level, as in 'lighting=dim,bin=back'."
            )
        return cls.of({f.strip(): v.strip() for f, _, v in pairs})

    @property
    def levels(self) -> dict[str, str]:
        """Return factor → level."""
        return {c.factor: c.level for c in self.conditions}

    def level(self, factor: str) -> str | None:
        """Return the level of one factor, None where the stratum does not have it."""
        return self.levels.get(factor)

    def covers(self, other: "Stratum") -> bool:
        """Is every condition of this stratum one of the other's?"""
        return set(self.conditions) <= set(other.conditions)

    def only(self, factors: Iterable[str]) -> "Stratum":
        """Return the part of this stratum with these factors."""
        kept = set(factors)
        return Stratum(tuple(c for c in self.conditions if c.factor in kept))

    def add_site(self, site: str) -> "Stratum":
        """Return the same with the site among its conditions, where it has none.

        >>> str(Stratum.of(lighting="dim").add_site("gdansk"))
        'lighting=dim,site=gdansk'
        """
        return self if not site or self.level("site") else Stratum.of({"site": site, **self.levels})

    def __bool__(self) -> bool:
        """Does it have any condition? A stratum without conditions is everywhere."""
        return bool(self.conditions)

    def __str__(self) -> str:
        return ",".join(map(str, self.conditions))


EVERYWHERE = Stratum()
"""Under any conditions."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """How large a share of production a stratum is."""

    stratum: Stratum
    share: float
