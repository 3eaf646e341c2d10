"""The inside of an MCAP chunk: unpacked and checked against its own checksum."""

import threading
import zlib
from typing import Any, NamedTuple

from fieldloop.ingest.readers.mcap.records import Chunk

LARGEST = 4 << 30  # a damaged size must not ask for all memory; the format's own reader draws the line here too
LARGEST_RATIO = 100_000  # zstd packs zeros some ten thousand to one
LZ4_RATIO = 256  # a byte of lz4 stands for at most 255
PIECE = 1 << 20
KEPT = threading.local()


class Unpacked(NamedTuple):
    """The records inside a chunk, and why any of them may be wrong ("" where they are as they were written)."""

    records: bytes | memoryview
    doubt: str = ""


def unpack_chunk(chunk: Chunk) -> Unpacked:
    """Return the records inside; ValueError says why it cannot be done.

    Where the checksum does not fit, records that were not compressed are worth a look, for most of them are what they
    were; behind a damaged place of compressed ones everything is guesswork. Of a chunk that was cut off come the
    records before the cut.
    """
    if chunk.missing:
        return Unpacked(_decompress_beginning(chunk))
    if chunk.compression == "":
        return Unpacked(chunk.records, _describe_mismatch(chunk, chunk.records))
    if chunk.uncompressed_size > _limit_unpacked_bytes(chunk):
        raise ValueError(f"the chunk states a size of {chunk.uncompressed_size} bytes")
    records = _decompress_chunk(chunk)
    if misfit := _describe_mismatch(chunk, records):
        raise ValueError(misfit)
    return Unpacked(records)


def _limit_unpacked_bytes(chunk: Chunk) -> int:
    return min(LARGEST, (len(chunk.records) + 1) * LARGEST_RATIO)


def _describe_mismatch(chunk: Chunk, records: bytes | memoryview) -> str:
    if len(records) != chunk.uncompressed_size:
        return f"{len(records)} bytes came out where {chunk.uncompressed_size} were announced"
    fits = not chunk.uncompressed_crc or zlib.crc32(records) == chunk.uncompressed_crc
    return "" if fits else "its checksum does not match"


def _decompress_chunk(chunk: Chunk) -> bytes:
    if chunk.compression == "zstd":
        return _unpack_zstd(chunk.records, chunk.uncompressed_size)
    if chunk.compression == "lz4":
        return _unpack_lz4(chunk.records, chunk.uncompressed_size)
    raise ValueError(f"compression {chunk.compression!r} is not known")


def _decompress_beginning(chunk: Chunk) -> bytes | memoryview:
    if chunk.compression == "":
        return chunk.records
    if chunk.compression == "zstd":
        return _decompress_zstd_beginning(chunk.records, min(_limit_unpacked_bytes(chunk), chunk.uncompressed_size))
    if chunk.compression == "lz4":
        return _unpack_lz4(chunk.records, min(LZ4_RATIO * len(chunk.records), chunk.uncompressed_size))
    raise ValueError(f"compression {chunk.compression!r} is not known")


def _unpack_zstd(packed: memoryview, size: int) -> bytes:
    import zstandard

    try:
        if zstandard.frame_content_size(packed) not in (-1, size):  # -1: the frame does not say
            raise ValueError("the compressed data state another size than the chunk")
        return bytes(_get_thread_decompressor().decompress(packed, max_output_size=max(size, 1)))
    except (zstandard.ZstdError, MemoryError) as wrong:
        raise ValueError(f"zstd: {wrong}") from wrong


def _decompress_zstd_beginning(packed: memoryview, max_bytes: int) -> memoryview:
    """Unpack in pieces, so that what comes before the end of the bytes is kept."""
    import zstandard

    made = bytearray()
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            while len(made) < max_bytes and (part := reader.read(min(PIECE, max_bytes - len(made)))):
                made += part
    except (zstandard.ZstdError, MemoryError) as wrong:
        if not made:
            raise ValueError(f"zstd: {wrong}") from wrong
    return memoryview(made)


def _unpack_lz4(packed: memoryview, size: int) -> bytes:
    from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped] # it brings no types

    try:  # one byte more than announced, so that too much is seen and yet never held
        return bytes(LZ4FrameDecompressor().decompress(packed, max_length=size + 1))
    except (RuntimeError, MemoryError, EOFError) as wrong:
        raise ValueError(f"lz4: {wrong}") from wrong


def _get_thread_decompressor() -> Any:
    """Return this thread's decompressor: setting one up costs more than unpacking a small chunk."""
    import zstandard

    if not hasattr(KEPT, "zstd"):
        KEPT.zstd = zstandard.ZstdDecompressor()
    return KEPT.zstd
