"""How large a share of production each combination of site, tier, bin and light is."""

import itertools
import math
from collections.abc import Sequence

from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Site, Sku


def expose(sites: Sequence[Site], skus: Sequence[Sku]) -> tuple[Exposure, ...]:
    """Multiply the shares that the map gives; a factor it is silent about is left out, never invented.

    Tiers, bins and light are taken as independent within a site: the map knows no more, the logs later do.

    >>> [f"{e.stratum} {e.share:g}" for e in expose([Site("a", 1.0, lighting=(("bright", 0.6), ("dim", 0.4)))], [])]
    ['lighting=bright,site=a 0.6', 'lighting=dim,site=a 0.4']
    """
    tiers = tier_shares(skus)
    exposures = []
    for site in sites:
        factors = {"tier": tiers, "bin": {b.name: b.share for b in site.bins}, "lighting": dict(site.lighting)}
        given = {name: shares for name, shares in factors.items() if shares}
        for levels in itertools.product(*given.values()):
            parts = (given[name][level] / sum(given[name].values()) for name, level in zip(given, levels, strict=True))
            if (share := site.share * math.prod(parts)) > 0.0:
                stratum = Stratum.of(dict(zip(given, levels, strict=True)), site=site.id)
                exposures.append(Exposure(stratum, share))
    total = sum(e.share for e in exposures)
    return tuple(Exposure(e.stratum, e.share / total) for e in exposures)


def tier_shares(skus: Sequence[Sku]) -> dict[str, float]:
    """Share of all picks by tier."""
    total = math.fsum(sku.picks_per_week for sku in skus)
    if total == 0.0:
        return {}
    shares: dict[str, float] = {}
    for sku in skus:
        shares[sku.tier] = shares.get(sku.tier, 0.0) + sku.picks_per_week / total
    return shares
