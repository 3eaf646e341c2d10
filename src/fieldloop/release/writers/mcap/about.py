"""Metadata of channels, from which reading restores the streams."""

import json

from fieldloop.model.episode_text import escape_non_utf8
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import Stream
from fieldloop.release.writers.mcap.slots import HEADER, Slots


def make_channel_metadata(stream: Stream, slots: Slots) -> dict[str, str]:
    """Describe a stream beyond what its messages can say.

    `fieldloop.clocks` maps each stamp of a message (header, publish, log) to the clock it really is; a stamp that is
    not named there repeats another and is not a clock of the stream. `fieldloop.clock` does so for the header alone.
    Positions that carry velocities and efforts describe the positions; the others follow from them.
    """
    stated = {
        "stream": stream.name,
        "kind": stream.kind.value,
        "unit": stream.unit,
        "columns": json.dumps(stream.columns),
        "frame_id": stream.frame_id,
        "serial": stream.serial,
        "notes": json.dumps(dict(stream.notes)),
        "clock": slots.held.get(HEADER, stream.clock).value,
        "clocks": json.dumps({slot: kind.value for slot, kind in slots.held.items()}),
    }
    if stream.values is not None:
        stated["dtype"] = stream.values.dtype.name
    if stream.nominal_hz:
        stated["nominal_hz"] = repr(float(stream.nominal_hz))
    return {f"fieldloop.{key}": escape_non_utf8(value) for key, value in stated.items()}


def find_unwritable_texts(stream: Stream) -> list[Note]:
    """Return the texts of a stream that are not UTF-8 and are written as escapes."""
    texts = {"name": stream.name, "frame_id": stream.frame_id, "serial": stream.serial}
    return [
        note("release.text_not_utf8", about=Subject(escape_non_utf8(stream.name)), name=what)
        for what, text in texts.items()
        if escape_non_utf8(text) != text
    ]


def make_text_fit_for_message(text: str) -> str:
    """Return a text that may stand inside a message: there a NUL ends it."""
    return escape_non_utf8(text).replace("\x00", "")
