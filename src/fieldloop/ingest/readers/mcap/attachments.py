"""Files inside an MCAP file, read piece by piece: one may be larger than memory."""

import hashlib
import struct
import zlib
from typing import BinaryIO, NamedTuple

from fieldloop.ingest.readers.mcap.fields import Fields

KEPT_BYTES = 1 << 20  # what is small is kept: it may be a calibration
PIECE = 1 << 20
CRC = struct.Struct("<I")


class Attached(NamedTuple):
    """A file inside the file; `content` is empty where it is large. `fits` says whether its checksum does."""

    name: str
    media_type: str
    size: int
    sha256: str
    content: bytes
    fits: bool


def read_attachment(file: BinaryIO, offset: int, length: int) -> Attached:
    """Read the attachment whose record's `length` bytes begin at `offset`; ValueError where it is malformed."""
    file.seek(offset)
    head = file.read(min(PIECE, length))
    fields = Fields(head)
    fields.read_u64()
    fields.read_u64()
    name, media_type, size = fields.read_text(), fields.read_text(), fields.read_u64()
    first = len(head) - len(fields.read_rest())
    if first + size + CRC.size > length:
        raise ValueError(f"its {size} bytes do not fit into the attachment's record")
    file.seek(offset + first)
    digest, crc, content, left = hashlib.sha256(), zlib.crc32(head[:first]), b"", size
    while left and (piece := file.read(min(PIECE, left))):
        digest.update(piece)
        crc = zlib.crc32(piece, crc)
        content = piece if size <= KEPT_BYTES else b""
        left -= len(piece)
    (stated,) = CRC.unpack(file.read(CRC.size))
    return Attached(name, media_type, size, digest.hexdigest(), content, stated in (0, crc))
