"""The topics of a bag, gathered whatever files they came in, become one recording."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from fieldloop.ingest.episode_facts import episode_from
from fieldloop.ingest.messages.arrived import Arrived, Described, Payloads
from fieldloop.ingest.messages.topic import Topic
from fieldloop.ingest.messages.topic_facts import facts_of
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.identity import content_id
from fieldloop.model.stream import Stream

Key = tuple[str, str, str]
PIECE = 1 << 20
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

    def take(self, described: Described, arrived: Arrived) -> None:
        """Gather some messages of a topic."""
        key = _key(described)
        if key not in self._topics:
            self._topics[key] = Topic(described, self._source)
        self._topics[key].take(arrived)

    def recording(
        self, name: str, format_: str, facts: Mapping[str, str], defects: Iterable[Defect], files: Iterable[Path]
    ) -> Recording:
        """Make everything taken so far a recording; `files` name it where it holds no message."""
        streams: dict[str, Stream] = {}
        topics = [self._topics[key] for key in sorted(self._topics)]
        for topic in topics:
            for stream in topic.streams():
                free = _free(stream.name, streams)
                notes = {**self._notes.get(_key(topic.described), {}), **stream.notes}
                streams[free] = replace(stream, name=free, notes=notes)
        found = [*defects, *(defect for topic in topics for defect in topic.defects())]
        if not streams and not found:
            found.append(Defect(name, "", "The log is whole but holds no message."))
        said = {**facts_of(topics, streams), **facts}
        episode, complaints = episode_from(
            said, id_=self._identity(files), name=name, streams=streams.values(), format_=format_
        )
        return Recording(episode, streams, (*found, *complaints))

    def _identity(self, files: Iterable[Path]) -> str:
        """Name the episode by its messages, topic by topic: files, chunks, compression and interleaving do not matter.

        Of a log without a message only its bytes are left; two of them are not the same episode.
        """
        if not self._topics:
            return content_id(piece for file in files for piece in _pieces(file))
        return content_id(
            part for key in sorted(self._topics) for part in (*(t.encode() for t in key), self._topics[key].digest)
        )


def _key(described: Described) -> Key:
    return described.topic, described.type, described.encoding


def _free(name: str, taken: Mapping[str, Stream]) -> str:
    return next(n for n in (name, *(f"{name}#{i}" for i in range(2, len(taken) + 3))) if n not in taken)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
