"""The inside of an MCAP chunk: unpacked and checked against its own checksum."""

import struct
import zlib
from typing import NamedTuple

HEAD = struct.Struct("<QQQI")
LARGEST = 4 << 30  # a damaged size must not ask for all memory; the format's own reader draws the line here too


class ChunkHead(NamedTuple):
    """What a chunk says about itself."""

    start_ns: int
    end_ns: int
    size: int
    crc: int
    compression: str
    begin: int
    length: int


def read_head(content: bytes) -> ChunkHead:
    """Read a chunk's head; struct.error or ValueError where it is malformed."""
    start_ns, end_ns, size, crc = HEAD.unpack_from(content)
    (named,) = struct.unpack_from("<I", content, HEAD.size)
    after = HEAD.size + 4 + named
    compression = content[HEAD.size + 4 : after].decode("utf-8")
    (length,) = struct.unpack_from("<Q", content, after)
    if after + 8 + length > len(content):
        raise ValueError(f"its {length} bytes of records do not fit in it")
    return ChunkHead(start_ns, end_ns, size, crc, compression, after + 8, length)


def decompress(content: bytes, head: ChunkHead) -> bytes:
    """Return the records inside; ValueError says why it cannot be done."""
    packed = memoryview(content)[head.begin : head.begin + head.length]
    if head.size > LARGEST:
        raise ValueError(f"it claims {head.size} bytes")
    records = _unpack(packed, head)
    if len(records) != head.size:
        raise ValueError(f"{len(records)} bytes came out where {head.size} were announced")
    if head.crc and zlib.crc32(records) != head.crc:
        raise ValueError("its checksum does not fit")
    return records


def _unpack(packed: memoryview, head: ChunkHead) -> bytes:
    if head.compression == "":
        return bytes(packed)
    if head.compression == "zstd":
        import zstandard

        try:
            if zstandard.frame_content_size(packed) not in (-1, head.size):  # -1: the frame does not say
                raise ValueError("it claims another size inside than outside")
            return zstandard.ZstdDecompressor().decompress(packed, max_output_size=max(head.size, 1))
        except (zstandard.ZstdError, MemoryError) as wrong:
            raise ValueError(f"zstd: {wrong}") from wrong
    if head.compression == "lz4":
        from lz4.frame import decompress as unpack  # type: ignore[import-untyped] # it brings no types

        try:
            return bytes(unpack(packed))
        except (RuntimeError, MemoryError) as wrong:
            raise ValueError(f"lz4: {wrong}") from wrong
    raise ValueError(f"compression {head.compression!r} is not known")
