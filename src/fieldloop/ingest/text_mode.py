"""Detect binary logs that were copied in text mode, which changes bytes and destroys them."""

import codecs
from pathlib import Path

from fieldloop.model.note import note

MANY = 8
START_BYTES = 1 << 20
REPLACED = "\ufffd"
SEEMS_MANGLED = note("ingest.copied_in_text_mode")


def is_damaged_by_text_mode(first_bytes: bytes) -> bool:
    r"""Does every line feed follow a carriage return, or are these characters, with marks for bytes that were none?

    In bytes of a log, a carriage return comes before one line feed in 256 by chance.

    >>> (is_damaged_by_text_mode(b"\x05\r\n" * 9), is_damaged_by_text_mode(b"\x05\n\r\n" * 9),
    ...  is_damaged_by_text_mode("\x05\ufffd".encode() * 9))
    (True, False, True)
    """
    if first_bytes.count(b"\r\n") == first_bytes.count(b"\n") >= MANY:
        return True
    if first_bytes.count(REPLACED.encode()) < MANY:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(first_bytes)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    return True


def is_file_damaged_by_text_mode(path: Path) -> bool:
    """Ask this of a file's beginning."""
    with path.open("rb") as file:
        return is_damaged_by_text_mode(file.read(START_BYTES))
