"""One cause of a check report as lines: the check and how often, what was found at worst, what to do."""

from fieldloop.cli.wrapped import Line, wrap
from fieldloop.model.finding import Status
from fieldloop.report.check.causes import Cause, Unknown
from fieldloop.report.check.phrases import title_parts, unknown_text, worst_text
from fieldloop.say.marks import MARKS

INDENT = 2


def cause_lines(cause: Cause, width: int, most: int, *, advice_text: str, episodes: bool) -> list[Line]:
    """Return a cause as lines; `advice_text` is what to do, '' for nothing; `episodes` names all episodes."""
    mark, parts = MARKS[cause.status], title_parts(cause, whole=episodes)
    title = f"{cause.check}: {parts}" if parts else cause.check
    lines = wrap(title, width, style="bold", sign=(mark.sign, mark.style), most=most)
    lines += wrap(worst_text(cause), width, indent=INDENT, most=most)
    if advice_text:
        lines += wrap(advice_text, width, indent=INDENT, style="dim", sign=("→", "dim"))
    if episodes and len(cause.episodes) > 1:
        named = ", ".join(episode.name for episode in cause.episodes)
        lines += wrap(f"Episodes: {named}", width, indent=INDENT, style="dim")
    return lines


def unknown_lines(one: Unknown, width: int, most: int) -> list[Line]:
    """Return a reason with the checks that it leaves without an answer."""
    mark = MARKS[Status.CANNOT_TELL]
    return wrap(f"{unknown_text(one)} ({', '.join(one.checks)})", width, sign=(mark.sign, mark.style), most=most)
