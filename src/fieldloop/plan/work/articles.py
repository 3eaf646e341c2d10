"""Choose articles for orders: several times in depth for the high tier, broadly for others, extremes first."""

import heapq
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Sku, get_picks_at_site
from fieldloop.model.episode import OBJECT_FACTORS
from fieldloop.plan.rules.tiers import DEEP, get_tier_target

Pool = tuple[str | None, str | None, str | None]
"""Tier, site and packaging; None where any will do."""


class Articles:
    """Chooses articles from the catalogue, one for each demonstration; each choice counts for the next."""

    def __init__(self, skus: Iterable[Sku], shown: Counter[str], targets: dict[str, int], power: float) -> None:
        """Store the catalogue, how often each article was shown, the target of each tier, and the power of picks."""
        self._skus = {sku.id: sku for sku in skus}
        self._sites = {site for sku in self._skus.values() for site, _ in sku.by_site}
        self._have = Counter(shown)
        self._targets = targets
        self._power = power
        self._pools: dict[Pool, list[tuple[int, float, float, str]]] = {}
        self._extremes: dict[Pool, list[str]] = {}

    def choose_articles(self, stratum: Stratum, demonstrations: int) -> tuple[str, ...]:
        """Name the articles for so many demonstrations of a stratum, most wanted first; none without a catalogue.

        In the tier to be covered in depth, articles get demonstrations by a power of their picks, up to their target;
        elsewhere the least shown comes first, and among equals the most picked.
        """
        named = next((level for factor in OBJECT_FACTORS if (level := stratum.level(factor))), None)
        if named:
            return (named,)
        here = stratum.level("site")
        site = here if here in self._sites else None  # a site that is not in the catalogue uses the pool of all sites
        wanted = self._list_articles_by_priority((stratum.level("tier"), site, stratum.level("packaging")))
        chosen: dict[str, None] = {}
        for sku in itertools.islice(wanted, demonstrations):
            chosen[sku.id] = None
            self._have[sku.id] += 1
        return tuple(chosen)

    def _list_articles_by_priority(self, pool: Pool) -> Iterator[Sku]:
        """Yield the articles of a pool by priority, endlessly; a chosen article moves back."""
        if pool not in self._pools:
            inside = self._list_articles_in_pool(pool)
            self._pools[pool] = [(*self._make_sort_key(sku, picks), picks, sku.id) for sku, picks in inside]
            heapq.heapify(self._pools[pool])
            self._extremes[pool] = _find_extreme_articles([sku for sku, _ in inside])
        for name in self._extremes[pool]:
            if not self._have[name]:
                yield self._skus[name]
        heap = self._pools[pool]
        while heap:
            *rank, picks, name = heap[0]
            now = self._make_sort_key(self._skus[name], picks)
            if now == tuple(rank):  # otherwise another pool took it meanwhile
                yield self._skus[name]
                now = self._make_sort_key(self._skus[name], picks)
            heapq.heapreplace(heap, (*now, picks, name))

    def _list_articles_in_pool(self, pool: Pool) -> list[tuple[Sku, float]]:
        """Return the articles of a tier and packaging that are picked at the site, with their picks."""
        tier, site, packaging = pool
        picks = get_picks_at_site(self._skus.values(), site or "")
        alike = (s for s in self._skus.values() if tier in (None, s.tier) and packaging in (None, s.packaging))
        return [(sku, picks[sku.id]) for sku in alike if picks[sku.id] > 0.0]

    def _make_sort_key(self, sku: Sku, picks: float) -> tuple[int, float]:
        """Rank an article, lowest first.

        In depth, the demonstrations of articles below their target stay in proportion to a power of their picks
        (Webster's method of odd divisors). In breadth, the least shown comes first.
        """
        have = self._have[sku.id]
        if sku.tier != DEEP:
            return have, -picks
        return int(have >= get_tier_target(self._targets, sku.tier)) * have, -(picks**self._power) / (2 * have + 1)


def _find_extreme_articles(skus: Sequence[Sku]) -> list[str]:
    """Return the lightest, heaviest, smallest and longest article."""
    named: dict[str, None] = {}
    heavy = [(s.mass_kg, s.id) for s in skus if s.mass_kg is not None]
    long = [(max(s.size_m), s.id) for s in skus if s.size_m is not None]
    for measured in (heavy, long):
        if measured:
            named |= {max(measured)[1]: None, min(measured)[1]: None}
    return list(named)
