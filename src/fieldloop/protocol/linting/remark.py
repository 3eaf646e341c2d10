"""A lint remark on a protocol."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.note import Note


class Severity(StrEnum):
    """The severity of a remark.

    An error makes data wrong or unusable, so the protocol cannot be locked; a warning is probably a mistake; a
    hint would improve it.
    """

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Remark:
    """A rule's code, its severity, the table it concerns, the problem and the remedy."""

    code: str
    severity: Severity
    place: str
    message: Note
    advice: Note
