"""Attempts in production and demonstrations in one form, as evidence about the facility."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from fieldloop.audit.recorded import Recorded
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.days import get_local_day
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.policy import Outcome, Stage

FIELD = (Stage.PRODUCTION, Stage.SHADOW)
ALIASES = {"humidity": "humidity_percent", "temperature": "temperature_c"}


@dataclass(frozen=True, slots=True)
class Witness:
    """One attempt: its site, the local day, its levels and measured quantities.

    `traffic`: it happened because of an order, not because a plan asked for it.
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


def collect_logged_attempts(
    deployment: Deployment,
    episodes: Iterable[Episode],
    outcomes: Iterable[Outcome],
    *,
    traffic: bool = False,
    within_s: float = 0.0,
) -> list[Witness]:
    """Bring attempts into one form; laboratory and gate trials do not count, nor simulations where real ones exist.

    An attempt counts once, however many judged it and even if it was recorded too (ended at most `within_s` before its
    outcome). A contested attempt counts, but its result is open. `traffic`: the episodes are logs of production.
    """
    zones = deployment.time_zones
    tiers = deployment.tier_of
    logged = list(episodes)
    real = {e.site for e in logged if e.simulated is not True}
    recorded = Recorded((e for e in logged if not (e.simulated and e.site in real)), within_s)
    attempts = []
    for o, ended in _list_field_attempts(outcomes):
        site = o.stratum.level("site") or o.site
        same = recorded.take_episode_of_outcome(o)
        item = o.item or (same.handled if same else "")
        levels = _list_levels(o.stratum, tiers.get(item, ""))
        facts = {ALIASES.get(name, name): value for name, value in o.facts if math.isfinite(value)}
        if same is not None:  # the recording may fill what the outcome leaves open
            levels, facts = {**same.stratum.levels, **levels}, {**dict(_select_numbers(same.facts)), **facts}
        day = get_local_day(o.at_ns, zones.get(site, "UTC"))
        attempts.append(Witness(site, day, levels, facts, item, o.scenario, ended, o.cycle_s))
    for e in recorded.unmatched_episodes:
        site = e.stratum_with_site.level("site") or ""
        day, facts = get_local_day(e.start_ns, zones.get(site, "UTC")), dict(_select_numbers(e.facts))
        levels = _list_levels(e.stratum, tiers.get(e.handled, ""))
        attempts.append(Witness(site, day, levels, facts, e.handled, succeeded=e.succeeded, traffic=traffic))
    return attempts


def _list_field_attempts(outcomes: Iterable[Outcome]) -> Iterator[tuple[Outcome, bool | None]]:
    """Yield every attempt in the field with its result, None where that is contested.

    A version in shadow mode watches another one: where both name the attempt, it belongs to the other.
    """
    kept, contested = settle_attempts(o for o in outcomes if o.stage in FIELD)
    ended = [*((o, o.succeeded) for o in kept), *((o, None) for o in contested)]
    done = {(o.site, o.robot, o.attempt) for o, _ in ended if o.attempt and o.stage is Stage.PRODUCTION}
    for o, how in ended:
        if o.stage is Stage.PRODUCTION or (o.site, o.robot, o.attempt) not in done:
            yield o, how


@lru_cache(maxsize=65_536)
def _list_levels(stratum: Stratum, tier: str) -> Mapping[str, str]:
    return ({"tier": tier} if tier else {}) | stratum.levels


def _select_numbers(facts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, float]]:
    for name, text in facts:
        if (value := parse_finite_number(text)) is not None:
            yield ALIASES.get(name, name), value
