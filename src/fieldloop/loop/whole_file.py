"""Texts of somebody's own, read with a clear word where they cannot be; files that are there whole or not at all."""

import os
from pathlib import Path

from fieldloop.errors import BadInput


def write_whole(file: Path, text: str, what: str = "report") -> None:
    """Write beside and move into place: a reader sees the old file or the new one, never half of one."""
    if file.is_dir():
        raise BadInput(f"{file} is a folder. Name a file for the {what}, such as {file / what}.")
    if not file.parent.is_dir():
        raise BadInput(f"{file.parent} is no folder, so the {what} cannot be written there. Make it first.")
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file)
    except OSError as wrong:
        beside.unlink(missing_ok=True)
        raise BadInput(f"{file} could not be written: {wrong}") from wrong


def read_whole(file: Path) -> str:
    """Read a text as UTF-8, with or without a mark at its beginning."""
    if not file.is_file():
        raise BadInput(f"{file} is not there.")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = file.read_bytes()[: wrong.start].count(b"\n") + 1
        raise BadInput(f"{file.name}, line {line} is not UTF-8. Save it as UTF-8, as spreadsheets offer.") from wrong
    except OSError as wrong:
        raise BadInput(f"{file} cannot be read: {wrong.strerror}.") from wrong


def make_folder(folder: Path) -> None:
    """Make a folder to write into."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise BadInput(f"{folder} cannot be made: {wrong.strerror}.") from wrong
