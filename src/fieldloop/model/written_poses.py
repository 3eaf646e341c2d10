"""Poses as written in a file, before their convention is decided."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class Side(StrEnum):
    """Whose poses they are."""

    ROBOT = "robot"
    TARGET = "target"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenPoses:
    """n shifts (n × 3) and n rotations (n × 3, n × 4 or n × 3 × 3), and what the file states about its convention.

    What it does not state is empty or None: `rotation` (such as quaternion-xyzw), `unit` (m or mm), `inverse`.
    `stamps_s` are the moments, where the file has them.
    """

    side: Side
    shifts: NDArray[np.float64]
    rotations: NDArray[np.float64]
    names: tuple[str, ...]
    rotation: str = ""
    unit: str = ""
    inverse: bool | None = None
    stamps_s: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """How many poses there are."""
        return len(self.names)

    def select_rows(self, rows: NDArray[np.intp]) -> "WrittenPoses":
        """Return some of the poses, by number."""
        return WrittenPoses(
            self.side,
            self.shifts[rows],
            self.rotations[rows],
            tuple(self.names[int(row)] for row in rows),
            self.rotation,
            self.unit,
            self.inverse,
            None if self.stamps_s is None else self.stamps_s[rows],
        )
