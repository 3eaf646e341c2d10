"""Attempts that were recorded, to be told from those that were only judged."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome
from fieldloop.model.stream import NS_PER_S

Place = tuple[str, str]


class Recorded:
    """Finds the episode of an attempt: by its name, else by the time at its robot, which does one thing at a time."""

    def __init__(self, episodes: Iterable[Episode], within_s: float) -> None:
        """Keep episodes by name, and by site and robot in the order of time."""
        self._episodes = {e.id: e for e in episodes}
        self._within_ns = int(within_s * NS_PER_S)
        self._named: dict[tuple[Place, str], str] = {}
        self._timed: dict[Place, list[tuple[int, int, str]]] = {}
        for e in self._episodes.values():
            place = e.where.level("site") or "", e.robot
            for name in filter(None, (e.id, e.name, e.fact("attempt"))):
                self._named.setdefault((place, name), e.id)
            if e.robot and e.end_ns > e.start_ns > 0:
                self._timed.setdefault(place, []).append((e.start_ns, e.end_ns, e.id))
        for spans in self._timed.values():
            spans.sort()

    def take(self, outcome: Outcome) -> Episode | None:
        """Return the episode of this attempt, which no other outcome gets then; None where it was not recorded."""
        place = outcome.stratum.level("site") or outcome.site, outcome.robot
        found = self._named.get((place, outcome.attempt)) or self._at(place, outcome.at_ns)
        return self._episodes.pop(found, None) if found else None

    @property
    def left(self) -> Iterator[Episode]:
        """Episodes that are the attempt of no outcome."""
        yield from self._episodes.values()

    def _at(self, place: Place, at_ns: int) -> str | None:
        spans = self._timed.get(place, [])
        before = bisect_right(spans, at_ns, key=lambda span: span[0])
        if not before:
            return None
        _, end_ns, name = spans[before - 1]
        return name if at_ns <= end_ns + self._within_ns else None
