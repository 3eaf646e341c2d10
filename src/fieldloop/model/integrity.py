"""Whether a release, or files that were exported from it, are still what they were when it was frozen."""

from dataclasses import dataclass

from fieldloop.model.finding import Status
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class IntegrityAnswer:
    """One thing that was compared with its hash, and the result."""

    status: Status
    fact: Note


@dataclass(frozen=True, slots=True)
class Integrity:
    """What was hashed again, and what has changed since; `exported` where files of an export were verified.

    `at_ns` is when, None where it was never verified.
    """

    name: str
    release: str
    exported: bool
    files: int
    size_mb: float
    answers: tuple[IntegrityAnswer, ...]
    at_ns: int | None = None

    @property
    def exit_ok(self) -> bool:
        """Is everything as it was? What was never compared is not known to be."""
        return bool(self.answers) and all(answer.status is Status.PASSED for answer in self.answers)

    @property
    def changed(self) -> tuple[Note, ...]:
        """What is not as it was."""
        return tuple(answer.fact for answer in self.answers if answer.status is not Status.PASSED)
