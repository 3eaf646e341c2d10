"""The inside of a ROS 1 chunk: unpacked as far as it goes, within bounds."""

from typing import Any, NamedTuple

from fieldloop.ingest.readers.rosbag.ros1_records import Source

LARGEST = 1 << 30  # recorders write chunks of less than a megabyte, or of one message
USUAL_RATIO = 64
COMPRESSIONS = ("none", "bz2", "lz4")


class Chunk(NamedTuple):
    """A stretch of a bag that holds messages: a chunk, or messages that lie in the file itself."""

    at: int
    begin: int
    length: int
    compression: str
    size: int


def unpack_chunk(source: Source, chunk: Chunk) -> tuple[bytes, str]:
    """Return what a chunk holds, and in a few words what is wrong with it ("" where nothing is)."""
    packed = source.read(chunk.begin, min(chunk.length, LARGEST))
    if chunk.compression == "none":
        return packed, "" if len(packed) == chunk.size else f"it holds {len(packed)} bytes, not {chunk.size}"
    if chunk.compression not in COMPRESSIONS:
        return b"", f"its compression {chunk.compression!r} is not known"
    content, whole, wrong = _decompress(_make_decompressor(chunk.compression), packed, _limit_unpacked_bytes(chunk))
    if wrong or not whole:
        return content, wrong or f"only {len(content)} of {chunk.size} bytes came out"
    return content, "" if len(content) == chunk.size else f"{len(content)} bytes came out, not {chunk.size}"


def _limit_unpacked_bytes(chunk: Chunk) -> int:
    """How much may come out: what is announced, or what is usual where a damaged size announces less."""
    return min(max(chunk.size, USUAL_RATIO * chunk.length), LARGEST)


def _make_decompressor(compression: str) -> Any:
    if compression == "bz2":
        import bz2

        return bz2.BZ2Decompressor()
    from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped] # it brings no types

    return LZ4FrameDecompressor()


def _decompress(decompressor: Any, packed: bytes, max_bytes: int) -> tuple[bytes, bool, str]:
    """Feed it piece by piece, so that what comes before a damaged place is kept."""
    piece, made, parts = 1 << 16, 0, []
    try:
        for at in range(0, len(packed), piece):
            made += len(part := decompressor.decompress(packed[at : at + piece], max_bytes - made))
            parts.append(part)
            if decompressor.eof or made >= max_bytes:
                break
    except (OSError, RuntimeError, EOFError, ValueError, MemoryError) as wrong:
        return b"".join(parts), False, str(wrong)
    return b"".join(parts), bool(decompressor.eof), ""
