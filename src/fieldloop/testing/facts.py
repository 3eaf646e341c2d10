"""Notes in a form that tests compare: code and numbers, never the sentence."""

from collections.abc import Iterable

from fieldloop.model.episode import Defect
from fieldloop.model.note import Note


def facts(fact: Note) -> str:
    """Write a note's code, subject, numbers and details.

    >>> from fieldloop.model.note import Subject, note
    >>> facts(note("ingest.file_missing", note("ingest.shards_as_found"), about=Subject(stream="a"), reason=""))
    'ingest.file_missing a reason= (ingest.shards_as_found)'
    """
    numbers = (f"{name}={value}" for name, value in fact.numbers)
    about = [str(fact.subject)] if fact.subject else []
    return " ".join((fact.code, *about, *numbers, *(f"({facts(detail)})" for detail in fact.details)))


def defect_facts(defects: Iterable[Defect]) -> list[str]:
    """Write each defect's subject, place and facts."""
    return [f"{defect.subject} {defect.place}: {facts(defect.message)}" for defect in defects]
