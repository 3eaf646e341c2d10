"""Chunks are unpacked and checked in a thread of their own while those before them are being read."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from fieldloop.ingest.readers.mcap.chunks import unpacked
from fieldloop.ingest.readers.mcap.records import Chunk

AHEAD = 3
LARGEST_AHEAD = 16 << 20  # a larger chunk is unpacked when its turn comes, so that few are held at a time
WORTH_A_THREAD = 8 << 20  # bytes of a file


@dataclass(slots=True)
class WaitingChunk:
    """A chunk at a byte of the file, with the indexes that follow it."""

    at: int
    chunk: Chunk
    unpacking: Future[bytes | memoryview] | None
    indexes: list[bytes] = field(default_factory=list)

    def records(self) -> bytes | memoryview:
        """Return the records inside; ValueError says why that cannot be done."""
        return self.unpacking.result() if self.unpacking else unpacked(self.chunk)


class ChunksAhead:
    """Chunks in the order of the file, a few of them on their way."""

    def __init__(self, pool: ThreadPoolExecutor | None) -> None:
        self._pool = pool
        self._waiting: deque[WaitingChunk] = deque()

    def put(self, at: int, chunk: Chunk) -> None:
        """Take a chunk that was met."""
        near = self._pool if chunk.uncompressed_size <= LARGEST_AHEAD else None
        self._waiting.append(WaitingChunk(at, chunk, near.submit(unpacked, chunk) if near else None))

    def index(self, content: bytes) -> None:
        """Take a MessageIndex record: it belongs to the chunk before it."""
        if self._waiting:
            self._waiting[-1].indexes.append(content)

    def due(self, *, every: bool) -> Iterator[WaitingChunk]:
        """Yield the chunks whose turn it is: all but the few that may still be on their way, or every one."""
        most = AHEAD if self._pool and not every else 0 if every else 1
        while len(self._waiting) > most:
            yield self._waiting.popleft()


@contextmanager
def chunks_ahead(size: int) -> Iterator[ChunksAhead]:
    """Open a queue for a file of this size; small ones do without a thread."""
    if size < WORTH_A_THREAD:
        yield ChunksAhead(None)
        return
    with ThreadPoolExecutor(1, "unpack") as pool:
        try:
            yield ChunksAhead(pool)
        finally:
            pool.shutdown(cancel_futures=True)
