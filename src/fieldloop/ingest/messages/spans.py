"""Many payloads in one stretch of bytes: where each begins and how long it is, without an object for each."""

from collections.abc import Sequence
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


class Spans(Sequence[memoryview]):
    """Payloads as stretches of one buffer. Reading one makes a view of it; `table` and `joined` take them all."""

    __slots__ = ("buffer", "lengths", "starts")

    def __init__(self, buffer: bytes | memoryview, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        self.buffer, self.starts, self.lengths = memoryview(buffer), starts, lengths

    @classmethod
    def from_payloads(cls, payloads: Sequence[bytes | memoryview]) -> Self:
        """Lay payloads one behind the other."""
        if isinstance(payloads, cls):
            return payloads
        return cls.from_lengths(b"".join(payloads), np.asarray([len(p) for p in payloads], np.int64))

    @classmethod
    def from_lengths(cls, buffer: bytes, lengths: NDArray[np.int64]) -> Self:
        """Cut a buffer into payloads of these lengths."""
        return cls(buffer, np.cumsum(lengths) - lengths, lengths)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> memoryview: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> "memoryview | Spans":
        """Return one payload, or several as Spans over the same buffer."""
        if isinstance(index, slice):
            return Spans(self.buffer, self.starts[index], self.lengths[index])
        start = int(self.starts[index])
        return self.buffer[start : start + int(self.lengths[index])]

    def select_payloads(self, indices: NDArray[np.int64]) -> "Spans":
        """Return some of the payloads, over the same buffer."""
        return Spans(self.buffer, self.starts[indices], self.lengths[indices])

    def arrange_as_table(self) -> Bytes | None:
        """Return payloads as rows of bytes; None where there is none or their lengths differ."""
        if not len(self) or not (width := int(self.lengths[0])) or not bool((self.lengths == width).all()):
            return None
        first, count = int(self.starts[0]), len(self)
        if bool((np.diff(self.starts) == width).all()):
            return np.frombuffer(self.buffer, np.uint8, count * width, first).reshape(count, width)
        # one item of `width` bytes at every byte of the buffer: taking some of them copies each in one piece
        windows = np.ndarray((len(self.buffer) - width + 1,), f"V{width}", self.buffer, strides=(1,))
        return windows[self.starts].view(np.uint8).reshape(count, width)

    def join_payloads(self) -> bytes:
        """Return all payloads one behind the other."""
        if (table := self.arrange_as_table()) is not None:
            return table.tobytes()
        return b"".join(
            [self.buffer[a : a + n] for a, n in zip(self.starts.tolist(), self.lengths.tolist(), strict=True)]
        )
