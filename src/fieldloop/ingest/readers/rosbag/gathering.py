"""The topics of a bag, gathered whatever files they came in, become one recording."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fieldloop.ingest.messages.arrived import Arrived, Described, Payloads
from fieldloop.ingest.messages.gathered_log import Key, build_recording
from fieldloop.ingest.messages.topic import Topic
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.stream_notes import SENDERS

NOTED = {"callerid", "latching", "md5sum", "definition"}


class Gathering:
    """Two publishers of the same topic, type and encoding make one stream."""

    def __init__(self, source: Payloads) -> None:
        self._source = source
        self._topics: dict[Key, Topic] = {}
        self._noted: dict[Key, dict[str, dict[str, None]]] = {}

    def note_publisher(self, described: Described) -> None:
        """Keep the metadata of a publisher; several publishers of a topic are all kept."""
        noted = self._noted.setdefault(_make_topic_key(described), {})
        for name in NOTED & described.metadata.keys():
            if text := described.metadata[name]:
                noted.setdefault(name, {})[text] = None  # a dict keeps the order and each text once

    def is_new_topic(self, described: Described) -> bool:
        """Has nothing of this topic been taken yet?"""
        return _make_topic_key(described) not in self._topics

    def add_messages(self, described: Described, arrived: Arrived) -> None:
        """Gather some messages of a topic."""
        key = _make_topic_key(described)
        if key not in self._topics:
            self._topics[key] = Topic(described, self._source)
        self._topics[key].add_messages(arrived)

    def make_recording(
        self, name: str, format_: str, facts: Mapping[str, str], defects: Iterable[Defect], files: Sequence[Path]
    ) -> Recording:
        """Make everything taken so far a recording; `files` name it where it holds no message."""
        topics = [self._topics[key] for key in sorted(self._topics)]
        notes = {key: _join_publisher_facts(noted) for key, noted in self._noted.items()}
        return build_recording(topics, facts, defects, files, name=name, format_=format_, notes=notes)


def _join_publisher_facts(noted: Mapping[str, Mapping[str, None]]) -> dict[str, str]:
    joined = {name: ", ".join(texts) for name, texts in noted.items()}
    senders = len(noted.get("callerid", {}))
    return joined | {SENDERS: str(senders)} if senders > 1 else joined


def _make_topic_key(described: Described) -> Key:
    return described.topic, described.type, described.encoding
