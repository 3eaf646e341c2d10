"""What is wrong with a log, collected while it is read; endless damage does not make an endless list."""

from fieldloop.model.episode import Defect

MOST = 100


class Complaints:
    """Call it with a place and a sentence; the same is said once, and after a hundred they are only counted."""

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._said: dict[Defect, None] = {}
        self._more = 0

    def __call__(self, place: int | str, message: str) -> None:
        """Note a defect; a number is a byte of the file."""
        defect = Defect(self._subject, f"byte {place}" if isinstance(place, int) else place, message)
        if defect in self._said:
            return
        if len(self._said) < MOST:
            self._said[defect] = None
        else:
            self._more += 1

    def defects(self) -> tuple[Defect, ...]:
        """Return what was said so far."""
        more = (Defect(self._subject, "", f"{self._more} further defects are not listed."),) if self._more else ()
        return (*self._said, *more)
