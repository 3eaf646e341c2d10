"""Open an HDF5 file safely: one that is cut off or was never closed is read as far as possible."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldloop.errors import UnreadableLog
from fieldloop.ingest.readers.hdf5.guarded import Guarded
from fieldloop.ingest.readers.hdf5.superblock import Superblock, read_superblock
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

HDF5_ERRORS = (
    OSError, RuntimeError, KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError, MemoryError,
    SystemError, NotImplementedError,
)  # fmt: skip
"""What h5py raises on damaged bytes, as fuzzing found."""

CACHE_BYTES = 32 << 20


@dataclass(slots=True, eq=False)
class Opened:
    """A file open for reading; `size` is its real size, `heaps` are damaged heaps not yet reported."""

    path: Path
    file: Any
    size: int
    defects: list[Defect] = field(default_factory=list)
    is_cut: bool = False
    heaps: list[Defect] = field(default_factory=list)
    _digest: bytes = b""

    def hash_file(self) -> bytes:
        """Name the file by all its bytes: for what has no content of its own to be named by."""
        if not self._digest:
            with self.path.open("rb") as file:
                self._digest = hashlib.file_digest(file, "sha256").digest()
        return self._digest

    def report_damaged_heap(self, heap_offset: int) -> None:
        """Name a damaged heap that the library was led to."""
        self.heaps.append(Defect.from_place("file", "byte", heap_offset, note("ingest.heap_damaged")))

    def take_damaged_heaps(self) -> list[Defect]:
        """Return the damaged heaps found since the last time."""
        damaged, self.heaps = self.heaps, []
        return damaged


@contextmanager
def open_hdf5(path: Path) -> Iterator[Opened]:
    """Open a file for reading only; UnreadableLog says why it cannot be."""
    import h5py

    size = path.stat().st_size
    block = read_superblock(path)
    if block is None:
        raise UnreadableLog(f"{path.name} has the signature of an HDF5 file, but its first block is incomplete.")
    here = Opened(path, None, size, list(_find_superblock_defects(block, size)), block.size > size)
    with ExitStack() as stack:
        guarded = stack.enter_context(Guarded(path, block, size, here.report_damaged_heap))
        try:
            here.file = stack.enter_context(h5py.File(guarded, "r", rdcc_nbytes=CACHE_BYTES))
        except HDF5_ERRORS as wrong:
            raise UnreadableLog(f"{path.name} cannot be opened as HDF5: {shorten_error(wrong)}.") from wrong
        yield here


def shorten_error(error: BaseException) -> str:
    """Return the library's error in a few words."""
    text = str(error).strip().strip("'\"").rstrip(".")
    return (text.splitlines() or [type(error).__name__])[0][:300] or type(error).__name__


def _find_superblock_defects(block: Superblock, size: int) -> Iterator[Defect]:
    if block.size > size:
        yield Defect.from_place(
            "file", "byte", size, note("ingest.file_cut_off", present_bytes=size, stated_bytes=block.size)
        )
    if not block.was_closed:
        yield Defect.from_place("file", "byte", block.at + 11, note("ingest.file_not_closed"))
