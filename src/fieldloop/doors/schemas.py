"""The JSON schema of what a use case returns, derived from its return type, as `written.as_json` writes it."""

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from fieldloop.doors.written import get_schema_name
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Finding
from fieldloop.model.note import Note, Subject
from fieldloop.say.spelled import MESSAGE, mentions_note

Schema = dict[str, Any]
ANYTHING: Schema = {}
TEXT: Schema = {"type": "string"}
FACT: Schema = {"$ref": "#/components/schemas/fact"}
FACT_DEFINITION: Schema = {
    "type": "object",
    "description": "A stable code with its numbers; `docs/messages.md` lists all codes.",
    "properties": {
        "code": TEXT,
        "numbers": {"type": "object"},
        "subject": {"type": "object"},
        "details": {"type": "array", "items": FACT},
    },
    "required": ["code", "numbers"],
}
PLAIN: dict[Any, Schema] = {
    str: TEXT, Path: TEXT, Stratum: TEXT, bool: {"type": "boolean"}, int: {"type": "integer"},
    float: {"type": ["number", "null"]},  # a number that is not finite is written as null
    type(None): {"type": "null"}, Subject: {"type": "object"},
}  # fmt: skip


class Schemas:
    """Schemas of all nouns that routes return, each defined once and referred to by name."""

    def __init__(self) -> None:
        """Start with the schema of a fact."""
        self.components: dict[str, Schema] = {"fact": FACT_DEFINITION}

    def make_result_schema(self, function: Callable[..., Any]) -> Schema:
        """Return the schema of a use case's result; a text is Markdown and has none."""
        hint = get_type_hints(function).get("return", Any)
        return self.make_schema(hint, is_whole_result=True)

    def make_schema(self, hint: Any, *, is_whole_result: bool = False) -> Schema:
        """Return the schema of one type; a noun that is the whole result also states its schema."""
        origin, arguments = get_origin(hint), get_args(hint)
        if hint in PLAIN:
            return PLAIN[hint]
        if hint is Note:
            return {**FACT, "properties": {MESSAGE: TEXT}}
        if origin in (types.UnionType, Union):
            return {"anyOf": [self.make_schema(argument, is_whole_result=is_whole_result) for argument in arguments]}
        if origin in (tuple, list, set, frozenset, Sequence):
            return {"type": "array", "items": self._make_items_schema(arguments)}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.make_schema(arguments[1])}
        if origin is Literal or (isinstance(hint, type) and issubclass(hint, Enum)):
            return {"enum": [getattr(choice, "value", choice) for choice in arguments or hint]}
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return self._make_noun_schema(hint, is_whole_result=is_whole_result)
        return ANYTHING

    def _make_items_schema(self, arguments: tuple[Any, ...]) -> Schema:
        kinds = [self.make_schema(argument) for argument in arguments if argument is not Ellipsis]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else ANYTHING

    def _make_noun_schema(self, kind: type, *, is_whole_result: bool) -> Schema:
        if hasattr(kind, "json_object"):
            return {"type": "object", "description": (kind.__doc__ or "").partition("\n")[0]}
        name = get_schema_name(kind).partition("/")[0] + ("" if is_whole_result else "-part")
        if name not in self.components:
            self.components[name] = {}  # a noun may hold its own kind
            self.components[name] = self._make_definition(kind, is_whole_result=is_whole_result)
        return {"$ref": f"#/components/schemas/{name}"}

    def _make_definition(self, kind: Any, *, is_whole_result: bool) -> Schema:
        hints = get_type_hints(kind)
        fields: dict[str, Schema] = {"schema": {"const": get_schema_name(kind)}} if is_whole_result else {}
        if issubclass(kind, Finding):
            fields |= {"subject": TEXT, MESSAGE: TEXT, "code": TEXT}
        for field in dataclasses.fields(kind):
            fields |= self._make_field_schema(field.name, hints[field.name], coded=hasattr(kind, "code"))
        doc = (kind.__doc__ or "").partition("\n")[0]
        return {"type": "object", "description": doc, "properties": fields, "required": sorted(fields)}

    def _make_field_schema(self, name: str, hint: Any, *, coded: bool) -> dict[str, Schema]:
        if name.endswith("_ns") and hint in (int, int | None):
            when: Schema = {"type": "string", "format": "date-time"}
            return {name.removesuffix("_ns"): when if hint is int else {"anyOf": [when, {"type": "null"}]}}
        if mentions_note(hint):
            written = {name: _make_facts_schema(hint, TEXT), f"{name}_facts": _make_facts_schema(hint, FACT)}
            if name == MESSAGE and hint is Note and not coded:
                written |= {"code": TEXT, "numbers": {"type": "object"}}
            return written
        return {name: self.make_schema(hint)}


def _make_facts_schema(hint: Any, schema: Schema) -> Schema:
    """Return the schema of a field that holds facts: alone, in a tuple, or none."""
    if hint is Note:
        return schema
    arguments = [argument for argument in get_args(hint) if argument is not Ellipsis]
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _make_facts_schema(arguments[0], schema) if len(arguments) == 1 else ANYTHING}
    if get_origin(hint) in (types.UnionType, Union):
        return {"anyOf": [_make_facts_schema(argument, schema) for argument in arguments]}
    return PLAIN.get(hint, ANYTHING)
