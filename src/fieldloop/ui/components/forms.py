"""Forms that call the API: named fields, buttons, and the answer in place."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fieldloop.say.html import Markup, tag


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form: its name in the API, its label, its value, and its kind: text, number or lines."""

    name: str
    label: str
    value: str = ""
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Submit:
    """A button of a form: its label, and further values it sends.

    With `sure` it asks once, in place, in these words. `show` is the path of a value in the answer that is shown
    instead of loading the page again.
    """

    label: str
    sends: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "primary"
    sure: str = ""
    show: str = ""


def form(post: str, fields: Sequence[Field], *submits: Submit) -> Markup:
    """Make a form that posts its fields to the API as JSON; empty fields are left out."""
    buttons = [
        tag(
            "button", s.label, type="submit", class_=f"btn {s.kind}", data_sends=json.dumps(dict(s.sends)),
            data_sure=s.sure or None, data_show=s.show or None,
        )
        for s in submits
    ]  # fmt: skip
    return tag("form", *map(_field, fields), tag("div", *buttons, class_="chips"), class_="form wide", data_form=post)


def _field(one: Field) -> Markup:
    if one.kind == "lines":
        box = tag("textarea", one.value, name=one.name, rows=16, spellcheck="false")
    else:
        box = tag("input", name=one.name, type=one.kind, value=one.value)
    return tag("label", one.label, box)
