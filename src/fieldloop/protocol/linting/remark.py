"""One thing about a protocol that somebody should look at."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is.

    An error makes data wrong or unusable, so the protocol cannot be locked; a warning is probably not meant; after a
    hint it would read or be judged better.
    """

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Remark:
    """A rule's code, how bad it is, which table it is about, what is so, and what to do."""

    code: str
    severity: Severity
    place: str
    message: str
    advice: str
