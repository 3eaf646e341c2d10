"""A selection of a stream's samples as a stream: timestamps and numbers are copied, pictures are not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import EncodedSource, FrameSource, Stream


@dataclass(frozen=True, slots=True, eq=False)
class ChosenFrames:
    """A FrameSource that shows some frames of another, which must be chosen in ascending order."""

    source: FrameSource
    chosen: NDArray[np.int64]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.source.size

    def __len__(self) -> int:
        return len(self.chosen)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Yield frames in ascending order."""
        return self.source.frames(self._get_source_indices(indices))

    def _get_source_indices(self, indices: Iterable[int] | None) -> list[int]:
        chosen: list[int] = (self.chosen if indices is None else self.chosen[sorted(indices)]).tolist()
        return chosen


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPackets(ChosenFrames):
    """A selection from a source with compressed pictures."""

    def encoded(self, indices: Iterable[int] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield form and bytes in ascending order."""
        assert isinstance(self.source, EncodedSource)
        return self.source.encoded(self._get_source_indices(indices))


def select_samples(stream: Stream, rows: NDArray[np.int64]) -> Stream:
    """Return the stream with these samples alone; rows ascend."""
    pictures = stream.pictures
    if pictures is not None:
        pictures = (ChosenPackets if isinstance(pictures, EncodedSource) else ChosenFrames)(pictures, rows)
    return replace(
        stream,
        clocks={kind: times[rows] for kind, times in stream.clocks.items()},
        values=None if stream.values is None else stream.values[rows],
        pictures=pictures,
    )
