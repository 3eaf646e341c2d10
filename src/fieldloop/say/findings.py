"""The message of a finding: what was measured and where, what the limit demands, and what to do."""

from functools import cache

from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Note
from fieldloop.model.quality import CheckTally
from fieldloop.model.unit import COUNTED, is_share
from fieldloop.say.numbers import NONE, format_with_unit, format_without_unit
from fieldloop.say.numbers import limit as written_limit
from fieldloop.say.sentences import codes_of, fill, sentence

UNCERTAIN = "The interval contains the limit, so this is too uncertain to judge."
NO_NUMBER = "The check returned no number"


def message(finding: Finding) -> str:
    """Write a finding as plain English.

    >>> from fieldloop.model.note import Subject
    >>> message(Finding("batch.operators", Subject(aspect="pick"), Status.FAILED, 2.0, 3.0, None, "operators"))
    'pick: 2 operators demonstrated this task; at least 3 required. Have more people demonstrate this task.'
    """
    if finding.as_written:
        return finding.as_written
    subject = f"{finding.subject}: " if finding.about else ""
    return f"{subject}{without_subject(finding)}"


def message_of(fact: Note) -> str:
    """Write a finding that another fact holds as one of its values."""
    return message(Finding.from_fact(fact))


def without_subject(finding: Finding) -> str:
    """Write a finding without naming what it is about, for a table that has a column for that.

    >>> from fieldloop.model.note import Subject, from_written
    >>> at = from_written("at 2.00 s")
    >>> without_subject(Finding("c", Subject("imu"), Status.ERRORED, None, None, 1.0, "ms", place=at))
    'The check returned no number (at 2.00 s).'
    """
    return f"{statement(finding)} {'' if finding.as_written else advice(finding)}".rstrip()


def statement(finding: Finding) -> str:
    """Write what was found, without naming what it is about and without advice.

    >>> from fieldloop.model.note import NO_SUBJECT
    >>> statement(Finding("batch.operators", NO_SUBJECT, Status.FAILED, 2.0, 3.0, None, "operators"))
    '2 operators demonstrated this task; at least 3 required.'
    """
    if finding.as_written:
        return finding.as_written.removeprefix(f"{finding.subject}: ")
    if finding.reason is not None:
        return sentence(finding.reason)
    match finding.status:
        case Status.ERRORED:
            return f"{NO_NUMBER}{f' ({place(finding)})' if finding.place else ''}."
        case Status.CANNOT_TELL:
            return f"{_measured(finding)} {UNCERTAIN}"
        case _:
            return _measured(finding)


def advice(finding: Finding) -> str:
    """Return what to do about a failed finding; '' where it did not fail or nothing is known."""
    return finding.advice or advice_for(finding.check) if finding.status is Status.FAILED else ""


def advice_for(check: str) -> str:
    """Return what to do when a check of ours fails; '' for a check from outside."""
    return codes_of("advice").get(f"advice.{check}", "")


def demand(finding: Finding) -> str:
    """Write what the limit demands; shares, counts and multiples need no unit again where one end is bounded.

    >>> from fieldloop.model.note import NO_SUBJECT
    >>> demand(Finding("c", NO_SUBJECT, Status.FAILED, 3.0, 5.0, 25.0, "N"))
    '5 to 25 N required'
    >>> demand(Finding("c", NO_SUBJECT, Status.FAILED, 3.0, None, 2.0, "ms"))
    'at most 2 ms allowed'
    """
    return _demand(finding.minimum, finding.maximum, finding.unit)


def limit(judged: Finding | CheckTally) -> str:
    """Write the limit with its unit, for a table.

    >>> from fieldloop.model.note import NO_SUBJECT
    >>> limit(Finding("c", NO_SUBJECT, Status.FAILED, 7.0, 5.0, 25.0, "N"))
    '5 to 25 N'
    """
    bounded = judged.minimum is not None or judged.maximum is not None
    return written_limit(judged.minimum, judged.maximum, judged.unit) if bounded else NONE


def place(finding: Finding) -> str:
    """Write where or how a finding was measured; '' where there is nothing to add."""
    return sentence(finding.place) if finding.place else ""


def _measured(finding: Finding) -> str:
    beside = "; ".join(part for part in (_interval(finding), place(finding)) if part)
    shown = _shown(finding)
    demanded = demand(finding)
    return f"{shown}{f' ({beside})' if beside else ''}{f'; {demanded}' if demanded else ''}."


def _shown(finding: Finding) -> str:
    """Write what was measured as a clause with its noun; a check from outside has only its value and unit."""
    written = format_with_unit(finding.measured, finding.unit)
    text = codes_of("measured").get(f"measured.{finding.check}", "{amount}")
    number = format_without_unit(finding.measured, finding.unit)
    return fill(text, {"amount": written, "number": number, "value": finding.measured})


def _interval(finding: Finding) -> str:
    if finding.low is None or finding.high is None:
        return ""
    low, high = (format_without_unit(end, finding.unit).removesuffix(" %") for end in (finding.low, finding.high))
    return f"interval {low} to {high}{' %' if is_share(finding.unit) else ''}"


@cache
def _demand(minimum: float | None, maximum: float | None, unit: str) -> str:
    if minimum is not None and maximum is not None:
        return f"{written_limit(minimum, maximum, unit)} required"
    if minimum is not None:
        return f"at least {format_without_unit(minimum, unit)}{_again(unit)} required"
    return "" if maximum is None else f"at most {format_without_unit(maximum, unit)}{_again(unit)} allowed"


def _again(unit: str) -> str:
    return "" if is_share(unit) or unit in COUNTED or unit.startswith("×") or unit == "1" else f" {unit}"
