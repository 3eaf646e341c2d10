"""How results leave through a door as JSON: nouns as objects with their schema, times as ISO-8601."""

import dataclasses
import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from fieldloop.model.codec import iso, to_plain
from fieldloop.model.condition import Stratum

VERSION = 1


def as_json(result: Any) -> Any:
    """Turn what a use case returned into plain values; a noun says which schema it follows.

    A noun that keeps a written form of its own has a method `json_object`, and that is taken as it is.

    >>> from fieldloop.model.person import Token, Actor, Role
    >>> as_json(Token("t", Actor("op-7", Role.OPERATOR), "…", 0))["created"]
    '1970-01-01T00:00:00.000000Z'
    """
    own = getattr(result, "json_object", None)
    if callable(own):
        return own()
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {"schema": schema_of(type(result))} | _fields(result)
    return _plain(result)


def dumps(result: Any) -> str:
    """Write a result as JSON text that a person can read."""
    return json.dumps(as_json(result), indent=2, ensure_ascii=False)


def schema_of(kind: type) -> str:
    """Name a noun's written form.

    >>> class PolicyVersion: ...
    >>> schema_of(PolicyVersion)
    'policy-version/1'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.__name__).lower() + f"/{VERSION}"


def _fields(noun: Any) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for field in dataclasses.fields(noun):
        value = getattr(noun, field.name)
        if field.name.endswith("_ns") and isinstance(value, int | None):
            # int64 nanoseconds do not survive JavaScript, and nobody reads them
            written[field.name.removesuffix("_ns")] = None if value is None else iso(value)
        else:
            written[field.name] = _plain(value)
    return written


def _plain(value: Any) -> Any:
    if isinstance(value, Stratum | Enum):
        return to_plain(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = getattr(value, "json_object", None)
        return own() if callable(own) else _fields(value)
    if isinstance(value, Mapping):
        return {str(to_plain(key)): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    return to_plain(value)
