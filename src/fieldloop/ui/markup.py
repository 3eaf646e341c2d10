"""HTML that escapes by construction: what is not `Html` already is text, and text cannot become a tag."""

import html
from typing import Any


class Html(str):
    """Markup that was made here; plain strings are escaped wherever they are put in."""

    __slots__ = ()


def text(value: Any) -> Html:
    """Escape a value, unless it is markup.

    >>> text("<img onerror=x>")
    '&lt;img onerror=x&gt;'
    """
    return value if isinstance(value, Html) else Html(html.escape(str(value)))


def tag(name: str, /, *inside: Any, **attributes: Any) -> Html:
    """Make one element; `class_` is class, `data_x` is data-x, None and False leave an attribute out.

    >>> tag("a", "R&D", href="/x?a=1&b=2", aria_current=None)
    '<a href="/x?a=1&amp;b=2">R&amp;D</a>'
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{html.escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>") if name in VOID else Html(f"<{name}{written}>{join(*inside)}</{name}>")


def join(*parts: Any) -> Html:
    """Put parts one after the other; None is nothing."""
    return Html("".join(text(part) for part in parts if part is not None))


VOID = {"input", "br", "link", "hr", "img"}
