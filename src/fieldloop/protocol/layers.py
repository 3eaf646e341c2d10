"""Lay a workspace's file over the shipped one, and name what is in force by its content."""

import hashlib
import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fieldloop.errors import ProtocolError


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Parse TOML; an error states the file, the line and the column.

    TOML knows nan and inf. A limit that is one of them judges nothing, so both are refused wherever they stand.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise ProtocolError(f"{where} is not valid TOML: {wrong}.") from wrong
    for place, value in _find_non_finite(tables):
        raise ProtocolError(f"{where}: {place} = {value} is not a finite number. Write one, or leave the key out.")
    return tables


def _find_non_finite(value: Any, place: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _find_non_finite(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value, start=1):
            yield from _find_non_finite(inner, f"{place}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield place, value


def read_shipped_file(name: str) -> str:
    """Return the text of a file that comes with fieldloop."""
    return files("fieldloop.protocol").joinpath(name).read_text(encoding="utf-8")


@cache
def join_shipped_protocol() -> Mapping[str, Any]:
    """Join the files of the shipped protocol; a table that stands in two of them is refused.

    Read once, because every protocol is laid over it; `overlay` copies it, so it must never be modified.
    """
    joined: dict[str, Any] = {}
    folder = files("fieldloop.protocol").joinpath("shipped")
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            _merge_tables(joined, parse_toml(file.read_text(encoding="utf-8"), f"the shipped {file.name}"), file.name)
    return joined


def _merge_tables(into: dict[str, Any], more: Mapping[str, Any], where: str, path: str = "") -> None:
    for key, value in more.items():
        here = f"{path}.{key}" if path else key
        if key not in into:
            into[key] = value
        elif isinstance(value, Mapping) and isinstance(into[key], dict):
            _merge_tables(into[key], value, where, here)
        else:
            raise ProtocolError(f"the shipped {where}: {here} is already in another file.")


def overlay_tables(base: Mapping[str, Any], over: Mapping[str, Any], where: str, path: str = "") -> dict[str, Any]:
    """Replace leaf by leaf; a unit that differs from the default's is refused, because the number would lie."""
    merged = dict(base)
    for key, value in over.items():
        here = f"{path}.{key}" if path else key
        if key == "unit" and key in base and base[key] != value:
            raise ProtocolError(f"{where}: {path} is measured in {base[key]!r}, but the file has {value!r}.")
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
            merged[key] = overlay_tables(base[key], value, where, here)
        else:
            merged[key] = value
    return merged


def compute_fingerprint(content: Any) -> str:
    """Name numbers by their content: the same numbers have the same name, however the file is laid out.

    >>> compute_fingerprint({"a": 1, "b": 2}) == compute_fingerprint({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]
