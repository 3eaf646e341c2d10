"""Decode the numbers of a topic in batches; only numbers are kept, not payloads."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.decoded import Decode, Gathered
from fieldloop.ingest.messages.spans import Spans

BATCH_BYTES = 1 << 20
MOST_GROUPS = 16
MOST_FRAMES = 1024  # a humanoid has some hundred frames
MANY_GROUPS = {"tf2_msgs/msg/TFMessage", "tf2_msgs/TFMessage", "tf/tfMessage"}


class TopicNumbers:
    """Decodes what it is given in batches."""

    def __init__(self, type_: str, decode: Decode) -> None:
        self._decode = decode
        self._gathered = Gathered(MOST_FRAMES if type_ in MANY_GROUPS else MOST_GROUPS)
        self._pending: list[bytes] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._bytes = self._first = 0

    def add_payloads(self, content: bytes, lengths: NDArray[np.int64]) -> None:
        """Take payloads that lie one behind the other."""
        self._pending.append(content)
        self._lengths.append(lengths)
        self._bytes += len(content)
        if self._bytes > BATCH_BYTES:
            self.decode_remaining()

    def decode_remaining(self) -> Gathered:
        """Decode what is still held and return everything."""
        if self._lengths:
            spans = Spans.from_lengths(b"".join(self._pending), np.concatenate(self._lengths))
            self._gathered.add_batch(self._decode(spans), np.arange(self._first, self._first + len(spans)))
            self._first += len(spans)
            self._pending, self._lengths, self._bytes = [], [], 0
        return self._gathered

    def describe_failure(self) -> tuple[int, int, str] | None:
        """How many messages could not be decoded, which was the first, and why? None where all could."""
        gathered = self.decode_remaining()
        return (gathered.failed, *gathered.first_failure) if gathered.first_failure else None
