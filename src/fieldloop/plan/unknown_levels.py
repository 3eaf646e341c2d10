"""Levels that logs name and the map does not, with the one that was probably meant."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from fieldloop.errors import UnknownName
from fieldloop.model.condition import Condition, Stratum

MOST_NAMED = 3


def unknown_levels(logged: Iterable[Stratum], known: Mapping[str, Collection[str]]) -> str:
    """Name the levels of known factors that the map lacks, most frequent first; '' where it lacks none.

    >>> unknown_levels([Stratum.of(bin="Front"), Stratum.of(bin="jam"), Stratum.of(bin="jam")], {"bin": ["front"]})
    "bin=jam (2), bin=Front (1; did you mean 'front'?)"
    """
    counts = Counter(
        c for stratum in logged for c in stratum.conditions if c.level not in known.get(c.factor, (c.level,))
    )
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    more = f" and {len(ranked) - MOST_NAMED} more" if len(ranked) > MOST_NAMED else ""
    return ", ".join(_named(condition, count, known) for condition, count in ranked[:MOST_NAMED]) + more


def _named(condition: Condition, count: int, known: Mapping[str, Collection[str]]) -> str:
    meant = UnknownName(condition.factor, condition.level, known[condition.factor]).suggestion
    return f"{condition} ({count:,}; did you mean {meant!r}?)" if meant else f"{condition} ({count:,})"
