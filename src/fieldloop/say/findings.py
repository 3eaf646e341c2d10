"""The message of a finding: what was measured and where, what the limit demands, and what to do."""

from functools import cache

from fieldloop.model.finding import BEYOND, Finding, Status
from fieldloop.model.note import Note
from fieldloop.model.quality import CheckTally
from fieldloop.model.unit import COUNTED, is_share
from fieldloop.say.numbers import NONE, format_with_unit, format_without_unit
from fieldloop.say.numbers import format_limit as written_limit
from fieldloop.say.sentences import fill_template, list_room_codes, write_sentence

UNCERTAIN = "The interval contains the limit, so this is too uncertain to judge."
NO_NUMBER = "The check returned no number"


def write_finding(finding: Finding) -> str:
    """Write a finding as plain English.

    >>> from fieldloop.model.note import Subject
    >>> write_finding(Finding("batch.operators", Subject(aspect="pick"), Status.FAILED, 2.0, 3.0, None, "operators"))
    'pick: 2 operators demonstrated this task; at least 3 required. Have more people demonstrate this task.'
    """
    if finding.as_written:
        return finding.as_written
    subject = f"{finding.subject}: " if finding.about else ""
    return f"{subject}{write_without_subject(finding)}"


def write_finding_of_note(fact: Note) -> str:
    """Write a finding that another fact holds as one of its values."""
    return write_finding(Finding.from_fact(fact))


def write_without_subject(finding: Finding) -> str:
    """Write a finding without naming what it is about, for a table that has a column for that.

    >>> from fieldloop.model.note import Subject, read_note
    >>> at = read_note("at 2.00 s")
    >>> write_without_subject(Finding("c", Subject("imu"), Status.ERRORED, None, None, 1.0, "ms", place=at))
    'The check returned no number (at 2.00 s).'
    """
    return f"{write_statement(finding)} {'' if finding.as_written else get_finding_advice(finding)}".rstrip()


def write_statement(finding: Finding) -> str:
    """Write what was found, without naming what it is about and without advice.

    >>> from fieldloop.model.note import NO_SUBJECT
    >>> write_statement(Finding("batch.operators", NO_SUBJECT, Status.FAILED, 2.0, 3.0, None, "operators"))
    '2 operators demonstrated this task; at least 3 required.'
    """
    if finding.as_written:
        return finding.as_written.removeprefix(f"{finding.subject}: ")
    if finding.reason is not None and finding.reason.code != BEYOND:
        return write_sentence(finding.reason)
    match finding.status:
        case Status.ERRORED:
            return f"{NO_NUMBER}{f' ({write_measured_place(finding)})' if finding.place else ''}."
        case Status.CANNOT_TELL:
            why = write_sentence(finding.reason) if finding.reason else UNCERTAIN
            return f"{_write_measured_sentence(finding)} {why}"
        case _:
            return _write_measured_sentence(finding)


def get_finding_advice(finding: Finding) -> str:
    """Return what to do about a failed finding; '' where it did not fail or nothing is known."""
    return finding.advice or get_check_advice(finding.check) if finding.status is Status.FAILED else ""


def get_check_advice(check: str) -> str:
    """Return what to do when a check of ours fails; '' for a check from outside."""
    return list_room_codes("advice").get(f"advice.{check}", "")


def write_limit_demand(finding: Finding) -> str:
    """Write what the limit demands; shares, counts and multiples need no unit again where one end is bounded.

    >>> from fieldloop.model.note import NO_SUBJECT
    >>> write_limit_demand(Finding("c", NO_SUBJECT, Status.FAILED, 3.0, 5.0, 25.0, "N"))
    '5 to 25 N required'
    >>> write_limit_demand(Finding("c", NO_SUBJECT, Status.FAILED, 3.0, None, 2.0, "ms"))
    'at most 2 ms allowed'
    """
    return _write_demand(finding.minimum, finding.maximum, finding.unit)


def format_finding_limit(finding_or_tally: Finding | CheckTally) -> str:
    """Write the limit with its unit, for a table.

    >>> from fieldloop.model.note import NO_SUBJECT
    >>> format_finding_limit(Finding("c", NO_SUBJECT, Status.FAILED, 7.0, 5.0, 25.0, "N"))
    '5 to 25 N'
    """
    bounded = finding_or_tally.minimum is not None or finding_or_tally.maximum is not None
    return written_limit(finding_or_tally.minimum, finding_or_tally.maximum, finding_or_tally.unit) if bounded else NONE


def write_measured_place(finding: Finding) -> str:
    """Write where or how a finding was measured; '' where there is nothing to add."""
    return write_sentence(finding.place) if finding.place else ""


def _write_measured_sentence(finding: Finding) -> str:
    beside = "; ".join(part for part in (_format_interval(finding), write_measured_place(finding)) if part)
    shown = _write_measured_clause(finding)
    demanded = write_limit_demand(finding)
    return f"{shown}{f' ({beside})' if beside else ''}{f'; {demanded}' if demanded else ''}."


def _write_measured_clause(finding: Finding) -> str:
    """Write what was measured as a clause with its noun; a check from outside has only its value and unit."""
    written = format_with_unit(finding.measured, finding.unit)
    text = list_room_codes("measured").get(f"measured.{finding.check}", "{amount}")
    number = format_without_unit(finding.measured, finding.unit)
    return fill_template(text, {"amount": written, "number": number, "value": finding.measured})


def _format_interval(finding: Finding) -> str:
    if finding.low is None or finding.high is None:
        return ""
    low, high = (format_without_unit(end, finding.unit).removesuffix(" %") for end in (finding.low, finding.high))
    return f"interval {low} to {high}{' %' if is_share(finding.unit) else ''}"


@cache
def _write_demand(minimum: float | None, maximum: float | None, unit: str) -> str:
    if minimum is not None and maximum is not None:
        return f"{written_limit(minimum, maximum, unit)} required"
    if minimum is not None:
        return f"at least {format_without_unit(minimum, unit)}{_repeat_unit(unit)} required"
    return "" if maximum is None else f"at most {format_without_unit(maximum, unit)}{_repeat_unit(unit)} allowed"


def _repeat_unit(unit: str) -> str:
    return "" if is_share(unit) or unit in COUNTED or unit.startswith("×") or unit == "1" else f" {unit}"
