"""The topics of a bag, gathered whatever files they came in, become one recording."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fieldloop.ingest.messages.arrived import Arrived, Described, Payloads
from fieldloop.ingest.messages.gathered_log import Key, recording_of
from fieldloop.ingest.messages.topic import Topic
from fieldloop.model.episode import Defect, Recording

NOTED = {"callerid", "latching", "md5sum", "definition"}


class Gathering:
    """Two publishers of the same topic, type and encoding make one stream."""

    def __init__(self, source: Payloads) -> None:
        self._source = source
        self._topics: dict[Key, Topic] = {}
        self._notes: dict[Key, dict[str, str]] = {}

    def note(self, described: Described) -> None:
        """Keep what a publisher says of itself; several publishers of a topic are all heard."""
        notes = self._notes.setdefault(_key(described), {})
        for name in NOTED & described.metadata.keys():
            text = described.metadata[name]
            if text and text not in notes.get(name, "").split(", "):
                notes[name] = f"{notes[name]}, {text}" if name in notes else text

    def is_new(self, described: Described) -> bool:
        """Has nothing of this topic been taken yet?"""
        return _key(described) not in self._topics

    def take(self, described: Described, arrived: Arrived) -> None:
        """Gather some messages of a topic."""
        key = _key(described)
        if key not in self._topics:
            self._topics[key] = Topic(described, self._source)
        self._topics[key].take(arrived)

    def recording(
        self, name: str, format_: str, facts: Mapping[str, str], defects: Iterable[Defect], files: Sequence[Path]
    ) -> Recording:
        """Make everything taken so far a recording; `files` name it where it holds no message."""
        topics = [self._topics[key] for key in sorted(self._topics)]
        return recording_of(topics, facts, defects, files, name=name, format_=format_, notes=self._notes)


def _key(described: Described) -> Key:
    return described.topic, described.type, described.encoding
