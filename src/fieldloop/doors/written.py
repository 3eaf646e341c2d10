"""Write results as JSON: nouns as objects with their schema, times as ISO-8601."""

import dataclasses
import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from fieldloop.model.codec import format_iso_time, to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, convert_note_to_plain
from fieldloop.say import write_sentence
from fieldloop.say.spelled import find_note_fields, get_extra_fields, holds_notes, write_fact_fields

VERSION = 1


def convert_to_json(result: Any) -> Any:
    """Turn what a use case returned into plain values; a noun states its schema.

    A noun with a JSON form of its own has a method `json_object`, which is used as it is.

    >>> from fieldloop.model.person import Token, Actor, Role
    >>> convert_to_json(Token("t", Actor("op-7", Role.OPERATOR), "…", 0))["created"]
    '1970-01-01T00:00:00.000000Z'
    """
    write = getattr(result, "json_object", None)
    if callable(write):
        return write()
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {"schema": get_schema_name(type(result))} | _convert_fields(result)
    return _convert_to_plain(result)


def write_json_text(result: Any) -> str:
    """Write a result as JSON text that a person can read."""
    return json.dumps(convert_to_json(result), indent=2, ensure_ascii=False)


def get_error_reasons(error: Exception) -> dict[str, Any]:
    """Return the facts behind an error, as JSON carries them beside its message; nothing where it has none.

    >>> get_error_reasons(ValueError("no"))
    {}
    """
    facts = getattr(error, "reasons", ())
    return {"reasons": [_convert_to_plain(fact) for fact in facts]} if facts else {}


def get_schema_name(kind: type) -> str:
    """Name a noun's written form.

    >>> class PolicyVersion: ...
    >>> get_schema_name(PolicyVersion)
    'policy-version/1'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.__name__).lower() + f"/{VERSION}"


def _convert_fields(noun: Any) -> dict[str, Any]:
    written = get_extra_fields(noun)
    declared = find_note_fields(noun)
    for field in dataclasses.fields(noun):
        value = getattr(noun, field.name)
        if field.name.endswith("_ns") and isinstance(value, int | None):
            # int64 nanoseconds do not survive JavaScript and are unreadable
            written[field.name.removesuffix("_ns")] = None if value is None else format_iso_time(value)
        elif holds_notes(value) or field.name in declared:
            written |= write_fact_fields(field.name, value, _convert_to_plain, with_codes=hasattr(noun, "code"))
        else:
            written[field.name] = _convert_to_plain(value)
    return written


def _convert_to_plain(value: Any) -> Any:
    if isinstance(value, Stratum | Enum):
        return to_plain(value)
    if isinstance(value, Note):
        return {"message": write_sentence(value)} | convert_note_to_plain(value, _convert_to_plain)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        write = getattr(value, "json_object", None)
        return write() if callable(write) else _convert_fields(value)
    if isinstance(value, Mapping):
        return {str(to_plain(key)): _convert_to_plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_convert_to_plain(inner) for inner in value]
    return to_plain(value)
