"""The identity of a topic's messages: the same however they were batched, chunked or compressed."""

import hashlib

import numpy as np
from numpy.typing import NDArray


class MessageDigest:
    """Two running hashes: one of every message's stamps and length, one of all payloads behind each other.

    As lengths are part of the first, no two different lists of messages give the same pair.
    """

    def __init__(self) -> None:
        self._heads, self._contents = hashlib.sha256(), hashlib.sha256()

    def add_heads(self, log_ns: NDArray[np.int64], publish_ns: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Take the stamps and lengths of some messages."""
        self._heads.update(np.stack([log_ns, publish_ns, lengths], axis=1).astype("<i8").tobytes())

    def add_content(self, payload: bytes | memoryview) -> None:
        """Take the bytes of one message, or of several behind each other."""
        self._contents.update(payload)

    def compute_digest(self) -> bytes:
        """Return what names all messages taken so far."""
        return self._heads.digest() + self._contents.digest()
