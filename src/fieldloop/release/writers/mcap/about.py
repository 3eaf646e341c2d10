"""What a log says of its channels and of its episode beside the messages, so that reading gives the same again."""

import json

from fieldloop.model.episode import Episode
from fieldloop.model.stream import Stream
from fieldloop.release.writers.mcap.slots import HEADER, Slots

TEXTS = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
TRUTHS = ("simulated", "succeeded")


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
        "clock": slots.held.get(HEADER, stream.clock).value,
        "clocks": json.dumps({slot: kind.value for slot, kind in slots.held.items()}),
    }
    if stream.values is not None:
        said["dtype"] = stream.values.dtype.name
    if stream.nominal_hz:
        said["nominal_hz"] = repr(float(stream.nominal_hz))
    return {f"fieldloop.{key}": writable(value) for key, value in said.items()}


def episode_metadata(episode: Episode) -> tuple[dict[str, str], list[str]]:
    """Return the facts of an episode as text, by the names of Episode's fields, and which could not be kept."""
    fields = {name: str(getattr(episode, name)) for name in TEXTS if getattr(episode, name)}
    fields["stratum"] = str(episode.stratum)
    for name in TRUTHS:
        if (value := getattr(episode, name)) is not None:
            fields[name] = "true" if value else "false"
    further = dict(episode.facts)
    lost = [
        f"fact {key}: an episode's own field has this name" for key in further if key in {*TEXTS, *TRUTHS, "stratum"}
    ]
    if len(further) < len(episode.facts):
        lost.append("facts stated twice: the last one stands")
    return {writable(key): writable(value) for key, value in (further | fields).items()}, lost


def spoken(text: str) -> str:
    """Return a text that may stand inside a message: there a NUL ends it."""
    return writable(text).replace("\x00", "")


def writable(text: str) -> str:
    r"""Return a text that UTF-8 can hold; what it cannot is shown as an escape.

    >>> writable("caf\udce9")
    'caf\\udce9'
    """
    return text.encode("utf-8", "backslashreplace").decode()
