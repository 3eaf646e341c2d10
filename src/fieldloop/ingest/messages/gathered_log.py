"""The topics of a log, whatever it is stored in, become one recording."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fieldloop.ingest.episode_facts import build_episode
from fieldloop.ingest.messages.topic import Topic
from fieldloop.ingest.messages.topic_facts import collect_topic_facts, collect_topic_texts
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import note
from fieldloop.model.stream import Stream

PIECE = 1 << 20
Key = tuple[str, str, str]
NOTHING: Mapping[Any, Any] = MappingProxyType({})


def build_recording(
    topics: Sequence[Topic],
    facts: Mapping[str, str],
    defects: Iterable[Defect],
    files: Sequence[Path],
    *,
    name: str,
    format_: str,
    attached_facts: Mapping[str, str] = NOTHING,
    notes: Mapping[Key, Mapping[str, str]] = NOTHING,
) -> Recording:
    """Make one recording; `files` name it where it holds no message, `notes` are what a topic's publishers said.

    What is `attached_facts` holds where neither topics nor `facts` say otherwise.
    """
    streams: dict[str, Stream] = {}
    for topic in topics:
        noted = notes.get(make_topic_key(topic), {})
        for stream in topic.make_streams():
            free = _find_unused_name(stream.name, streams)
            streams[free] = replace(stream, name=free, notes={**noted, **stream.notes})
    all_defects = [*defects, *(defect for topic in topics for defect in topic.list_defects())]
    if not streams and not all_defects:
        all_defects.append(Defect(files[0].name if len(files) == 1 else name, "", note("ingest.no_messages")))
    episode, complaints = build_episode(
        {**attached_facts, **collect_topic_texts(topics, facts), **collect_topic_facts(topics, streams), **facts},
        id_=_compute_episode_id(topics, files),
        name=name,
        streams=streams.values(),
        format_=format_,
    )
    return Recording(episode, streams, (*all_defects, *complaints))


def make_topic_key(topic: Topic) -> Key:
    """Return what tells topics of one log apart."""
    return topic.describe.topic, topic.describe.type, topic.describe.encoding


def _compute_episode_id(topics: Iterable[Topic], files: Iterable[Path]) -> str:
    """Name the episode by its messages, topic by topic: files, chunks, compression and interleaving do not matter.

    Of a log without a message only its bytes are left; two of them are not the same episode.
    """
    named = sorted((*make_topic_key(topic), topic.digest) for topic in topics)
    if not named:
        return compute_content_id(piece for file in files for piece in _read_file_pieces(file))
    return compute_content_id(part for *texts, digest in named for part in (*(text.encode() for text in texts), digest))


def _read_file_pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def _find_unused_name(name: str, taken_names: Mapping[str, Stream]) -> str:
    return next(n for n in (name, *(f"{name}#{i}" for i in range(2, len(taken_names) + 3))) if n not in taken_names)
