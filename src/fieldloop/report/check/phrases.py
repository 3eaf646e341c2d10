"""Phrases about causes that terminal and page share: how often, what was found at worst, what to do."""

from collections.abc import Sequence
from itertools import accumulate

from fieldloop.report.check.causes import Cause, Unknown
from fieldloop.say.findings import get_finding_advice, write_statement
from fieldloop.say.numbers import format_count as count
from fieldloop.say.numbers import format_plural

MOST_SUBJECTS, LONGEST_LIST = 3, 60


def write_cause_title(cause: Cause, *, name_all_subjects: bool = False) -> str:
    """Write subjects and number of episodes, such as 'camera/left, 45 of 50 episodes'."""
    most = len(cause.subjects) if name_all_subjects else _count_names_per_line(cause.subjects)
    parts = [list_names(cause.subjects, most)] if cause.subjects else []
    if not cause.episodes and cause.total != 1:
        parts.append("the dataset as a whole")
    elif cause.total > 1:
        parts.append(f"{count(len(cause.episodes))} of {format_plural(cause.total, 'episode')}")
    return ", ".join(parts)


def write_worst_finding(cause: Cause) -> str:
    """Write what was found; where findings differ, the worst and where it is."""
    first, last = cause.places[0], cause.places[-1]
    differ = first.finding.measured != last.finding.measured
    label = "Worst" if differ else "For example"
    where = [first.finding.subject] if not cause.have_findings_same_text and len(cause.subjects) > 1 else []
    if first.episode and len(cause.episodes) > 1 and (cause.is_defect or not cause.have_findings_same_text):
        where.append(first.episode.name)
    prefix = f"{label}, in {', '.join(where)}: " if where else ""
    return f"{prefix}{write_statement(first.finding)}"


def write_cause_advice(cause: Cause) -> str:
    """Write what to do about a cause, and what a release can do."""
    fixes = f"A release can {' or '.join(cause.fixes)} it (--fix)." if cause.fixes else ""
    return " ".join(part for part in (get_finding_advice(cause.worst), fixes) if part)


def write_unknown_reason(unknown: Unknown) -> str:
    """Write why checks gave no answer; where the reason differs, one of them as an example."""
    subject = "" if len(unknown.subjects) != 1 and unknown.alike else unknown.example.subject
    where = (
        f"{'' if unknown.alike else 'For example, '}{subject}: "
        if subject
        else ""
        if unknown.alike
        else "For example: "
    )
    return f"{where}{write_statement(unknown.example)}"


def list_names(names: Sequence[str], max_names: int) -> str:
    """Write the first names and how many there are more.

    >>> list_names(["a", "b", "c"], 2), list_names(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(names[:max_names])
    return f"{shown} and {count(len(names) - max_names)} more" if len(names) > max_names else shown


def _count_names_per_line(names: Sequence[str]) -> int:
    """Return how many names fit on about a line: at least one."""
    lengths = accumulate(len(name) + 2 for name in names[:MOST_SUBJECTS])
    return max(1, sum(length <= LONGEST_LIST for length in lengths))
