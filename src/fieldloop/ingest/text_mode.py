"""Detect binary logs that were copied in text mode, which changes bytes and destroys them."""

import codecs
from pathlib import Path

from fieldloop.model.note import note

MANY = 8
START_BYTES = 1 << 20
REPLACED = "\ufffd"
SEEMS_MANGLED = note("ingest.copied_in_text_mode")


def in_text_mode(start: bytes) -> bool:
    r"""Does every line feed follow a carriage return, or are these characters, with marks for bytes that were none?

    In bytes of a log, a carriage return comes before one line feed in 256 by chance.

    >>> in_text_mode(b"\x05\r\n" * 9), in_text_mode(b"\x05\n\r\n" * 9), in_text_mode("\x05\ufffd".encode() * 9)
    (True, False, True)
    """
    if start.count(b"\r\n") == start.count(b"\n") >= MANY:
        return True
    if start.count(REPLACED.encode()) < MANY:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    return True


def file_in_text_mode(path: Path) -> bool:
    """Ask this of a file's beginning."""
    with path.open("rb") as file:
        return in_text_mode(file.read(START_BYTES))
