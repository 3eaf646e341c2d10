"""The page /docs: every route of the HTTP API, its parameters and its answer, from the OpenAPI document."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fieldloop.doors.stages import STAGES
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.ui.components import Column, dense_table, panel
from fieldloop.ui.visit import Drawn

if TYPE_CHECKING:
    from fastapi import FastAPI

Schema = Mapping[str, Any]
PREFIX = "#/components/schemas/"


def draw_api_reference(app: "FastAPI") -> Drawn:
    """Draw the reference of the app that serves the page."""
    document = app.openapi()
    known: Mapping[str, Schema] = document["components"]["schemas"]
    operations = [
        (path, method.upper(), operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    how = panel(
        "How to call it",
        tag("p", document["info"]["description"]),
        tag("p", tag("a", "/api/openapi.json", href="/api/openapi.json"), " is this page for programs."),
    )
    stages = [
        panel(stage, *(_route(*one, known) for one in operations if one[2].get("tags") == [stage]))
        for stage in STAGES
        if any(one[2].get("tags") == [stage] for one in operations)
    ]
    return Drawn(escape("HTTP API"), (how, *stages))


def _route(path: str, method: str, operation: Schema, known: Mapping[str, Schema]) -> Markup:
    parameters = _parameters(operation, known)
    answer = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
    fields = _fields(answer, known)
    return tag(
        "details",
        tag("summary", tag("code", f"{method} {path}"), " ", operation.get("summary", "")),
        _table("Parameters", parameters) if parameters else tag("p", "No parameters."),
        _table(f"Answer: {type_text(answer, known)}", fields)
        if fields
        else tag("p", f"Answer: {type_text(answer, known)}"),
        id=path.removeprefix("/api/").replace("/", "-"),
    )


def _table(title: str, rows: list[tuple[str, str, str]]) -> Markup:
    return join(tag("h3", title), dense_table(("Name", "Type", Column("Meaning", "text wide")), rows))


def _parameters(operation: Schema, known: Mapping[str, Schema]) -> list[tuple[str, str, str]]:
    query = [
        (
            p["name"],
            type_text(p["schema"], known),
            _meaning(p["schema"] | {"description": p.get("description", "")}, required=p["required"]),
        )
        for p in operation.get("parameters", ())
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    definition = _resolve(body, known)
    required = definition.get("required", ())
    return query + [
        (name, type_text(field, known), _meaning(field, required=name in required))
        for name, field in definition.get("properties", {}).items()
    ]


def _meaning(field: Schema, *, required: bool) -> str:
    state = (
        "required" if required else f"default: {field['default']}" if field.get("default") not in (None, "", []) else ""
    )
    return "; ".join(part for part in (str(field.get("description", "")), state) if part)


def _fields(answer: Schema, known: Mapping[str, Schema]) -> list[tuple[str, str, str]]:
    definition = _resolve(answer.get("items", answer), known)
    return [
        (name, type_text(field, known), str(_resolve(field, known).get("description", "")))
        for name, field in definition.get("properties", {}).items()
    ]


def _resolve(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    """Follow a reference, also through a list and through a type that may be null."""
    if "$ref" in schema:
        return known.get(schema["$ref"].removeprefix(PREFIX), {})
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        return _resolve(options[0], known)
    return _resolve(schema["allOf"][0], known) if schema.get("allOf") else schema


def type_text(schema: Schema, known: Mapping[str, Schema]) -> str:
    """Name a schema's type in a few words.

    >>> type_text({"type": "array", "items": {"$ref": "#/components/schemas/alarm-part"}}, {})
    'list of alarm'
    >>> type_text({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {}), type_text({"enum": ["a", "b"]}, {})
    ('integer or null', 'a | b')
    """
    if "$ref" in schema:
        return str(schema["$ref"].removeprefix(PREFIX).removesuffix("-part"))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_text(option, known) for option in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " | ".join(map(str, schema.get("enum", [schema.get("const")])))
    if schema.get("type") == "array":
        return f"list of {type_text(schema.get('items', {}), known)}"
    if isinstance(schema.get("additionalProperties"), Mapping):
        return f"{type_text(schema['additionalProperties'], known)} by name"
    kind = schema.get("type", "any JSON")
    return " or ".join(kind) if isinstance(kind, list) else str(schema.get("format", kind))
