"""An HDF5 file opened with suspicion: one that is cut off or was never closed is read as far as it goes."""

import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldloop.errors import UnreadableLog
from fieldloop.ingest.readers.hdf5.heaps import heap_patches
from fieldloop.ingest.readers.hdf5.superblock import Superblock, read_superblock
from fieldloop.model.episode import Defect

HDF5_ERRORS = (
    OSError, RuntimeError, KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError, MemoryError,
    SystemError, NotImplementedError,
)  # fmt: skip
"""What h5py raises on damaged bytes, as fuzzing found."""

CACHE_BYTES = 32 << 20
Patches = tuple[tuple[int, bytes], ...]
MOST_MISSING = 1 << 40
LARGEST_REQUEST = 64 << 20


@dataclass(slots=True, eq=False)
class Opened:
    """A file open for reading; `size` is what is really there."""

    path: Path
    file: Any
    size: int
    defects: list[Defect] = field(default_factory=list)
    is_cut: bool = False


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """Open a file for reading only; UnreadableLog says why it cannot be."""
    import h5py

    size = path.stat().st_size
    block = read_superblock(path)
    if block is None:
        raise UnreadableLog(f"{path.name} has the mark of an HDF5 file, but its first block is not whole.")
    patches = heap_patches(path, max(size, min(block.size, size + MOST_MISSING)))
    defects = [*_defects(block, size), *(_heap_defect(at) for at, _ in patches)]
    with ExitStack() as stack:
        if not defects:
            try:
                file = stack.enter_context(h5py.File(path, "r", rdcc_nbytes=CACHE_BYTES))
            except HDF5_ERRORS as wrong:
                message = f"The library did not open it as usual ({reason(wrong)}); it was read all the same."
                defects.append(Defect("file", "", message))
        if defects:
            mended = stack.enter_context(_Mended(path, block, size, patches))
            try:
                file = stack.enter_context(h5py.File(mended, "r", rdcc_nbytes=CACHE_BYTES))
            except HDF5_ERRORS as wrong:
                raise UnreadableLog(f"{path.name} cannot be opened as HDF5: {reason(wrong)}.") from wrong
        yield Opened(path, file, size, defects, block.size > size)


def reason(wrong: BaseException) -> str:
    """Say in a few words what the library complained about."""
    text = str(wrong).strip().strip("'\"").rstrip(".")
    return (text.splitlines() or [type(wrong).__name__])[0][:300] or type(wrong).__name__


def _defects(block: Superblock, size: int) -> Iterator[Defect]:
    if block.size > size:
        yield Defect(
            "file", f"byte {size}",
            f"The file is cut off: it has {size} of {block.size} bytes. What lies before the cut was read.",
        )  # fmt: skip
    if not block.was_closed:
        yield Defect(
            "file", f"byte {block.at + 11}",
            "The file was never closed: its writer was still at work or died. What had been written out was read.",
        )  # fmt: skip


def _heap_defect(at: int) -> Defect:
    message = "A heap of texts or rows of free length is damaged here; what lies behind in it is lost."
    return Defect("file", f"byte {at}", message)


class _Mended(io.RawIOBase):
    """The file as HDF5 wants it: closed, and as long as it says; what is missing reads as zeros."""

    def __init__(self, path: Path, block: Superblock, size: int, patches: Patches) -> None:
        self._file = path.open("rb")
        self._size, self._at = size, 0
        self._length = min(max(size, block.size), size + MOST_MISSING)
        self._patches = ((block.at, block.mended(size)), *patches)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = start + offset
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        if len(view) > self._size + LARGEST_REQUEST:
            raise OSError("more bytes were asked for than the file can hold")
        self._file.seek(self._at)
        there = self._file.readinto(view) if self._at < self._size else 0
        view[there:] = bytes(len(view) - there)
        low, high = self._at, self._at + len(view)
        for at, patch in self._patches:
            for i in range(max(low, at), min(high, at + len(patch))):
                view[i - low] = patch[i - at]
        self._at = high
        return len(view)

    def close(self) -> None:
        self._file.close()
        super().close()
