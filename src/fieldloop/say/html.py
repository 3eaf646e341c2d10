"""HTML that escapes by construction: what is not `Markup` is text, and text cannot become a tag."""

from typing import Any

from markupsafe import Markup, escape

__all__ = ["Markup", "escape", "join", "tag"]

VOID = {"input", "br", "link", "hr", "img", "meta"}


def tag(name: str, /, *inside: Any, **attributes: Any) -> Markup:
    """Make one element; `class_` is class, `data_x` is data-x; None and False leave an attribute out.

    >>> tag("a", "R&D", href="/x?a=1&b=2", aria_current=None)
    Markup('<a href="/x?a=1&amp;b=2">R&amp;D</a>')
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    opened = f"<{name}{written}>"
    return Markup(opened if name in VOID else f"{opened}{join(*inside)}</{name}>")  # noqa: S704 - its parts are escaped


def join(*parts: Any) -> Markup:
    """Put parts one after the other; None is nothing."""
    return Markup("".join(escape(part) for part in parts if part is not None))  # noqa: S704 - its parts are escaped
