"""Collect the defects of a log while it is read, up to a limit."""

from fieldloop.model.episode import Defect
from fieldloop.model.note import Note, note

MOST = 100


class Complaints:
    """Call it with a place and a note. Repeated defects are listed once; after a hundred they are only counted."""

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._reported: dict[Defect, None] = {}
        self._more = 0

    def __call__(self, place: int | str, message: Note) -> None:
        """Note a defect; a number is a byte of the file."""
        if isinstance(place, int):
            defect = Defect.from_place(self._subject, "byte", place, message)
        else:
            defect = Defect(self._subject, place, message)
        if defect in self._reported:
            return
        if len(self._reported) < MOST:
            self._reported[defect] = None
        else:
            self._more += 1

    def list_defects(self) -> tuple[Defect, ...]:
        """Return the defects so far."""
        more = (Defect(self._subject, "", note("ingest.more_defects", more=self._more)),) if self._more else ()
        return (*self._reported, *more)
