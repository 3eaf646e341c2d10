"""Match attempts with their recorded episodes, so that each counts once."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome
from fieldloop.model.stream import NS_PER_S

SiteRobot = tuple[str, str]


class Recorded:
    """Finds the episode of an attempt: by its name, else by robot and time."""

    def __init__(self, episodes: Iterable[Episode], within_s: float) -> None:
        """Keep episodes by name, and by site and robot in the order of time."""
        self._episodes = {e.id: e for e in episodes}
        self._within_ns = int(within_s * NS_PER_S)
        self._named: dict[tuple[SiteRobot, str], str] = {}
        self._timed: dict[SiteRobot, list[tuple[int, int, str]]] = {}
        for e in self._episodes.values():
            place = e.stratum_with_site.level("site") or "", e.robot
            for name in filter(None, (e.id, e.name, e.get_fact("attempt"))):
                self._named.setdefault((place, name), e.id)
            if e.robot and e.end_ns > e.start_ns > 0:
                self._timed.setdefault(place, []).append((e.start_ns, e.end_ns, e.id))
        for spans in self._timed.values():
            spans.sort()

    def take_episode_of_outcome(self, outcome: Outcome) -> Episode | None:
        """Return the episode of this attempt and remove it; None where it was not recorded."""
        place = outcome.stratum.level("site") or outcome.site, outcome.robot
        episode_id = self._named.get((place, outcome.attempt)) or self._find_episode_at(place, outcome.at_ns)
        return self._episodes.pop(episode_id, None) if episode_id else None

    @property
    def unmatched_episodes(self) -> Iterator[Episode]:
        """Yield episodes without an outcome."""
        yield from self._episodes.values()

    def _find_episode_at(self, place: SiteRobot, at_ns: int) -> str | None:
        spans = self._timed.get(place, [])
        before = bisect_right(spans, at_ns, key=lambda span: span[0])
        if not before:
            return None
        _, end_ns, name = spans[before - 1]
        return name if at_ns <= end_ns + self._within_ns else None
