"""One cause of a check report as lines: the check and how often, what was found at worst, what to do."""

from fieldloop.cli.wrapped import Line, wrap_text
from fieldloop.model.finding import Status
from fieldloop.report.check.causes import Cause, Unknown
from fieldloop.report.check.phrases import write_cause_title, write_unknown_reason, write_worst_finding
from fieldloop.say.marks import MARKS

INDENT = 2


def write_cause_lines(cause: Cause, width: int, max_lines: int, *, advice_text: str, name_episodes: bool) -> list[Line]:
    """Return a cause as lines; `advice_text` is what to do, '' for nothing; `name_episodes` names all episodes."""
    mark, parts = MARKS[cause.status], write_cause_title(cause, name_all_subjects=name_episodes)
    title = f"{cause.check}: {parts}" if parts else cause.check
    lines = wrap_text(title, width, style="bold", sign=(mark.sign, mark.style), max_lines=max_lines)
    lines += wrap_text(write_worst_finding(cause), width, indent=INDENT, max_lines=max_lines)
    if advice_text:
        lines += wrap_text(advice_text, width, indent=INDENT, style="dim", sign=("→", "dim"))
    if name_episodes and len(cause.episodes) > 1:
        named = ", ".join(episode.name for episode in cause.episodes)
        lines += wrap_text(f"Episodes: {named}", width, indent=INDENT, style="dim")
    return lines


def write_unknown_lines(unknown: Unknown, width: int, max_lines: int) -> list[Line]:
    """Return a reason with the checks that it leaves without an answer."""
    mark = MARKS[Status.CANNOT_TELL]
    return wrap_text(
        f"{write_unknown_reason(unknown)} ({', '.join(unknown.checks)})",
        width,
        sign=(mark.sign, mark.style),
        max_lines=max_lines,
    )
