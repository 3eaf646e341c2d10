"""What a release demonstrates: how often each condition and pair, real or simulated, and ranges of numbers."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import parse_finite_number


@dataclass(frozen=True)
class Demonstrations:
    """Counts by stratum, the site and the operator among its conditions; `simulated` and `failed` are part of them.

    `ranges` are minimum and maximum of every number that demonstrations logged.
    """

    counts: Mapping[Stratum, int]
    simulated: Mapping[Stratum, int] = field(default_factory=dict)
    failed: Mapping[Stratum, int] = field(default_factory=dict)
    items: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def counted(cls, counts: Mapping[Stratum, int], simulated: Mapping[Stratum, int] | None = None) -> "Demonstrations":
        """Build from counts, where no episodes are available."""
        return cls(dict(counts), dict(simulated or {}))

    @cached_property
    def total(self) -> int:
        """Return the number of demonstrations."""
        return sum(self.counts.values())

    @cached_property
    def factors(self) -> frozenset[str]:
        """Return the factors that demonstrations log."""
        return frozenset(c.factor for stratum in self.counts for c in stratum.conditions)

    def levels_of(self, factor: str) -> frozenset[str]:
        """Return the levels of a factor that were demonstrated at all."""
        return self._levels.get(factor, frozenset())

    @cached_property
    def _levels(self) -> dict[str, frozenset[str]]:
        levels: dict[str, set[str]] = {}
        for stratum in self.counts:
            for condition in stratum.conditions:
                levels.setdefault(condition.factor, set()).add(condition.level)
        return {factor: frozenset(found) for factor, found in levels.items()}

    @cached_property
    def _parts(self) -> Counter[Stratum]:
        return _parts(self.counts)

    @cached_property
    def _simulated_parts(self) -> Counter[Stratum]:
        return _parts(self.simulated)

    @cached_property
    def _failed_parts(self) -> Counter[Stratum]:
        return _parts(self.failed)

    def shown(self, stratum: Stratum) -> int | None:
        """Count demonstrations under one or two conditions; None where they do not log them."""
        return self._parts[stratum] if self._log_factors_of(stratum) else None

    def simulated_share(self, stratum: Stratum) -> float | None:
        """Return the simulated share of them; None where there are none or it is unknown."""
        shown = self.shown(stratum)
        return self._simulated_parts[stratum] / shown if shown else None

    def count_exactly(self, stratum: Stratum) -> int:
        """Count demonstrations under all of these conditions together."""
        factors = frozenset(c.factor for c in stratum.conditions)
        if factors not in self._projected:
            self._projected[factors] = Counter()
            for other, n in self.counts.items():
                self._projected[factors][other.only(factors)] += n
        return self._projected[factors][stratum]

    @cached_property
    def _projected(self) -> dict[frozenset[str], Counter[Stratum]]:
        return {}

    def mostly_simulated(self, stratum: Stratum, share: float, clearly: float) -> bool:
        """Was at least this share of them simulated, and more than of all demonstrations by so many standard errors?"""
        share_here, count = self.simulated_share(stratum), self.shown(stratum)
        usual = sum(self.simulated.values()) / max(self.total, 1)
        if share_here is None or not count or share_here < share or usual >= 1.0:
            return False
        return share_here - usual > clearly * math.sqrt(usual * (1.0 - usual) / count)

    def failures(self, stratum: Stratum) -> int | None:
        """Count those that show a failure or a recovery."""
        return self._failed_parts[stratum] if self._log_factors_of(stratum) else None

    def lacks(self, pair: Stratum, least: float, due: float) -> bool:
        """Are there fewer of a pair than `least`, although the frequency of each condition predicts at least `due`?"""
        first, second = (self._parts[Stratum((c,))] for c in pair.conditions)
        return self._parts[pair] < least and first * second / max(self.total, 1) >= due

    def _log_factors_of(self, stratum: Stratum) -> bool:
        return bool(stratum.conditions) and {c.factor for c in stratum.conditions} <= self.factors


def demonstrations_of(episodes: Iterable[Episode]) -> Demonstrations:
    """Count the episodes of a release."""
    counts: Counter[Stratum] = Counter()
    simulated: Counter[Stratum] = Counter()
    failed: Counter[Stratum] = Counter()
    items: Counter[str] = Counter()
    ranges: dict[str, tuple[float, float]] = {}
    for episode in episodes:
        where = episode.circumstances
        counts[where] += 1
        simulated[where] += episode.simulated is True
        failed[where] += episode.succeeded is False or bool(episode.failure)
        items[episode.handled] += bool(episode.handled)
        for name, text in episode.facts:
            if (value := parse_finite_number(text)) is not None:
                low, high = ranges.get(name, (value, value))
                ranges[name] = (min(low, value), max(high, value))
    return Demonstrations(counts, +simulated, +failed, +items, ranges)


def _parts(counts: Mapping[Stratum, int]) -> Counter[Stratum]:
    """Count single conditions and pairs."""
    parts: Counter[Stratum] = Counter()
    for stratum, n in counts.items():
        for size in (1, 2):
            for part in combinations(stratum.conditions, size):
                parts[Stratum(part)] += n
    return parts
