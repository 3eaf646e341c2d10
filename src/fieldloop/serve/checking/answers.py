"""How the answers to the questions about a policy folder are written."""

from dataclasses import replace

from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Note, Subject


def answer(check: str, about: str, status: Status, reason: Note) -> Finding:
    """Make the finding of one question about one feature."""
    return Finding(check, Subject(about), status, None, None, None, "", reason=reason)


def report_agreement(check: str, about: str, reason: Note) -> Finding:
    """Answer that both sides agree."""
    return answer(check, about, Status.PASSED, reason)


def report_contradiction(check: str, about: str, reason: Note) -> Finding:
    """Answer that two statements contradict each other."""
    return answer(check, about, Status.FAILED, reason)


def report_unstated(check: str, about: str, reason: Note) -> Finding:
    """Answer that one side states nothing that it must state."""
    return answer(check, about, Status.CANNOT_TELL, reason)


def leave_open(check: str, about: str, reason: Note) -> Finding:
    """Answer that one side states nothing, as most policies do not: the others decide."""
    return replace(report_unstated(check, about, reason), required=False)
