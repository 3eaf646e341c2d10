"""The frames content stands in: panels, the card that answers first, facts, empty states, the banner."""

from collections.abc import Iterable
from typing import Any

from fieldloop.ui.components.marks import status_mark
from fieldloop.ui.markup import Html, join, tag


def panel(title: str, *body: Any, note: str = "", right: Any = None, columns: int = 12, flush: bool = False) -> Html:
    """Frame something under a title; `columns` of twelve, `flush` for tables that reach the edge."""
    head = tag(
        "header",
        tag("h2", title),
        tag("p", note) if note else None,
        tag("span", right, class_="right") if right else None,
    )
    inner = tag("div", *body, class_="flush scroll" if flush else "body scroll")
    return tag("section", head, inner, class_=f"panel c{columns}", aria_label=title)


def next_card(level: str, sentence: str, why: Any = "", *actions: Any) -> Html:
    """Answer first: what is so, why, and the one thing to do."""
    return tag(
        "section",
        status_mark(level),
        tag("b", sentence),
        tag("p", why) if why else None,
        tag("div", *actions, class_="act") if actions else None,
        class_=f"panel next {level}",
        aria_label="In short",
    )


def empty_state(fact: str, how: str, do: Any = None) -> Html:
    """Say that there is nothing, how to change it, and offer one thing to do."""
    return tag("section", tag("b", fact), tag("span", how), do, class_="panel empty")


def key_value(pairs: Iterable[tuple[str, Any]]) -> Html:
    """List facts by name; one that is not known says so."""
    rows = [join(tag("dt", name), tag("dd", "not said" if value in (None, "") else value)) for name, value in pairs]
    return tag("dl", *rows, class_="kv")


def folded(summary: str, *rest: Any) -> Html:
    """Keep what few will read out of the way, one click off."""
    return tag("details", tag("summary", summary), *rest, class_="rest")


def facts(pairs: Iterable[tuple[str, Any]], columns: int = 3) -> Html:
    """List facts beside each other in columns, as a page as wide as this allows."""
    listed = list(pairs)
    each = -(-len(listed) // columns) or 1
    return tag("div", *(key_value(listed[k : k + each]) for k in range(0, len(listed), each)), class_="facts")


def connection_banner() -> Html:
    """Say that the server is gone; shown by the page's own script, hidden again when it is back."""
    said = "The server does not answer. What you see stays; the page reloads by itself."
    return tag("div", status_mark("warn"), tag("span", said), class_="lost", role="status")
