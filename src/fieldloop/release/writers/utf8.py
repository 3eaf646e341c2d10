"""Make all texts of a recording valid UTF-8, as files require."""

from dataclasses import replace
from typing import Any

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.episode_text import TEXTS, escape_non_utf8
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import Stream

OF_A_STREAM = ("name", "unit", "frame_id", "serial")


def escape_recording_texts(recording: Recording) -> tuple[Recording, list[Note]]:
    """Return the recording with escapes where a text is not UTF-8, and the streams with such texts.

    Those of the episode itself are reported by `episode_text.losses_in_texts`.
    """
    streams: dict[str, Stream] = {}
    changed: list[Note] = []
    for stream in recording.streams.values():
        clean = _escape_stream_texts(stream)
        while clean.name in streams:
            clean = replace(clean, name=f"{clean.name}_")
        if clean is not stream:
            changed.append(note("release.text_not_utf8", about=Subject(clean.name), name="texts"))
        streams[clean.name] = clean
    return replace(recording, episode=_escape_episode_texts(recording.episode), streams=streams), changed


def _escape_stream_texts(stream: Stream) -> Stream:
    clean: dict[str, Any] = {name: escape_non_utf8(getattr(stream, name)) for name in OF_A_STREAM}
    clean["columns"] = tuple(map(escape_non_utf8, stream.columns))
    clean["notes"] = {escape_non_utf8(key): escape_non_utf8(text) for key, text in stream.notes.items()}
    same = all(getattr(stream, name) == text for name, text in clean.items())
    return stream if same else replace(stream, **clean)


def _escape_episode_texts(episode: Episode) -> Episode:
    texts: dict[str, Any] = {name: escape_non_utf8(getattr(episode, name)) for name in TEXTS}
    return replace(
        episode, facts=tuple((escape_non_utf8(key), escape_non_utf8(text)) for key, text in episode.facts), **texts
    )
