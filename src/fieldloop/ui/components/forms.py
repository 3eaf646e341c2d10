"""Forms that call the API: their fields become the JSON body of a use case, and the answer is shown in place."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fieldloop.say.html import Markup, tag

ROWS = {"rows": 3, "area": 4, "lines": 16}
"""Rows of a text box: for a list, for a pasted table, and for a whole file."""

CHOICES = ("choice", "pick")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form: `name` is the JSON field; kinds: text, number, choice, pick, rows, area, lines, file.

    `hint` is shown in the empty field, `value` is filled in, `choices` are the options of a choice or a pick. A field
    of `rows` sends a list with one entry for each line that is not empty; a pick sends a list with its option.
    """

    name: str
    label: str
    kind: str = "text"
    hint: str = ""
    value: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Submit:
    """A button of a form: its label, and further values it sends.

    With `sure` it asks once, in place, in these words. `show` is the path of a value in the answer that is shown
    instead of loading the page again. `unused` names a list in the answer: if an entry was not used, the page shows
    why.
    """

    label: str
    sends: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "primary"
    sure: str = ""
    show: str = ""
    unused: str = ""


def draw_form(api_path: str, fields: Sequence[Field], *submits: Submit) -> Markup:
    """Draw a form; it posts its filled fields and the pressed button's values as JSON, or states what was wrong."""
    rows = [tag("label", tag("span", one.label), _draw_field_control(one)) for one in fields]
    buttons = tag("div", *map(_draw_submit_button, submits), class_="chips")
    wide = any(one.kind == "lines" for one in fields)
    return tag("form", *rows, buttons, class_=f"form posts{' wide' if wide else ''}", data_form=api_path)


def _draw_submit_button(submit: Submit) -> Markup:
    return tag(
        "button", submit.label, class_=f"btn {submit.kind}".strip(), data_sends=json.dumps(dict(submit.sends)),
        data_sure=submit.sure or None, data_show=submit.show or None, data_unused=submit.unused or None,
    )  # fmt: skip


def _draw_field_control(field: Field) -> Markup:
    common = {"name": field.name, "data_kind": field.kind, "required": field.required}
    if field.kind in CHOICES:
        options = [
            tag("option", choice or field.hint, value=choice, selected=choice == field.value)
            for choice in field.choices
        ]
        return tag("select", *options, **common)
    if field.kind in ROWS:
        hint = field.hint or None
        return tag("textarea", field.value, rows=ROWS[field.kind], placeholder=hint, spellcheck="false", **common)
    kind = {"file": "file", "number": "number"}.get(field.kind, "text")
    step = "any" if field.kind == "number" else None
    accept = ".csv,.jsonl,text/csv" if field.kind == "file" else None
    return tag(
        "input",
        type=kind,
        value=field.value or None,
        placeholder=field.hint or None,
        step=step,
        accept=accept,
        **common,
    )
