"""What logs say about the facility: attempts in production and demonstrations, in one form."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome, Stage

FIELD = (Stage.PRODUCTION, Stage.SHADOW)
HOUR_NS = 3_600_000_000_000
DAY_S = 86_400
ALIASES = {"humidity": "humidity_percent", "temperature": "temperature_c"}


@dataclass(frozen=True, slots=True)
class Witness:
    """One attempt: where and on which day of that site, under which levels, with what measured.

    `traffic` says that it happened because somebody ordered something, not because a plan asked for it.
    """

    site: str
    day: int
    levels: Mapping[str, str]
    facts: Mapping[str, float]
    item: str = ""
    scenario: str = ""
    succeeded: bool | None = None
    cycle_s: float | None = None
    traffic: bool = True


def witnesses(
    deployment: Deployment, episodes: Iterable[Episode], outcomes: Iterable[Outcome], *, traffic: bool = False
) -> list[Witness]:
    """Bring attempts into one form; laboratory and gate are no witnesses, nor is a simulation where real ones are.

    An attempt that several judged counts once. `traffic` says that the episodes are logs of production.
    """
    zones = {site.id: ZoneInfo(site.time_zone) for site in deployment.sites}
    tiers = deployment.tier_of
    recorded = list(episodes)
    real = {e.site for e in recorded if e.simulated is not True}
    found = [
        Witness(
            site := e.where.level("site") or "",
            _day(e.start_ns, zones.get(site)),
            _levels(e.stratum, tiers.get(e.handled, "")),
            dict(_numbers(e.facts)),
            e.handled,
            succeeded=e.succeeded,
            traffic=traffic,
        )
        for e in recorded
        if not (e.simulated and e.site in real)
    ]
    once = {o.attempt or o.id: o for o in outcomes if o.stage in FIELD}
    for o in once.values():
        site = o.stratum.level("site") or o.site
        levels = _levels(o.stratum, tiers.get(o.item, ""))
        facts = {ALIASES.get(name, name): value for name, value in o.facts if math.isfinite(value)}
        day = _day(o.at_ns, zones.get(site))
        found.append(Witness(site, day, levels, facts, o.item, o.scenario, o.succeeded, o.cycle_s))
    return found


@lru_cache(maxsize=65_536)
def _levels(stratum: Stratum, tier: str) -> Mapping[str, str]:
    return ({"tier": tier} if tier else {}) | stratum.levels


def _numbers(facts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, float]]:
    for name, text in facts:
        try:
            value = float(text)
        except ValueError:
            continue
        if math.isfinite(value):
            yield ALIASES.get(name, name), value


def _day(at_ns: int, zone: ZoneInfo | None) -> int:
    """The number of the local day; the hours of a day share one offset from UTC."""
    hour = at_ns // HOUR_NS
    return (hour * 3600 + _offset_s(hour, zone)) // DAY_S


@lru_cache(maxsize=65_536)
def _offset_s(hour: int, zone: ZoneInfo | None) -> int:
    offset = datetime.fromtimestamp(hour * 3600, zone or UTC).utcoffset()
    return int(offset.total_seconds()) if offset else 0
