"""Numbers that logs and the catalogue give about attempts: light, air, mass, size, where the item lay."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.deployment import Deployment, Range, Sku, Zone
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome

Floats = NDArray[np.float64]

OF_ARTICLES: dict[str, Callable[[Sku], float | None]] = {
    "mass_kg": lambda sku: sku.mass_kg,
    "length_m": lambda sku: None if sku.size_m is None else max(sku.size_m),
}
"""Quantities that the catalogue knows of whatever is handled."""


class Quantities:
    """Reads a quantity off demonstrations and off production; NaN where nobody says it."""

    def __init__(self, deployment: Deployment | None, episodes: Sequence[Episode], outcomes: Sequence[Outcome]) -> None:
        """Keep both sides, and the catalogue by article."""
        self.deployment, self.episodes, self.outcomes = deployment, episodes, outcomes
        self.skus: Mapping[str, Sku] = {sku.id: sku for sku in deployment.skus} if deployment else {}
        self._facts = [dict(e.facts) for e in episodes]
        self._telemetry = [dict(o.facts) for o in outcomes]

    def shown(self, name: str) -> Floats:
        """The quantity in each demonstration."""
        told = [_number(facts.get(name)) for facts in self._facts]
        return self._filled(name, told, (e.handled for e in self.episodes))

    def met(self, name: str) -> Floats:
        """The quantity in each attempt of production."""
        told = [_number(facts.get(name)) for facts in self._telemetry]
        return self._filled(name, told, (o.item for o in self.outcomes))

    def _filled(self, name: str, told: list[float], handled: Iterable[str]) -> Floats:
        """What the log leaves open, the catalogue may know."""
        values = np.asarray(told, dtype=np.float64)
        read = OF_ARTICLES.get(name)
        if read is None or not self.skus or not np.isnan(values).any():
            return values
        known = [read(self.skus[item]) if item in self.skus else None for item in handled]
        looked_up = np.asarray([math.nan if value is None else value for value in known], dtype=np.float64)
        return np.where(np.isnan(values), looked_up, values)

    def catalogue(self, name: str) -> tuple[Floats, Floats]:
        """The quantity of every picked article that has one, and its picks as weights; both empty where unknown."""
        read = OF_ARTICLES.get(name)
        if read is None or not self.skus:
            return np.empty(0), np.empty(0)
        rows = [(read(sku), sku.picks_per_week) for sku in self.skus.values() if sku.picks_per_week > 0.0]
        known = [(value, picks) for value, picks in rows if value is not None]
        return np.asarray([v for v, _ in known], dtype=np.float64), np.asarray([p for _, p in known], dtype=np.float64)

    def stated(self, name: str) -> dict[str, tuple[float, float]]:
        """The range that the map states at each site, over all its zones and shifts."""
        found: dict[str, tuple[float, float]] = {}
        for site in self.deployment.sites if self.deployment else ():
            ranges = [r for zone in site.zones for r in _ranges(zone, name)]
            if ranges:
                found[site.id] = min(r.low for r in ranges), max(r.high for r in ranges)
        return found


def _ranges(zone: Zone, name: str) -> Iterable[Range]:
    if name == "lux":
        return [r for _, r in zone.lux_by_shift]
    known = {"temperature_c": zone.temperature, "humidity_percent": zone.humidity}
    said = known[name] if name in known else zone.range_of(name)
    return [] if said is None else [said]


def _number(text: str | float | None) -> float:
    """A finite number, NaN for anything else: a log may say 'unknown' where a number is usual."""
    try:
        value = math.nan if text is None else float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
