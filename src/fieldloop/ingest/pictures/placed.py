"""Pictures that are known by their places alone: shared by the sources that fetch and decode on demand."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from fieldloop.ingest.pictures.picture_bytes import Picture, find_picture_size


class PlacedPictures:
    """The part of a FrameSource that follows from the places of its pictures."""

    def __init__(self, places: NDArray[Any]) -> None:
        self._places = places

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of the first frame that decodes; 0 × 0 where none does."""
        return find_picture_size(self.frames())

    def __len__(self) -> int:
        return len(self._places)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        raise NotImplementedError
