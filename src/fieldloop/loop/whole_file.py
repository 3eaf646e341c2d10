"""Write a file that is there whole or not at all."""

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
