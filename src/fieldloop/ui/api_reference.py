"""The page /docs: every route of the HTTP API, its parameters and its answer, from the OpenAPI document."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fieldloop.doors.stages import STAGES
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.ui.components import Column, draw_panel, draw_table
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
    how = draw_panel(
        "How to call it",
        tag("p", document["info"]["description"]),
        tag("p", tag("a", "/api/openapi.json", href="/api/openapi.json"), " is this page for programs."),
    )
    stages = [
        draw_panel(stage, *(_draw_route(*one, known) for one in operations if one[2].get("tags") == [stage]))
        for stage in STAGES
        if any(one[2].get("tags") == [stage] for one in operations)
    ]
    return Drawn(escape("HTTP API"), (how, *stages))


def _draw_route(path: str, method: str, operation: Schema, schemas_by_name: Mapping[str, Schema]) -> Markup:
    parameters = _list_parameters(operation, schemas_by_name)
    answer = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
    fields = _list_answer_fields(answer, schemas_by_name)
    return tag(
        "details",
        tag("summary", tag("code", f"{method} {path}"), " ", operation.get("summary", "")),
        _draw_fields_table("Parameters", parameters) if parameters else tag("p", "No parameters."),
        _draw_fields_table(f"Answer: {name_schema_type(answer, schemas_by_name)}", fields)
        if fields
        else tag("p", f"Answer: {name_schema_type(answer, schemas_by_name)}"),
        id=path.removeprefix("/api/").replace("/", "-"),
    )


def _draw_fields_table(title: str, rows: list[tuple[str, str, str]]) -> Markup:
    return join(tag("h3", title), draw_table(("Name", "Type", Column("Meaning", "text wide")), rows))


def _list_parameters(operation: Schema, schemas_by_name: Mapping[str, Schema]) -> list[tuple[str, str, str]]:
    query = [
        (
            p["name"],
            name_schema_type(p["schema"], schemas_by_name),
            _describe_field(p["schema"] | {"description": p.get("description", "")}, required=p["required"]),
        )
        for p in operation.get("parameters", ())
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    definition = _resolve_reference(body, schemas_by_name)
    required = definition.get("required", ())
    return query + [
        (name, name_schema_type(field, schemas_by_name), _describe_field(field, required=name in required))
        for name, field in definition.get("properties", {}).items()
    ]


def _describe_field(field: Schema, *, required: bool) -> str:
    state = (
        "required" if required else f"default: {field['default']}" if field.get("default") not in (None, "", []) else ""
    )
    return "; ".join(part for part in (str(field.get("description", "")), state) if part)


def _list_answer_fields(answer: Schema, schemas_by_name: Mapping[str, Schema]) -> list[tuple[str, str, str]]:
    definition = _resolve_reference(answer.get("items", answer), schemas_by_name)
    return [
        (
            name,
            name_schema_type(field, schemas_by_name),
            str(_resolve_reference(field, schemas_by_name).get("description", "")),
        )
        for name, field in definition.get("properties", {}).items()
    ]


def _resolve_reference(schema: Schema, schemas_by_name: Mapping[str, Schema]) -> Schema:
    """Follow a reference, also through a list and through a type that may be null."""
    if "$ref" in schema:
        return schemas_by_name.get(schema["$ref"].removeprefix(PREFIX), {})
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        return _resolve_reference(options[0], schemas_by_name)
    return _resolve_reference(schema["allOf"][0], schemas_by_name) if schema.get("allOf") else schema


def name_schema_type(schema: Schema, schemas_by_name: Mapping[str, Schema]) -> str:
    """Name a schema's type in a few words.

    >>> name_schema_type({"type": "array", "items": {"$ref": "#/components/schemas/alarm-part"}}, {})
    'list of alarm'
    >>> (name_schema_type({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {}),
    ...  name_schema_type({"enum": ["a", "b"]}, {}))
    ('integer or null', 'a | b')
    """
    if "$ref" in schema:
        return str(schema["$ref"].removeprefix(PREFIX).removesuffix("-part"))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(name_schema_type(option, schemas_by_name) for option in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " | ".join(map(str, schema.get("enum", [schema.get("const")])))
    if schema.get("type") == "array":
        return f"list of {name_schema_type(schema.get('items', {}), schemas_by_name)}"
    if isinstance(schema.get("additionalProperties"), Mapping):
        return f"{name_schema_type(schema['additionalProperties'], schemas_by_name)} by name"
    kind = schema.get("type", "any JSON")
    return " or ".join(kind) if isinstance(kind, list) else str(schema.get("format", kind))
