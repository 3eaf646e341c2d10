"""The inside of an MCAP chunk: unpacked and checked against its own checksum."""

import threading
import zlib
from typing import Any

from fieldloop.ingest.readers.mcap.records import Chunk

LARGEST = 4 << 30  # a damaged size must not ask for all memory; the format's own reader draws the line here too
LARGEST_RATIO = 100_000  # zstd packs zeros some ten thousand to one
KEPT = threading.local()


def unpacked(chunk: Chunk) -> bytes | memoryview:
    """Return the records inside; ValueError says why it cannot be done."""
    if chunk.uncompressed_size > min(LARGEST, (len(chunk.records) + 1) * LARGEST_RATIO):
        raise ValueError(f"it claims {chunk.uncompressed_size} bytes")
    records = _unpack(chunk)
    if len(records) != chunk.uncompressed_size:
        raise ValueError(f"{len(records)} bytes came out where {chunk.uncompressed_size} were announced")
    if chunk.uncompressed_crc and zlib.crc32(records) != chunk.uncompressed_crc:
        raise ValueError("its checksum does not fit")
    return records


def _unpack(chunk: Chunk) -> bytes | memoryview:
    if chunk.compression == "":
        return chunk.records
    if chunk.compression == "zstd":
        return _unpack_zstd(chunk.records, chunk.uncompressed_size)
    if chunk.compression == "lz4":
        return _unpack_lz4(chunk.records, chunk.uncompressed_size)
    raise ValueError(f"compression {chunk.compression!r} is not known")


def _unpack_zstd(packed: memoryview, size: int) -> bytes:
    import zstandard

    try:
        if zstandard.frame_content_size(packed) not in (-1, size):  # -1: the frame does not say
            raise ValueError("it claims another size inside than outside")
        return bytes(_zstd().decompress(packed, max_output_size=max(size, 1)))
    except (zstandard.ZstdError, MemoryError) as wrong:
        raise ValueError(f"zstd: {wrong}") from wrong


def _unpack_lz4(packed: memoryview, size: int) -> bytes:
    from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped] # it brings no types

    try:  # one byte more than announced, so that too much is seen and yet never held
        return bytes(LZ4FrameDecompressor().decompress(packed, max_length=size + 1))
    except (RuntimeError, MemoryError, EOFError) as wrong:
        raise ValueError(f"lz4: {wrong}") from wrong


def _zstd() -> Any:
    """Return this thread's decompressor: setting one up costs more than unpacking a small chunk."""
    import zstandard

    if not hasattr(KEPT, "zstd"):
        KEPT.zstd = zstandard.ZstdDecompressor()
    return KEPT.zstd
