"""Repairs that a release may apply when it reads episodes. The raw log is never changed."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.note import Note


class FixKind(StrEnum):
    """The repairs that remove only wrong data."""

    TRIM = "trim"
    RESTAMP = "restamp"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Fix:
    """One proposal: keep only `start_ns` to `end_ns`, move a stream's clock by `shift_ns`, or leave the episode out.

    `clock` is the kind of clock that is moved, '' for every clock of the stream.
    """

    kind: FixKind
    why: Note
    stream: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    shift_ns: int = 0
    clock: str = ""
