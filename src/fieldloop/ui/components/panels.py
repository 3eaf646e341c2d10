"""Panels, the card at the top of a page, lists of facts, empty states and the connection banner."""

from collections.abc import Iterable
from typing import Any

from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_level_mark


def draw_panel(
    title: str, *body: Any, note: str = "", right: Any = None, columns: int = 12, flush: bool = False
) -> Markup:
    """Frame something under a title; `columns` of twelve, `flush` for tables that reach the edge."""
    head = tag(
        "header",
        tag("h2", title),
        tag("p", note) if note else None,
        tag("div", right, class_="right") if right else None,
    )
    inner = tag("div", *body, class_="flush scroll" if flush else "body scroll")
    return tag("section", head, inner, class_=f"panel c{columns}", aria_label=title)


def draw_answer_card(level: str, sentence: str, reason: Any = "", *actions: Any) -> Markup:
    """Open a page with its answer: one sentence, the reason, and what to do."""
    return tag(
        "section",
        draw_level_mark(level),
        tag("b", sentence),
        tag("p", reason) if reason else None,
        tag("div", *actions, class_="act") if actions else None,
        class_=f"panel next {level}",
        aria_label="In short",
    )


def draw_empty_state(fact: str, how_to_change: str, next_action: Any = None) -> Markup:
    """State what is missing, how to change that, and one thing to do."""
    return tag("section", tag("b", fact), tag("span", how_to_change), next_action, class_="panel empty")


def draw_key_values(pairs: Iterable[tuple[str, Any]]) -> Markup:
    """List facts by name; an empty one reads 'not given'."""
    rows = [join(tag("dt", name), tag("dd", "not given" if value in (None, "") else value)) for name, value in pairs]
    return tag("dl", *rows, class_="kv")


def draw_folded(summary: str, *content: Any) -> Markup:
    """Hide what few will read behind one click."""
    return tag("details", tag("summary", summary), *content, class_="rest")


def draw_facts(pairs: Iterable[tuple[str, Any]], columns: int = 3) -> Markup:
    """List facts in several columns."""
    listed = list(pairs)
    each = -(-len(listed) // columns) or 1
    return tag("div", *(draw_key_values(listed[k : k + each]) for k in range(0, len(listed), each)), class_="facts")


def draw_connection_banner() -> Markup:
    """Warn that the server does not answer; the page's script shows and hides it."""
    warning = "The server does not answer. The page shows its last state and reloads by itself."
    return tag("div", draw_level_mark("warn"), tag("span", warning), class_="lost", role="status")
