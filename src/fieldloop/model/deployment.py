"""The deployment map: sites, catalogue, edge cases, and the strata of production that follow from them."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fieldloop.errors import UnknownName
from fieldloop.model.audit import Audit, AuditAnswer, Comparison
from fieldloop.model.condition import Condition, Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.facility import BinConfiguration, Container, PeopleBand, Range, Site, Zone, normalise_shares
from fieldloop.model.outcome_columns import OutcomeColumns, Texts
from fieldloop.model.policy import Outcome

__all__ = [
    "Audit",
    "AuditAnswer",
    "BinConfiguration",
    "Comparison",
    "Container",
    "Deployment",
    "EdgeCase",
    "PeopleBand",
    "Range",
    "Site",
    "Sku",
    "Zone",
    "add_tier_to_episodes",
    "add_tier_to_outcomes",
    "add_tier_to_table",
    "choose_primary_site",
    "get_picks_at_site",
]


@dataclass(frozen=True, slots=True)
class Sku:
    """One article: its picks a week, by site where known, and its physical properties."""

    id: str
    picks_per_week: float
    tier: str = ""
    mass_kg: float | None = None
    size_m: tuple[float, float, float] | None = None
    packaging: str = ""
    deformable: bool | None = None
    texture: str = ""
    by_site: tuple[tuple[str, float], ...] = ()


def get_picks_at_site(skus: Iterable[Sku], site: str) -> dict[str, float]:
    """Return the picks a week of every article at a site, by its id.

    Where the catalogue lists the site, an article that does not name it is not picked there. Otherwise, or without a
    site, the picks are those of all sites.

    >>> cups = Sku("cup", 9.0, by_site=(("x", 9.0),)), Sku("mug", 5.0, by_site=(("y", 5.0),))
    >>> get_picks_at_site(cups, "y"), get_picks_at_site(cups, "new")
    ({'cup': 0.0, 'mug': 5.0}, {'cup': 9.0, 'mug': 5.0})
    """
    listed = tuple(skus)
    if site and any(name == site for sku in listed for name, _ in sku.by_site):
        return {sku.id: dict(sku.by_site).get(site, 0.0) for sku in listed}
    return {sku.id: sku.picks_per_week for sku in listed}


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """A rare, hard case, with its frequency in a normal working week and, once known, its failure rate."""

    name: str
    per_week: float
    failure_rate: float | None = None


@dataclass(frozen=True)  # not slotted: what follows from the map is computed once and cached
class Deployment:
    """The whole map: sites, catalogue, edge cases, target cycle time.

    `measured` are joint shares of strata counted in production, `measured_weight` their weight against the product of
    the map's own shares.
    """

    id: str
    task: str
    sites: tuple[Site, ...]
    skus: tuple[Sku, ...]
    edge_cases: tuple[EdgeCase, ...] = ()
    target_cycle_s: float | None = None
    label_standard: str = ""
    synchronisation: str = ""
    measured: tuple[Exposure, ...] = ()
    measured_weight: float = 1.0
    max_offset_ms: float | None = None
    verified_by: str = ""
    min_agreement: float | None = None

    @cached_property
    def exposures(self) -> tuple[Exposure, ...]:
        """Every stratum with its share of production; not stored, because it follows from the rest.

        Factors are taken as independent within a site. A factor that the map does not state is left out.

        >>> site = Site("a", 1.0, lighting=(("bright", 0.6), ("dim", 0.4)))
        >>> [f"{e.stratum} {e.share:g}" for e in Deployment("d", "pick", (site,), ()).exposures]
        ['lighting=bright,site=a 0.6', 'lighting=dim,site=a 0.4']
        """
        weight = self.measured_weight if self.measured else 0.0
        total = math.fsum(site.share for site in self.sites)
        claimed = (
            ()
            if weight >= 1.0
            else (
                exposure
                for site in self.sites
                for share, mixes in site.mixes_by_zone
                for exposure in self._multiply_factor_shares(site, site.share / total * share, mixes)
            )
        )
        if not weight:
            return tuple(claimed)
        shares = {e.stratum: (1.0 - weight) * e.share for e in claimed}
        counted = math.fsum(e.share for e in self.measured)
        for e in self.measured:
            shares[e.stratum] = shares.get(e.stratum, 0.0) + weight * e.share / counted
        return tuple(Exposure(stratum, share) for stratum, share in shares.items())

    def get_mixes(self, site: Site) -> dict[str, dict[str, float]]:
        """Every factor with its claimed shares at a site, the tiers of the catalogue first."""
        return self._get_tier_mix(site) | site.mixes

    def _get_tier_mix(self, site: Site) -> dict[str, dict[str, float]]:
        tiers = self._tiers.get(site.id) or self._tiers.get("")
        return {"tier": tiers} if tiers else {}

    @cached_property
    def time_zones(self) -> Mapping[str, str]:
        """The time zone (IANA) of every site by its id; days begin at midnight there."""
        return {site.id: site.time_zone for site in self.sites}

    def get_picks_at(self, site: str) -> dict[str, float]:
        """Picks a week of every article at a site, by its id."""
        return get_picks_at_site(self.skus, site)

    @cached_property
    def tier_of(self) -> Mapping[str, str]:
        """The tier of every article by its id."""
        return {sku.id: sku.tier for sku in self.skus}

    def add_tier(self, stratum: Stratum, article: str) -> Stratum:
        """Add the tier of the handled article to a stratum: logs name articles, the map groups them by tier."""
        tier = self.tier_of.get(article)
        return stratum if not tier or stratum.level("tier") else Stratum.of({**stratum.levels, "tier": tier})

    @cached_property
    def _tiers(self) -> Mapping[str, dict[str, float]]:
        """Share of picks by tier: at each site that the catalogue lists, and under '' over all."""
        picks: dict[str, dict[str, float]] = {}
        for sku in self.skus:
            for site, amount in (("", sku.picks_per_week), *sku.by_site):
                of_site = picks.setdefault(site, {})
                of_site[sku.tier] = of_site.get(sku.tier, 0.0) + amount
        return {site: normalise_shares(tiers) for site, tiers in picks.items() if sum(tiers.values()) > 0.0}

    def _multiply_factor_shares(
        self, site: Site, share: float, site_mixes: Mapping[str, dict[str, float]]
    ) -> Iterator[Exposure]:
        mixes = self._get_tier_mix(site) | dict(site_mixes)
        factors = [*mixes, "site"]
        columns = [[Condition(factor, level) for level in mixes[factor]] for factor in mixes]
        shares = np.array([share])
        for factor in mixes:
            shares = np.outer(shares, list(mixes[factor].values())).ravel()
        order = sorted(range(len(factors)), key=lambda at: factors[at])
        here = (Condition("site", site.id),)
        for levels, of_levels in zip(itertools.product(*columns, here), shares.tolist(), strict=True):
            if of_levels > 0.0:
                yield Exposure(Stratum(tuple([levels[at] for at in order])), of_levels)


def choose_primary_site(shares: Mapping[str, float], named_site: str = "") -> str:
    """Return the named site, else the one with the largest share of production; '' without sites.

    >>> (choose_primary_site({"gdansk": 0.4, "leipzig": 0.6}),
    ...  choose_primary_site({"gdansk": 0.4, "leipzig": 0.6}, "gdansk"))
    ('leipzig', 'gdansk')
    """
    if named_site and named_site not in shares:
        raise UnknownName("site of the map (plan.primary_site)", named_site, shares, ", ".join(sorted(shares)))
    return named_site or max(sorted(shares), key=lambda site: round(shares[site], 9), default="")


def add_tier_to_outcomes(outcomes: Iterable[Outcome], deployment: Deployment | None) -> tuple[Outcome, ...]:
    """Add the tier from the map to the stratum of every attempt whose article it lists."""
    if deployment is None or not deployment.skus:
        return tuple(outcomes)
    return tuple(replace(o, stratum=deployment.add_tier(o.stratum, o.item)) for o in outcomes)


def add_tier_to_table(outcomes: Sequence[Outcome], deployment: Deployment | None) -> Sequence[Outcome]:
    """Add the tier from the map to every attempt whose article it lists; columns stay columns."""
    if not isinstance(outcomes, OutcomeColumns):
        return add_tier_to_outcomes(outcomes, deployment)
    return outcomes if deployment is None or not deployment.skus else _add_tier_column(outcomes, deployment)


def _add_tier_column(outcomes: OutcomeColumns, deployment: Deployment) -> OutcomeColumns:
    items, stated = outcomes.texts["item"], outcomes.conditions.get("tier")
    tiers = [deployment.tier_of.get(name) or "" for name in items.names]
    names = tuple(dict.fromkeys(["", *tiers, *(stated.names if stated else ())]))
    place = {name: at for at, name in enumerate(names)}
    codes = np.array([place[tier] for tier in tiers], dtype=np.uint32)[items.codes]
    if stated is not None:
        own = np.array([place[name] for name in stated.names], dtype=np.uint32)[stated.codes]
        codes = np.where(own > 0, own, codes)
    return replace(outcomes, conditions={**outcomes.conditions, "tier": Texts(codes, names)})


def add_tier_to_episodes(episodes: Iterable[Episode], deployment: Deployment | None) -> tuple[Episode, ...]:
    """Add the tier from the map to the stratum of every demonstration whose article it lists."""
    if deployment is None or not deployment.skus:
        return tuple(episodes)
    return tuple(replace(e, stratum=deployment.add_tier(e.stratum, e.handled)) for e in episodes)
