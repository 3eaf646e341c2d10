"""A defect of a log in one line: what it is about, where, and what is wrong."""

from fieldloop.model.episode import Defect
from fieldloop.say.sentences import write_sentence


def write_defect_line(defect: Defect) -> str:
    """Write a defect with its subject and place.

    >>> from fieldloop.model.note import note
    >>> write_defect_line(Defect.from_place("log.mcap", "byte", 96, note("ingest.end_missing")))
    'log.mcap byte 96: The file has no end records: it was cut off, or is still being written.'
    """
    return f"{defect.subject} {defect.place}".rstrip() + f": {write_sentence(defect.message)}"
