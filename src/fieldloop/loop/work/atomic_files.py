"""Write files atomically: a reader sees the old file or the new one."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fieldloop.errors import BadInput


def write_atomically(file: Path, text: str, what: str = "report") -> None:
    """Write a temporary file and move it into place, so that no reader sees half a file."""
    if file.is_dir():
        raise BadInput(f"{file} is a folder. Name a file for the {what}, such as {file / what}.")
    if not file.parent.is_dir():
        raise BadInput(f"{file.parent} does not exist, so the {what} cannot be written there. Make the folder first.")
    if file.exists() and not file.is_file():
        raise BadInput(f"{file} is a device, a pipe or a socket. Name an ordinary file for the {what}.")
    file = file.resolve()  # a link stays a link, and the file behind it is replaced
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
    except OSError as wrong:
        temporary.unlink(missing_ok=True)
        raise BadInput(f"{file} cannot be written: {wrong.strerror or wrong}.") from wrong


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder for one who reads a file, compares it and writes it; others wait, in any process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder to write into."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as wrong:
        raise BadInput(f"{folder} cannot be made: a file has this name. Name another folder.") from wrong
    except OSError as wrong:
        raise BadInput(f"{folder} cannot be made: {wrong.strerror}.") from wrong
