"""Forms that call the API: their fields become the JSON body of a use case."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.say.html import Markup, tag


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form: `name` is the JSON field; kinds: text, number, choice, words, area, file.

    `hint` is shown in the empty field, `value` is filled in, `choices` are the options of a choice.
    """

    name: str
    label: str
    kind: str = "text"
    hint: str = ""
    value: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False


def form(post: str, fields: Sequence[Field], submit: str, body: Mapping[str, Any] | None = None) -> Markup:
    """Draw a form; it posts its filled fields and `body` as JSON, and reloads the page or states what was wrong."""
    rows = [tag("label", tag("span", one.label), _control(one)) for one in fields]
    return tag(
        "form",
        *rows,
        tag("button", submit, class_="btn primary"),
        class_="form posts",
        data_form=post,
        data_body=json.dumps(dict(body or {})),
    )


def _control(one: Field) -> Markup:
    common = {"name": one.name, "data_kind": one.kind, "required": one.required}
    if one.kind == "choice":
        options = [tag("option", choice, value=choice, selected=choice == one.value) for choice in one.choices]
        return tag("select", *options, **common)
    if one.kind == "area":
        return tag("textarea", one.value, rows="4", placeholder=one.hint or None, **common)
    kind = {"file": "file", "number": "number"}.get(one.kind, "text")
    step = "any" if one.kind == "number" else None
    accept = ".csv,.jsonl,text/csv" if one.kind == "file" else None
    return tag(
        "input", type=kind, value=one.value or None, placeholder=one.hint or None, step=step, accept=accept, **common
    )
