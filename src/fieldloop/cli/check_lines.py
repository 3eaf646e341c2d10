"""One cause of a check report as lines: the check and how often, what was found at worst, what to do."""

from collections.abc import Sequence
from itertools import accumulate

from fieldloop.cli.wrapped import Line, list_names, wrap
from fieldloop.model.finding import Status
from fieldloop.report.check.causes import Cause, Unknown
from fieldloop.say.findings import advice, statement
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import plural

MOST_SUBJECTS, LONGEST_LIST = 3, 60
INDENT = 2


def cause_lines(cause: Cause, width: int, most: int, *, advice_text: str, episodes: bool) -> list[Line]:
    """Return a cause as lines; `advice_text` is what to do, '' for nothing; `episodes` names all episodes."""
    mark = MARKS[cause.status]
    lines = wrap(title(cause, whole=episodes), width, style="bold", sign=(mark.sign, mark.style), most=most)
    lines += wrap(worst_text(cause), width, indent=INDENT, most=most)
    if advice_text:
        lines += wrap(advice_text, width, indent=INDENT, style="dim", sign=("→", "dim"))
    if episodes and len(cause.episodes) > 1:
        named = ", ".join(episode.name for episode in cause.episodes)
        lines += wrap(f"Episodes: {named}", width, indent=INDENT, style="dim")
    return lines


def advice_of(cause: Cause) -> str:
    """Write what to do about a cause, and what a release can do."""
    fixes = f"A release can {' or '.join(cause.fixes)} it (--fix)." if cause.fixes else ""
    return " ".join(part for part in (advice(cause.worst), fixes) if part)


def title(cause: Cause, *, whole: bool) -> str:
    """Write check, subjects and the number of episodes: 'vision.covered: camera/left, 45 of 50 episodes'."""
    most = len(cause.subjects) if whole else _shown_subjects(cause.subjects)
    parts = [list_names(cause.subjects, most)] if cause.subjects else []
    if not cause.episodes and cause.total != 1:
        parts.append("the dataset as a whole")
    elif cause.total > 1:
        parts.append(f"{len(cause.episodes):,} of {plural(cause.total, 'episode')}")
    return f"{cause.check}{': ' if parts else ''}{', '.join(parts)}"


def _shown_subjects(names: Sequence[str]) -> int:
    """Return how many names fit on about a line: at least one."""
    lengths = accumulate(len(name) + 2 for name in names[:MOST_SUBJECTS])
    return max(1, sum(length <= LONGEST_LIST for length in lengths))


def worst_text(cause: Cause) -> str:
    """Write what was found; where findings differ, the worst and where it is."""
    first, last = cause.places[0], cause.places[-1]
    differ = first.finding.measured != last.finding.measured
    label = "Worst" if differ else "For example"
    where = [first.finding.subject] if differ and len(cause.subjects) > 1 else []
    where += [first.episode.name] if (differ or cause.is_defect) and first.episode and len(cause.episodes) > 1 else []
    prefix = f"{label}, in {', '.join(where)}: " if where else ""
    return f"{prefix}{statement(first.finding)}"


def unknown_lines(one: Unknown, width: int, most: int) -> list[Line]:
    """Return a reason with the checks that it leaves without an answer."""
    mark = MARKS[Status.CANNOT_TELL]
    subject = "" if len(one.subjects) != 1 and one.alike else one.example.subject
    where = f"{'' if one.alike else 'For example, '}{subject}: " if subject else "" if one.alike else "For example: "
    text = f"{where}{statement(one.example)} ({', '.join(one.checks)})"
    return wrap(text, width, sign=(mark.sign, mark.style), most=most)
