"""The episodes that may be looked at: those of one path, opened one at a time; a few stay open."""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fieldloop.errors import BadInput, UnknownName, UnreadableLog
from fieldloop.ingest import LogMapping, OpenLog, open_log
from fieldloop.loop.look.bare_video import BareVideos, list_videos
from fieldloop.loop.look.opened import OpenedEpisode
from fieldloop.model.episode import Recording
from fieldloop.model.explored import Beside, EpisodeListed

MOST_OPEN = 16
"""Episodes that stay open: two that are compared, for a few visitors."""
TRAILING = re.compile(r"\d{1,9}$")
MOST_NAMED = 40
"""Episodes whose names are read at opening; the others are listed by their number alone."""


@dataclass(slots=True, eq=False)
class _Place:
    """A place for one episode; a request for it while it is being opened waits for it alone."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    episode: OpenedEpisode | None = None


class OpenSet:
    """Keeps the last few opened episodes."""

    def __init__(self) -> None:
        self._kept = OrderedDict[str, _Place]()
        self._lock = threading.Lock()

    def get_episode(self, key: str, open_episode: Callable[[], OpenedEpisode]) -> OpenedEpisode:
        """Return an open episode, opened once; one that takes long delays no other."""
        with self._lock:
            place = self._kept.setdefault(key, _Place())
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_OPEN:
                self._kept.popitem(last=False)
        with place.lock:
            if place.episode is None:
                place.episode = open_episode()
            return place.episode


class PathEpisodes:
    """The episodes of a log, a dataset or a folder, by their number in it."""

    def __init__(self, path: Path, mapping: LogMapping | None = None) -> None:
        self.path = path
        self._mapping = mapping
        self._log = _open_log_or_videos(path, mapping)
        self.count = max(self._log.listed_recordings, 1)
        self.format = self._log.format
        self._names: dict[str, str] = {}
        self._kept = OpenSet()

    def list_episodes(self) -> tuple[EpisodeListed, ...]:
        """List the episodes; names are known of those that were opened."""
        return tuple(EpisodeListed(str(k), self._names.get(str(k), "")) for k in range(self.count))

    def get_episode(self, key: str) -> OpenedEpisode:
        """Return an opened episode; UnknownName for any key that is not of the set."""
        return self._kept.get_episode(key, lambda: self.open_episode(key))

    def open_episode(self, key: str) -> OpenedEpisode:
        """Open one episode without reading the others, where the format allows it."""
        if not key.isdecimal() or not 0 <= int(key) < self.count:
            raise UnknownName("episode", key, [str(k) for k in range(min(self.count, MOST_NAMED))])
        recording = self._log.read_listed(int(key))
        if recording is None:
            from fieldloop.say import write_sentence

            reasons = "; ".join(write_sentence(defect.message) for defect in self._log.defects[:3])
            raise BadInput(f"Episode {key} of {self.path.name} cannot be opened. {reasons}".strip())
        self._names[key] = recording.episode.name
        return OpenedEpisode(key, self.path.name, recording, lambda one: self._check_recording(int(key), one))

    def _check_recording(self, place: int, recording: Recording) -> Beside:
        """Check one episode; what measures is loaded only now. A video without a log has nothing to compare with."""
        if isinstance(self._log, BareVideos):
            return Beside()
        from fieldloop.loop.look.checked import check_part
        from fieldloop.loop.work.measure_part import Part

        return check_part(Part(self.path, self._mapping, place, place + 1), recording)

    def find_key(self, text: str) -> str:
        """Find an episode by its number or its name; a name is looked for in one episode after the other."""
        if text.isdecimal() and int(text) < self.count:
            return text
        numbered = TRAILING.search(text)
        guess = self._log.read_listed(int(numbered[0])) if numbered and int(numbered[0]) < self.count else None
        if numbered and guess is not None and guess.episode.name == text:
            return str(int(numbered[0]))
        for place, recording in enumerate(self._log.recordings):
            if text in (recording.episode.name, recording.episode.id):
                return str(place)
        raise UnknownName("episode", text, [listed.name or listed.key for listed in self.list_episodes()[:MOST_NAMED]])


def _open_log_or_videos(path: Path, mapping: LogMapping | None) -> OpenLog | BareVideos:
    try:
        return open_log(path, mapping)
    except UnreadableLog:
        if videos := list_videos(path):
            return BareVideos(videos)
        raise
