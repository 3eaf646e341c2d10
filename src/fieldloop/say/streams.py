"""A note on a stream in plain words."""

from collections.abc import Mapping

from fieldloop.model import stream_notes as key

WORDS: Mapping[str, str] = {
    key.RECORDED_UNIT: "recorded in {}, converted when read",
    key.RECORDED_HZ: "recorded at {} Hz",
    key.RESAMPLED: "brought onto the rows of a table by the rule: {}",
    key.SHAPE: "one sample was {}",
    key.TYPE: "message type {}",
    key.ENCODING: "{}",
    key.VALUES: "values: {}",
    key.ROUNDED: "{}",
    "made": "made from {}",
    "header": "{}",
}
"""How notes read that are not plain as key and text."""


def write_stream_note(name: str, text: str) -> str:
    """Write a note on a stream.

    >>> write_stream_note("recorded_hz", "500"), write_stream_note("unit", "radians are assumed")
    ('recorded at 500 Hz', 'unit: radians are assumed')
    """
    return WORDS[name].format(text) if name in WORDS else f"{name.replace('_', ' ')}: {text}"
