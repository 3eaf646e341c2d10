"""Notes in a form that tests compare: code and numbers, never the sentence."""

from collections.abc import Iterable

from fieldloop.model.episode import Defect
from fieldloop.model.note import Note


def write_note_facts(note: Note) -> str:
    """Write a note's code, subject, numbers and details.

    >>> from fieldloop.model.note import Subject, note
    >>> found = note("ingest.shards_as_found")
    >>> write_note_facts(note("ingest.file_missing", found, about=Subject(stream="a"), reason=""))
    'ingest.file_missing a reason= (ingest.shards_as_found)'
    """
    numbers = (f"{name}={value}" for name, value in note.numbers)
    about = [str(note.subject)] if note.subject else []
    return " ".join((note.code, *about, *numbers, *(f"({write_note_facts(detail)})" for detail in note.details)))


def write_defect_facts(defects: Iterable[Defect]) -> list[str]:
    """Write each defect's subject, place and facts."""
    return [f"{defect.subject} {defect.place}: {write_note_facts(defect.message)}" for defect in defects]
