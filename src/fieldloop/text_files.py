"""Read text files that people write: UTF-8, with one clear error for each way in which a file cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from fieldloop.errors import BadInput, FieldloopError


def read_text(file: Path, error: type[FieldloopError] = BadInput) -> str:
    """Return the whole text of a file, without the byte order mark that some editors write in front.

    Arguments:
        file: what to read
        error: which error to raise where it cannot be read
    """
    with open_text(file, error, newline=None) as text:
        return text.read()


@contextmanager
def open_text(file: Path, error: type[FieldloopError] = BadInput, newline: str | None = "") -> Iterator[TextIO]:
    """Open a file to read it line by line; by default with the line endings it has, as the csv module wants them."""
    if file.is_dir():
        raise error(f"{file} is a folder. Name a file.")
    try:
        with file.open(encoding="utf-8-sig", newline=newline) as text:
            yield text
    except FileNotFoundError as wrong:
        raise error(f"{file} does not exist.") from wrong
    except UnicodeDecodeError as wrong:
        raise error(f"{file}, line {_find_first_wrong_line(file)} is not UTF-8. Save the file as UTF-8.") from wrong
    except OSError as wrong:
        raise error(f"{file} cannot be read: {wrong.strerror or wrong}.") from wrong


def _find_first_wrong_line(file: Path) -> int:
    with file.open("rb") as lines:
        return next((number for number, line in enumerate(lines, 1) if not _is_utf8(line)), 1)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
