"""What can safely be put right on the way into a release. The raw log is never touched."""

from dataclasses import dataclass
from enum import StrEnum


class FixKind(StrEnum):
    """The repairs that lose nothing but what was wrong."""

    TRIM = "trim"
    RESTAMP = "restamp"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Fix:
    """One proposal: keep only `start_ns` to `end_ns`, move a stream's clock by `shift_ns`, or leave the episode out.

    `clock` is the kind of clock that is moved, '' for every one the stream came with.
    """

    kind: FixKind
    why: str
    stream: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    shift_ns: int = 0
    clock: str = ""
