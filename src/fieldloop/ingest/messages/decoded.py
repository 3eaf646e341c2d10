"""What a decoder makes of a channel's messages: stamps, and rows of numbers grouped by their columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Columns = tuple[str, ...]


@dataclass(slots=True)
class Rows:
    """Rows of one group: which messages they came from, and their numbers."""

    messages: list[int] = field(default_factory=list)
    values: list[Sequence[float] | NDArray[np.float64]] = field(default_factory=list)


@dataclass(slots=True)
class Decoded:
    """A batch of messages in the order given. `stamps_ns` holds None where a message carries no stamp."""

    stamps_ns: list[int | None]
    groups: dict[tuple[str, Columns], Rows] = field(default_factory=dict)
    failures: list[tuple[int, str]] = field(default_factory=list)
    frame_id: str = ""
    left_out: set[str] = field(default_factory=set)

    def add(self, suffix: str, columns: Columns, message: int, values: Sequence[float] | NDArray[np.float64]) -> None:
        """Put one row into the group of its columns."""
        rows = self.groups.setdefault((suffix, columns), Rows())
        rows.messages.append(message)
        rows.values.append(values)


Decode = Callable[[Sequence[bytes]], Decoded]
"""Turns a batch of payloads into numbers; a message it cannot read is a failure of that message alone."""
