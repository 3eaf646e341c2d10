"""Check what a user gave before any use case sees it, so that every door refuses it in the same words."""

import math
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldloop.doors.parameters import Ask, Parameter
from fieldloop.errors import BadInput

LARGEST_WHOLE = 2**63 - 1
"""Whole numbers are stored in 64 bits."""
SHORT_TEXT, SHORT_NAME = 1 << 10, 1 << 6
"""Characters of a text, and of a name, for which the settings need not be read: start-up stays fast."""
TABLE_TEXT = "_text"
"""How the name of a parameter ends that takes the text of a whole file."""
LONGEST_FILE_NAME = 255
"""Bytes of one file name on the file systems in use."""
DEVICES = (stat.S_ISCHR, stat.S_ISBLK)
ENDLESS = (*DEVICES, stat.S_ISFIFO, stat.S_ISSOCK)


def check_given_values(parameters: Ask, values: Mapping[str, Any], *, from_network: bool = False) -> None:
    """Refuse values that no use case can work with; over the network also pipes and sockets, which never end."""
    for parameter in parameters.parameters:
        _refuse_empty_text(parameter, values.get(parameter.name))
        given = values.get(parameter.name)
        for value in given if isinstance(given, tuple) else (given,):
            _check_value(parameter, value, from_network=from_network)


def _refuse_empty_text(parameter: Parameter, value: Any) -> None:
    """Refuse an empty text that must be given: nothing can be found or made under an empty name."""
    if parameter.required and parameter.kind is str and isinstance(value, str) and not value.strip():
        raise BadInput(f"{_get_name(parameter)} is empty.")


def _get_name(parameter: Parameter) -> str:
    """Return a parameter's name as users write it; Python's own words have an underscore behind them in code only."""
    return parameter.name.strip("_")


def _check_value(parameter: Parameter, value: Any, *, from_network: bool) -> None:
    name = _get_name(parameter)
    if isinstance(value, Path):
        _check_path(name, value, ENDLESS if from_network else DEVICES)
    elif isinstance(value, str):
        _check_text(name, value)
    elif isinstance(value, bool):
        return
    elif isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        raise BadInput(f"{name} must be at most {LARGEST_WHOLE}, not {value}.")
    elif isinstance(value, int) and name == "seed" and value < 0:
        raise BadInput(f"seed must be 0 or more, not {value}.")
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"{name} must be a finite number, not {value}.")


def _check_text(name: str, value: str) -> None:
    if "\0" in value:
        raise BadInput(f"{name} contains a null byte. Remove it.")
    if len(value) > (SHORT_NAME if name == "name" else SHORT_TEXT):
        _refuse_long_text(name, len(value))
    try:
        value.encode()
    except UnicodeEncodeError as wrong:
        raise BadInput(f"{name} contains a character that UTF-8 cannot write (at position {wrong.start}).") from wrong


def _refuse_long_text(name: str, length: int) -> None:
    from fieldloop.protocol import default_operations

    if name == "name":
        kind = "longest_name"
    else:
        kind = "longest_text" if name == "text" or name.endswith(TABLE_TEXT) else "longest_value"
    longest = int(default_operations()["ingest"].number(kind))
    if length > longest:
        raise BadInput(f"{name} has {length} characters; at most {longest} are allowed.")


def _check_path(name: str, path: Path, refused: tuple[Any, ...]) -> None:
    """Refuse a path that cannot be a file's name, and a device, which has no end."""
    _check_text(name, str(path))
    for part in path.parts:
        if len(part.encode()) > LONGEST_FILE_NAME:
            raise BadInput(f"{name}: the file name {part[:20]}… has more than {LONGEST_FILE_NAME} bytes.")
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # the use case says what is missing
    if any(is_kind(mode) for is_kind in refused):
        raise BadInput(f"{name}: {path} is not an ordinary file or folder.")
