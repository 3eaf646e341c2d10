"""Phrases about causes that terminal and page share: how often, what was found at worst, what to do."""

from collections.abc import Sequence
from itertools import accumulate

from fieldloop.report.check.causes import Cause, Unknown
from fieldloop.say.findings import advice, statement
from fieldloop.say.numbers import plural
from fieldloop.say.numbers import whole as count

MOST_SUBJECTS, LONGEST_LIST = 3, 60


def title_parts(cause: Cause, *, whole: bool = False) -> str:
    """Write subjects and number of episodes, such as 'camera/left, 45 of 50 episodes'; `whole` names all subjects."""
    most = len(cause.subjects) if whole else _shown_subjects(cause.subjects)
    parts = [list_names(cause.subjects, most)] if cause.subjects else []
    if not cause.episodes and cause.total != 1:
        parts.append("the dataset as a whole")
    elif cause.total > 1:
        parts.append(f"{count(len(cause.episodes))} of {plural(cause.total, 'episode')}")
    return ", ".join(parts)


def worst_text(cause: Cause) -> str:
    """Write what was found; where findings differ, the worst and where it is."""
    first, last = cause.places[0], cause.places[-1]
    differ = first.finding.measured != last.finding.measured
    label = "Worst" if differ else "For example"
    where = [first.finding.subject] if differ and len(cause.subjects) > 1 else []
    where += [first.episode.name] if (differ or cause.is_defect) and first.episode and len(cause.episodes) > 1 else []
    prefix = f"{label}, in {', '.join(where)}: " if where else ""
    return f"{prefix}{statement(first.finding)}"


def advice_of(cause: Cause) -> str:
    """Write what to do about a cause, and what a release can do."""
    fixes = f"A release can {' or '.join(cause.fixes)} it (--fix)." if cause.fixes else ""
    return " ".join(part for part in (advice(cause.worst), fixes) if part)


def unknown_text(one: Unknown) -> str:
    """Write why checks gave no answer; where the reason differs, one of them as an example."""
    subject = "" if len(one.subjects) != 1 and one.alike else one.example.subject
    where = f"{'' if one.alike else 'For example, '}{subject}: " if subject else "" if one.alike else "For example: "
    return f"{where}{statement(one.example)}"


def list_names(names: Sequence[str], most: int) -> str:
    """Write the first names and how many there are more.

    >>> list_names(["a", "b", "c"], 2), list_names(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {count(len(names) - most)} more" if len(names) > most else shown


def _shown_subjects(names: Sequence[str]) -> int:
    """Return how many names fit on about a line: at least one."""
    lengths = accumulate(len(name) + 2 for name in names[:MOST_SUBJECTS])
    return max(1, sum(length <= LONGEST_LIST for length in lengths))
