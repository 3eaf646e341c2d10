"""What the map claims, held against what the logs measured."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fieldloop.model.condition import Exposure
from fieldloop.model.deployment import Deployment, Range, Site
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Comparison:
    """One claim of the map beside what episodes say: FAILED where they differ, CANNOT_TELL where none say anything."""

    site: str
    what: str
    claimed: str
    measured: str
    episodes: int
    status: Status
    message: str


def compare(deployment: Deployment, episodes: Iterable[Episode], settings: Section) -> tuple[Comparison, ...]:
    """Hold light, temperature, humidity and the mix of strata against what episodes recorded, site by site."""
    seen = tuple(episodes)
    found: list[Comparison] = []
    for site in deployment.sites:
        here = [e for e in seen if e.site == site.id or e.stratum.level("site") == site.id]
        found.extend(_ranges(site, here))
        claims = [e for e in deployment.exposures if e.stratum.level("site") == site.id]
        found.extend(
            _mix(site.id, factor, claims, here, settings.number("alpha")) for factor in ("tier", "bin", "lighting")
        )
    return tuple(found)


def _ranges(site: Site, episodes: Sequence[Episode]) -> Iterator[Comparison]:
    claims = {
        "lux": [r for zone in site.zones for _, r in zone.lux_by_shift],
        "temperature_c": [zone.temperature for zone in site.zones if zone.temperature],
        "humidity": [zone.humidity for zone in site.zones if zone.humidity],
    }
    for fact, ranges in claims.items():
        yield _range(site.id, fact, ranges, episodes)


def _range(site: str, fact: str, ranges: Sequence[Range], episodes: Sequence[Episode]) -> Comparison:
    values = [v for v in (_number(e.fact(fact)) for e in episodes) if v is not None]
    claimed = ", ".join(f"{r.low:g} to {r.high:g} {r.unit}" for r in ranges)
    if not values or not ranges:
        why = "no episode recorded it" if not values else "the map does not say"
        return Comparison(site, fact, claimed, "", len(values), Status.CANNOT_TELL, f"{fact} at {site}: {why}.")
    outside = [v for v in values if not any(r.low <= v <= r.high for r in ranges)]
    status = Status.FAILED if outside else Status.PASSED
    message = f"{fact} at {site}: {len(outside)} of {len(values)} episodes lie outside what the map claims ({claimed})."
    return Comparison(site, fact, claimed, f"{min(values):g} to {max(values):g}", len(values), status, message)


def _mix(site: str, factor: str, claims: Sequence[Exposure], episodes: Sequence[Episode], alpha: float) -> Comparison:
    counts = Counter(level for e in episodes if (level := e.stratum.level(factor)))
    shares: dict[str, float] = {}
    for claim in claims:
        if level := claim.stratum.level(factor):
            shares[level] = shares.get(level, 0.0) + claim.share
    total = sum(counts.values())
    claimed, measured = _written(shares, sum(shares.values())), _written(counts, total)
    if not shares or not total:
        why = "no episode says" if not total else "the map does not say"
        return Comparison(site, factor, claimed, measured, total, Status.CANNOT_TELL, f"{factor} at {site}: {why}.")
    chance, surprising = _chance(counts, shares)
    status = Status.FAILED if chance < alpha else Status.PASSED
    message = f"{factor} at {site}: claimed {claimed}, measured {measured}"
    if status is Status.FAILED:
        message += f"; {surprising} differs most"
    return Comparison(site, factor, claimed, measured, total, status, message + ".")


def _chance(counts: Mapping[str, int], shares: Mapping[str, float]) -> tuple[float, str]:
    """How likely a mix this far from the claimed one is by chance (Pearson), and the level that differs most."""
    from scipy.stats import chi2

    total, whole = sum(counts.values()), sum(shares.values())
    if unclaimed := sorted(set(counts) - set(shares)):
        return 0.0, f"{unclaimed[0]}, which the map does not know,"
    parts = {
        level: (counts.get(level, 0) - (e := total * s / whole)) ** 2 / e for level, s in shares.items() if s > 0.0
    }
    return float(chi2.sf(sum(parts.values()), max(1, len(parts) - 1))), max(parts, key=lambda level: parts[level])


def _written(amounts: Mapping[str, float] | Mapping[str, int], total: float) -> str:
    return ", ".join(f"{level} {amounts[level] / total:.0%}" for level in sorted(amounts)) if total else ""


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None
