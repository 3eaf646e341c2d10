"""Files and messages that a recorder compressed: unpacked within bounds, as far as they go."""

import shutil
import tempfile
import weakref
from pathlib import Path

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST_MESSAGE = 1 << 30
LARGEST_FILE = 1 << 30
USUAL_RATIO = 64
LARGEST_RATIO = 1 << 15  # zstd cannot do more
PACKED_PIECE = 1 << 12  # what it unpacks to is held in memory
LARGEST_WINDOW = 1 << 27


class ScratchFile:
    """A temporary file, deleted with this object."""

    def __init__(self, name: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="fieldloop-")
        self.path = Path(self._folder) / name
        self._end = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)


def unpack_file(path: Path) -> tuple[ScratchFile, str]:
    """Unpack a zstd file beside the original's place; also say what is wrong with it ("" where nothing is)."""
    import zstandard

    scratch = ScratchFile(path.with_suffix("").name)
    most, made = max(LARGEST_FILE, USUAL_RATIO * path.stat().st_size), 0
    decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    reader = decompressor.decompressobj()
    with path.open("rb") as packed, scratch.path.open("wb") as plain:
        try:
            while piece := reader.unused_data + packed.read(PACKED_PIECE):
                reader = decompressor.decompressobj() if reader.eof else reader
                made += plain.write(reader.decompress(piece))
                if made > most:
                    return scratch, f"it unpacks to more than {most} bytes; the rest was left out"
        except (zstandard.ZstdError, MemoryError) as wrong:
            return scratch, f"it cannot be unpacked behind its first {made} bytes ({wrong})"
    return scratch, "" if reader.eof else f"it is cut off; {made} bytes came out"


def unpack_message(payload: bytes | memoryview) -> bytes:
    """Unpack one message; ValueError where that cannot be done."""
    import zstandard

    try:
        size = zstandard.frame_content_size(payload)
        if not 0 <= size <= min(LARGEST_MESSAGE, LARGEST_RATIO * len(payload)):
            raise ValueError(f"the chunk states a size of {size} bytes")
        return zstandard.ZstdDecompressor().decompress(bytes(payload), max_output_size=max(size, 1))
    except (zstandard.ZstdError, MemoryError) as wrong:
        raise ValueError(str(wrong)) from wrong


def copy_with_journal(path: Path, journal_files: list[Path]) -> ScratchFile:
    """Copy a database with what its writer left beside it, so that SQLite can put both together."""
    scratch = ScratchFile(path.name)
    shutil.copyfile(path, scratch.path)
    for leftover in journal_files:
        shutil.copyfile(leftover, scratch.path.parent / leftover.name)
    return scratch
