"""Which episodes are edge cases: rare conditions, failures, and those whose log names an edge case."""

from collections import Counter
from collections.abc import Sequence

from fieldloop.model.episode import Episode

EDGE_CASE_FACTS = ("edge_case", "scenario")
"""Conditions or facts of a log that name an edge case."""


def find_edge_cases(episodes: Sequence[Episode], rare_share: float) -> frozenset[str]:
    """Return the ids of the episodes that are edge cases among these.

    Conditions are rare where at most `rare_share` of the episodes have them; where all conditions are equally rare,
    such as one episode of each, none is.
    """
    counts = Counter(str(episode.stratum_with_site) for episode in episodes)
    most = max(counts.values(), default=0)
    limit = rare_share * len(episodes)
    return frozenset(
        episode.id
        for episode in episodes
        if episode.succeeded is False
        or any(episode.stratum.level(name) or episode.get_fact(name) for name in EDGE_CASE_FACTS)
        or (counts[str(episode.stratum_with_site)] <= limit and counts[str(episode.stratum_with_site)] < most)
    )
