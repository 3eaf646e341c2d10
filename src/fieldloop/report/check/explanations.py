"""What the checks named on a page ask, and why: check names link to these entries."""

from collections.abc import Iterable, Mapping

from fieldloop.protocol import CollectionProtocol
from fieldloop.report.markup import draw_monospace, draw_panel
from fieldloop.say.html import Markup, tag


def make_check_link(check: str) -> Markup:
    """Write a check's name as a link to its entry."""
    return tag("a", draw_monospace(check), href=f"#{_make_check_anchor(check)}")


def draw_explanations(checks: Iterable[str], questions: Mapping[str, str], protocol: CollectionProtocol) -> Markup:
    """Draw one entry per check: its question, its limit and the reason for it."""
    entries = [_draw_explanation(check, questions.get(check, ""), protocol) for check in dict.fromkeys(checks)]
    return draw_panel("What these checks ask", [tag("dl", *entries, class_="checks")])


def _draw_explanation(check: str, question: str, protocol: CollectionProtocol) -> Markup:
    limit = protocol.limits.get(check)
    why = f"Limit: {limit}. {limit.why}" if limit else ""
    return tag(
        "div",
        tag("dt", draw_monospace(check), id=_make_check_anchor(check)),
        tag("dd", " ".join(part for part in (question, why) if part)),
    )


def _make_check_anchor(check: str) -> str:
    return f"check-{check}"
