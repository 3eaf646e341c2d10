"""Labelled segments of many episodes as columns, so that 1,000 episodes cost one pass."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NOTHING = 0
"""The code of no label; labels count from 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Segments of one annotator: which episode, which label, from when to when; sorted by episode, then by start.

    Segments of one episode do not overlap. Times are whole numbers (ns), so sums of them are exact.
    """

    episode: Ints
    label: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.episode)

    @property
    def length(self) -> Ints:
        """How long each lasts."""
        return self.end - self.start

    @classmethod
    def of(cls, episode: object, label: object, start: object, end: object) -> "Segments":
        """Sort columns into their order.

        >>> Segments.of([1, 0, 0], [1, 2, 1], [0, 5, 0], [4, 9, 5]).start.tolist()
        [0, 5, 0]
        """
        columns = [np.asarray(column, np.int64) for column in (episode, label, start, end)]
        order = np.lexsort((columns[3], columns[2], columns[0]))
        return cls(*(column[order] for column in columns))

    def select(self, keep: NDArray[np.bool_]) -> "Segments":
        """Return the segments of the episodes that a mask over episodes keeps."""
        held = keep[self.episode]
        return Segments(self.episode[held], self.label[held], self.start[held], self.end[held])

    def count_by_episode(self, episodes: int) -> Ints:
        """Return how many segments each episode has."""
        return np.bincount(self.episode, minlength=episodes)

    def find_first_overlap(self) -> int | None:
        """Return the place of the first segment that begins before its predecessor ended; None where none does."""
        same = self.episode[1:] == self.episode[:-1]
        wrong = np.flatnonzero(same & (self.start[1:] < self.end[:-1]))
        return int(wrong[0]) + 1 if len(wrong) else None
