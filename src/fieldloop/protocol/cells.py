"""Typed access to cells of hand-written tables; errors name table and key."""

import math
from collections.abc import Mapping
from typing import Any

from fieldloop.errors import ProtocolError


def read_table(where: str, value: Any) -> Mapping[str, Any]:
    """Return a table; a bare value in its place is refused."""
    if not isinstance(value, Mapping):
        raise ProtocolError(f"{where}: {value!r} should be a table of its own: write [{where.rpartition(': ')[2]}].")
    return value


def read_line(where: str, row: Mapping[str, Any], key: str, *, required: bool = False) -> str:
    """Return one line of text; '' where it is not given and need not be."""
    value = row.get(key, "")
    if not isinstance(value, str):
        raise ProtocolError(f"{where}: {key} = {value!r} should be text in quotes.")
    if required and not value.strip():
        raise ProtocolError(f"{where}: {key} is missing.")
    return " ".join(value.split())


def read_lines(where: str, row: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a list of lines; a single text counts as a list of one."""
    value = row.get(key, [])
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) and line.strip() for line in lines):
        raise ProtocolError(f'{where}: {key} should be a list of sentences, such as ["First this.", "Then that."].')
    return tuple(" ".join(line.split()) for line in lines)


def read_positive_number(where: str, row: Mapping[str, Any], key: str) -> float | None:
    """Return a number above zero, None where none is given."""
    if key not in row:
        return None
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise ProtocolError(f"{where}: {key} = {value!r} should be a number above zero.")
    return float(value)


def read_positive_whole_number(where: str, row: Mapping[str, Any], key: str) -> int | None:
    """Return a whole number above zero, None where none is given."""
    value = read_positive_number(where, row, key)
    if value is not None and value != int(value):
        raise ProtocolError(f"{where}: {key} = {row[key]!r} should be a whole number.")
    return None if value is None else int(value)


def read_true_or_false(where: str, row: Mapping[str, Any], key: str) -> bool:
    """Return true or false, false where nothing is given."""
    value = row.get(key, False)
    if not isinstance(value, bool):
        raise ProtocolError(f"{where}: {key} = {value!r} should be true or false, without quotes.")
    return value


def read_vector(where: str, row: Mapping[str, Any], key: str, length: int) -> tuple[float, ...] | None:
    """Return so many finite numbers, None where none are given."""
    if key not in row:
        return None
    value = row[key]
    fits = isinstance(value, list | tuple) and len(value) == length
    if not fits or not all(isinstance(v, int | float) and math.isfinite(v) for v in value):
        raise ProtocolError(f"{where}: {key} = {value!r} should be a list of {length} numbers.")
    return tuple(float(v) for v in value)
