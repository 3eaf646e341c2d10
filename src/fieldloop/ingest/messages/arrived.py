"""The interface of a message log: its topics, their messages in batches, and a way to fetch one again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Described:
    """A topic as its log describes it. `encoding` is how messages are written (cdr, ros1, protobuf, json)."""

    topic: str
    type: str
    encoding: str
    schema_encoding: str = ""
    schema: bytes = b""
    metadata: Mapping[str, str] = field(default_factory=dict)


class Arrived(NamedTuple):
    """Some messages of one topic in the order they are stored. `places` has one row each, read only by its log.

    Payloads are copied where they are kept, so they may be views of a buffer that the log uses again; `Spans` is the
    quickest form.
    """

    log_ns: NDArray[np.int64]
    publish_ns: NDArray[np.int64] | None
    payloads: Sequence[bytes | memoryview]
    places: NDArray[np.int64]


class Payloads(Protocol):
    """A log that gives a message's bytes again, so that pictures need not be held."""

    def fetch(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield the bytes at these places, in the order given."""
