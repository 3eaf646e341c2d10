"""Things to press: links that look like buttons, posted actions, chips, commands to copy."""

import json
from collections.abc import Mapping
from typing import Any

from fieldloop.say.html import Markup, tag


def draw_button(label: str, href: str, kind: str = "") -> Markup:
    """Make a link that looks like a button; kinds: primary, ghost, danger, or plain."""
    return tag("a", label, href=href, class_=f"btn {kind}".strip())


def draw_action_button(
    label: str,
    api_path: str,
    body: Mapping[str, Any] | None = None,
    *,
    kind: str = "",
    confirm_text: str = "",
    goes: str = "",
) -> Markup:
    """Make a button that calls the API; with `confirm_text` it asks once, in place, in these words.

    `goes` is an address that the answer completes: "/annotate/{task.episode}".
    """
    return tag(
        "button",
        label,
        type="button",
        class_=f"btn {kind}".strip(),
        data_post=api_path,
        data_body=json.dumps(dict(body or {})),
        data_sure=confirm_text or None,
        data_goes=goes or None,
    )


def draw_chip(label: Any, level: str = "", href: str | None = None, *, current: bool = False) -> Markup:
    """Make a small label, a link where it has somewhere to lead."""
    name = "a" if href else "span"
    return tag(name, label, class_=f"chip {level}".strip(), href=href, aria_current="true" if current else None)


def draw_copyable_command(line: str) -> Markup:
    """Show a command with a button that copies it."""
    copy = tag("button", "Copy", type="button", class_="btn", data_copy=line, aria_label=f"Copy: {line}")
    return tag("span", tag("code", line), copy, class_="cmd")
