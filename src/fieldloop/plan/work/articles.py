"""Choose articles for orders: in depth for the high tier, in breadth for others, physical extremes first."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Sku, picks_at
from fieldloop.model.episode import OBJECT_FACTORS
from fieldloop.plan.rules.tiers import DEEP, target

Pool = tuple[str | None, str | None, str | None]
"""Tier, site and packaging; None where any will do."""


class Articles:
    """Chooses articles from the catalogue; each choice counts for the next quotas."""

    def __init__(self, skus: Iterable[Sku], shown: Counter[str], targets: dict[str, int]) -> None:
        """Store the catalogue, how often each article was shown, and the target of each tier."""
        self._skus = {sku.id: sku for sku in skus}
        self._sites = {site for sku in self._skus.values() for site, _ in sku.by_site}
        self._have = Counter(shown)
        self._targets = targets
        self._pools: dict[Pool, list[tuple[int, float, str]]] = {}
        self._extremes: dict[Pool, list[str]] = {}

    def choose(self, stratum: Stratum, demonstrations: int) -> tuple[str, ...]:
        """Name the articles for so many demonstrations of a stratum, most wanted first; none without a catalogue.

        Where the tier is to be covered in depth, each article takes what it lacks of its target; elsewhere one
        demonstration each, least shown first, and among equals most picked first.
        """
        named = next((level for factor in OBJECT_FACTORS if (level := stratum.level(factor))), None)
        if named:
            return (named,)
        chosen: dict[str, int] = {}
        here = stratum.level("site")
        site = here if here in self._sites else None  # a site that is not in the catalogue uses the pool of all sites
        wanted = self._articles_by_priority((stratum.level("tier"), site, stratum.level("packaging")))
        left = demonstrations
        for sku in wanted:
            if left <= 0:
                break
            lacking = target(self._targets, sku.tier) - self._have[sku.id]
            amount = min(left, max(1, lacking)) if sku.tier == DEEP else 1
            if sku.id in chosen and len(chosen) == 1:
                amount = left  # the only article takes them all
            chosen[sku.id] = chosen.get(sku.id, 0) + amount
            self._have[sku.id] += amount
            left -= amount
        return tuple(chosen)

    def _articles_by_priority(self, pool: Pool) -> Iterator[Sku]:
        """Yield the articles of a pool by priority, endlessly; a chosen article goes to the back."""
        if pool not in self._pools:
            inside = self._articles_in_pool(pool)
            self._pools[pool] = [(self._rank(sku), -picks, sku.id) for sku, picks in inside]
            heapq.heapify(self._pools[pool])
            self._extremes[pool] = _extremes([sku for sku, _ in inside])
        for name in self._extremes[pool]:
            if not self._have[name]:
                yield self._skus[name]
        heap = self._pools[pool]
        while heap:
            rank, picks, name = heap[0]
            now = self._rank(self._skus[name])
            if now != rank:  # another pool took it meanwhile
                heapq.heapreplace(heap, (now, picks, name))
                continue
            yield self._skus[name]
            heapq.heapreplace(heap, (self._rank(self._skus[name]), picks, name))

    def _articles_in_pool(self, pool: Pool) -> list[tuple[Sku, float]]:
        """Return the articles of a tier and packaging that are picked at the site, with their picks."""
        tier, site, packaging = pool
        picks = picks_at(self._skus.values(), site or "")
        alike = (s for s in self._skus.values() if tier in (None, s.tier) and packaging in (None, s.packaging))
        return [(sku, picks[sku.id]) for sku in alike if picks[sku.id] > 0.0]

    def _rank(self, sku: Sku) -> int:
        """Rank an article: in depth, those below the target first; in breadth, the least shown first."""
        have = self._have[sku.id]
        return int(have >= target(self._targets, sku.tier)) * have if sku.tier == DEEP else have


def _extremes(skus: Sequence[Sku]) -> list[str]:
    """Return the lightest, heaviest, smallest and longest article."""
    named: dict[str, None] = {}
    heavy = [(s.mass_kg, s.id) for s in skus if s.mass_kg is not None]
    long = [(max(s.size_m), s.id) for s in skus if s.size_m is not None]
    for measured in (heavy, long):
        if measured:
            named |= {max(measured)[1]: None, min(measured)[1]: None}
    return list(named)
