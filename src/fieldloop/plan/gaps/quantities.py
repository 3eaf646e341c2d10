"""Quantities of attempts from logs and the catalogue: light, air, mass, size, position of the item."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.deployment import Deployment, Sku, get_picks_at_site
from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.policy import Outcome

Floats = NDArray[np.float64]

OF_ARTICLES: dict[str, Callable[[Sku], float | None]] = {
    "mass_kg": lambda sku: sku.mass_kg,
    "length_m": lambda sku: None if sku.size_m is None else max(sku.size_m),
}
"""Quantities that the catalogue gives for each article."""


class Quantities:
    """Reads a quantity from demonstrations and from production; NaN where it is not logged."""

    def __init__(self, deployment: Deployment | None, episodes: Sequence[Episode], outcomes: Sequence[Outcome]) -> None:
        """Store both sides, and the catalogue by article."""
        self.deployment, self.episodes, self.outcomes = deployment, episodes, outcomes
        self.skus: Mapping[str, Sku] = {sku.id: sku for sku in deployment.skus} if deployment else {}
        self._facts = [dict(e.facts) for e in episodes]
        self._telemetry = [dict(o.facts) for o in outcomes]
        self.sites = np.asarray([o.stratum.level("site") or o.site for o in outcomes], dtype=object)

    def get_demonstrated_values(self, name: str) -> Floats:
        """Return the quantity in each demonstration."""
        logged = [parse_finite_number(facts.get(name, "")) for facts in self._facts]
        return self._fill_from_catalogue(name, logged, (e.handled for e in self.episodes))

    def get_production_values(self, name: str) -> Floats:
        """Return the quantity in each attempt of production."""
        values = (facts.get(name, math.nan) for facts in self._telemetry)
        logged = [value if math.isfinite(value) else None for value in values]
        return self._fill_from_catalogue(name, logged, (o.item for o in self.outcomes))

    def _fill_from_catalogue(self, name: str, logged: list[float | None], handled: Iterable[str]) -> Floats:
        """Fill what the log leaves open from the catalogue."""
        values = _make_column(logged)
        read = OF_ARTICLES.get(name)
        if read is None or not self.skus or not np.isnan(values).any():
            return values
        known = [read(self.skus[item]) if item in self.skus else None for item in handled]
        return np.where(np.isnan(values), _make_column(known), values)

    def list_values_at_other_sites(self, measured: Collection[str]) -> list[tuple[str, float]]:
        """Return the other sites with their shares of production; '' for all where none was measured."""
        if not measured:
            return [("", 1.0)]
        return [(s.id, s.share) for s in self.deployment.sites if s.id not in measured] if self.deployment else []

    def get_catalogue_values_and_picks(self, name: str, site: str = "") -> tuple[Floats, Floats]:
        """Return the known quantity of every article picked at a site, and its picks; both empty where unknown."""
        read = OF_ARTICLES.get(name)
        if read is None:
            return np.empty(0), np.empty(0)
        picked = get_picks_at_site(self.skus.values(), site)
        rows = [(read(sku), picked[sku.id]) for sku in self.skus.values()]
        known = [(value, picks) for value, picks in rows if value is not None and picks > 0.0]
        return np.asarray([v for v, _ in known], dtype=np.float64), np.asarray([p for _, p in known], dtype=np.float64)

    def get_stated_ranges(self, name: str) -> dict[str, tuple[float, float]]:
        """Return the range that the map states at each site, over all its zones and shifts."""
        range_of_site: dict[str, tuple[float, float]] = {}
        for site in self.deployment.sites if self.deployment else ():
            ranges = [span for zone in site.zones for _, span in zone.list_ranges(name)]
            if ranges:
                range_of_site[site.id] = min(r.low for r in ranges), max(r.high for r in ranges)
        return range_of_site


def _make_column(values: Iterable[float | None]) -> Floats:
    return np.asarray([math.nan if value is None else value for value in values], dtype=np.float64)
