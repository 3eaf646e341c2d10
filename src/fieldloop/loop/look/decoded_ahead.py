"""Frames around the one that is asked for, kept decoded: video in messages begins at its last key frame each time."""

from collections.abc import Iterable, Iterator
from typing import Any

from numpy.typing import NDArray

from fieldloop.model.stream import FrameSource

BEFORE, BEHIND = 4, 12
MOST_BYTES = 96 << 20


class DecodedAhead:
    """A FrameSource that decodes a few frames at once; stepping and playing then cost a key frame's way only rarely."""

    def __init__(self, pictures: FrameSource) -> None:
        self._pictures = pictures
        self._kept: dict[int, NDArray[Any]] = {}

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._pictures.size

    def __len__(self) -> int:
        return len(self._pictures)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Yield frames in ascending order; an empty array where one does not decode."""
        for index in range(len(self)) if indices is None else sorted(indices):
            if index not in self._kept:
                self._decode_around(index)
            yield self._kept[index]

    def _decode_around(self, index: int) -> None:
        width, height = self.size
        room = max(1, MOST_BYTES // max(1, 3 * width * height))
        wanted = range(max(0, index - min(BEFORE, room // 4)), min(len(self), index + min(BEHIND, room)))
        self._kept = dict(zip(wanted, self._pictures.frames(wanted), strict=True))
