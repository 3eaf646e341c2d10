"""Levels that are logged but missing from the map, each with the level that was probably meant."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from fieldloop.errors import UnknownName
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.note import Note, note
from fieldloop.plan.gaps.unknown_articles import keep_first_and_count_rest


def note_unknown_levels(logged: Iterable[Stratum], known: Mapping[str, Collection[str]]) -> tuple[Note, ...]:
    """Name the levels of known factors that the map lacks, most frequent first, each with its count.

    >>> logged = [Stratum.of(bin="Front"), Stratum.of(bin="jam"), Stratum.of(bin="jam")]
    >>> [(one["name"], one["count"], one["meant"]) for one in note_unknown_levels(logged, {"bin": ["front"]})]
    [('bin=jam', 2, ''), ('bin=Front', 1, 'front')]
    """
    counts = Counter(
        c for stratum in logged for c in stratum.conditions if c.level not in known.get(c.factor, (c.level,))
    )
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return keep_first_and_count_rest([_note_unknown_level(condition, count, known) for condition, count in ranked])


def _note_unknown_level(condition: Condition, count: int, known: Mapping[str, Collection[str]]) -> Note:
    meant = UnknownName(condition.factor, condition.level, known[condition.factor]).suggestion
    return note("plan.counted", name=str(condition), count=count, meant=meant or "")
