"""One record of an RLDS dataset becomes a Recording: its steps are streams, its metadata are facts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from fieldloop.ingest.readers.rlds.clock import choose_step_clock
from fieldloop.ingest.readers.rlds.columns import Column
from fieldloop.ingest.readers.rlds.example import Values, parse_example
from fieldloop.ingest.readers.rlds.facts import collect_metadata_facts, collect_step_text_facts
from fieldloop.ingest.readers.rlds.framing import Record
from fieldloop.ingest.readers.rlds.own import KEPT, STAMPS, Kept, parse_release_metadata
from fieldloop.ingest.readers.rlds.schema import Leaf
from fieldloop.ingest.readers.rlds.steps import STEPS, read_steps
from fieldloop.ingest.readers.rlds.streams import Payload, make_foreign_streams, restore_stream
from fieldloop.ingest.span import find_time_span
from fieldloop.ingest.words import split_into_words
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.episode_text import parse_texts
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import Note, note
from fieldloop.model.stream import Stream


@dataclass(frozen=True, slots=True)
class Position:
    """Where in its dataset a record stands."""

    shard: Path
    name: str
    facts: Mapping[str, str]


def read_recording(position: Position, record: Record, leaves: Mapping[str, Leaf]) -> Recording:
    """Read one record; pictures stay where they are."""
    place = f"record {record.index}, byte {record.offset}"
    subject = position.shard.name
    features, stopped = parse_example(record.payload)
    defects = [Defect(subject, place, add_place_to_note(record.wrong, record))] if record.wrong else []
    if stopped:
        defects.append(
            Defect(subject, place, add_place_to_note(note("ingest.example_invalid", reason=stopped), record))
        )
    steps, columns, wrong = read_steps(features, leaves)
    defects += [Defect(f"{subject} {path}", place, add_place_to_note(message, record)) for path, message in wrong]
    kept = _read_release_metadata(features)
    facts = (
        dict(kept.facts)
        if kept
        else collect_metadata_facts(features, leaves, columns) | collect_step_text_facts(columns)
    )
    clock = choose_step_clock(_select_clock_columns(columns, kept), steps, facts)
    payload = Payload(position.shard, record.offset)
    if kept:
        by_path = {column.path: column for column in columns}
        streams = [
            restore_stream(stored_stream, by_path[path], by_path.get(stored_stream.stamps), clock, payload)
            for path, stored_stream in kept.streams.items()
            if path in by_path
        ]
        lost = sorted(stored_stream.name for path, stored_stream in kept.streams.items() if path not in by_path)
        gone = add_place_to_note(note("ingest.declared_but_missing", part="stream", missing="feature"), record)
        defects += [Defect(f"{subject} {name}", place, gone) for name in lost]
    else:
        streams = list(make_foreign_streams(columns, clock, payload))
        facts |= _count_padding_steps(columns)
    episode = _build_episode(
        _compute_episode_id(features) or compute_content_id([record.payload]),
        position,
        facts,
        streams,
        defects,
        from_release=kept is not None,
    )
    return Recording(episode, {stream.name: stream for stream in streams}, tuple(defects))


def add_place_to_note(message: Note, record: Record) -> Note:
    """Add to a note which record it is about, and the byte at which it begins."""
    return replace(message, numbers=(*message.numbers, ("record", record.index), ("byte", record.offset)))


def _read_release_metadata(features: Mapping[str, Values]) -> Kept | None:
    values = features.get(f"episode_metadata/{KEPT}")
    try:
        texts = values.read_blobs() if values else []
    except ValueError:
        return None
    return parse_release_metadata(texts[0].decode("utf-8", "replace")) if len(texts) == 1 else None


def _select_clock_columns(columns: list[Column], kept: Kept | None) -> list[Column]:
    return [column for column in columns if column.path == STAMPS] if kept else columns


def _count_padding_steps(columns: list[Column]) -> dict[str, str]:
    """Count padding steps, which are not steps of the robot, as a fact."""
    for column in columns:
        if split_into_words(column.path.rpartition("/")[2]) & {"pad", "padding"} and column.values is not None:
            padding = int(column.values.any(axis=1).sum())
            return {"padding_steps": str(padding)} if padding else {}
    return {}


def _compute_episode_id(features: Mapping[str, Values]) -> str:
    """Hash the stored content of the steps; the episode's position is not part of it."""
    named = sorted(name for name in features if name.startswith(STEPS)) or sorted(features)
    return compute_content_id(_collect_identity_parts(features, named)) if named else ""


def _collect_identity_parts(features: Mapping[str, Values], names: list[str]) -> Iterator[bytes]:
    for name in names:
        yield name.encode()
        yield from (cast("bytes", raw) for raw in features[name].read_raw_bytes())  # hashed in place, never copied


def _build_episode(
    id_: str,
    position: Position,
    facts: dict[str, str],
    streams: list[Stream],
    defects: list[Defect],
    *,
    from_release: bool,
) -> Episode:
    fields, wrong = parse_texts(facts, from_foreign_log=not from_release)
    defects += [Defect(key, position.name, message) for key, message in wrong]
    further = dict(fields.pop("facts")) | dict(position.facts)
    start_ns, end_ns = find_time_span(streams)
    return Episode(
        **{"name": position.name, **fields}, id=id_, format="rlds", facts=tuple(sorted(further.items())),
        start_ns=start_ns, end_ns=end_ns,
    )  # fmt: skip
