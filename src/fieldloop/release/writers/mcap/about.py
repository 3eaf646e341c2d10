"""What a log says of its channels and of its episode beside the messages, so that reading gives the same again."""

import json

from fieldloop.model.episode_text import writable
from fieldloop.model.stream import Stream
from fieldloop.release.writers.mcap.slots import HEADER, Slots


def channel_metadata(stream: Stream, slots: Slots) -> dict[str, str]:
    """Describe a stream beyond what its messages can say.

    `fieldloop.clocks` maps each stamp of a message (header, publish, log) to the clock it really is; a stamp that is
    not named there repeats another and is no clock of the stream. `fieldloop.clock` says the same of the header alone.
    Positions that carry velocities and efforts describe the positions; the others follow from them.
    """
    said = {
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
        said["dtype"] = stream.values.dtype.name
    if stream.nominal_hz:
        said["nominal_hz"] = repr(float(stream.nominal_hz))
    return {f"fieldloop.{key}": writable(value) for key, value in said.items()}


def unwritable_texts(stream: Stream) -> list[str]:
    """Name the texts of a stream that are no UTF-8 and are written as escapes."""
    texts = {"name": stream.name, "frame_id": stream.frame_id, "serial": stream.serial}
    return [
        f"{writable(stream.name)}: its {what} holds what is no UTF-8, which is written as an escape"
        for what, text in texts.items()
        if writable(text) != text
    ]


def spoken(text: str) -> str:
    """Return a text that may stand inside a message: there a NUL ends it."""
    return writable(text).replace("\x00", "")
