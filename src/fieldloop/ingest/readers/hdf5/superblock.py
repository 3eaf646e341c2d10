"""Parse the first block of an HDF5 file: its stated size, and whether it was closed."""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

SIGNATURE = b"\x89HDF\r\n\x1a\n"
FIRST_STEP = 512  # after byte 0 the signature may stand at 512, 1024, 2048 …
FARTHEST = 1 << 20
OLD_VERSIONS = (0, 1)
NEW_VERSIONS = (2, 3)
HEAD_BYTES = 128
WORDS = {2: "<H", 4: "<I", 8: "<Q"}


@dataclass(frozen=True, slots=True)
class Superblock:
    """What the first block states. `size` counts bytes from the beginning of the file."""

    at: int
    version: int
    size: int
    flags: int
    raw: bytes

    @property
    def was_closed(self) -> bool:
        """Had the writer finished? Older files do not state it, and count as finished."""
        return self.version not in NEW_VERSIONS or not self.flags

    def write_closed_block(self, file_size: int) -> bytes:
        """Return the block as it would be had the writer closed a file of so many bytes."""
        if self.was_closed:
            return self.raw
        width = self.raw[9]
        end_at = 12 + 2 * width  # behind the base address and that of the extension
        end = struct.pack(WORDS[width], max(self.size, file_size - self.at))
        body = self.raw[:11] + b"\x00" + self.raw[12:end_at] + end + self.raw[end_at + width : -4]
        return body + struct.pack("<I", hash_lookup3(body))


def find_signature(path: Path) -> int | None:
    """Return where the signature stands, None where the file has none."""
    try:
        with path.open("rb") as file:
            return _search_signature(file)
    except OSError:
        return None


def read_superblock(path: Path) -> Superblock | None:
    """Read the first block; None where there is none, or none that is whole."""
    at = find_signature(path)
    if at is None:
        return None
    with path.open("rb") as file:
        file.seek(at)
        head = file.read(HEAD_BYTES)
    try:
        return _parse_superblock(at, head)
    except (struct.error, IndexError, KeyError):
        return None


def hash_lookup3(data: bytes) -> int:
    """Return Bob Jenkins' hash of 32 bits, with which HDF5 guards its blocks.

    >>> hex(hash_lookup3(b""))
    '0xdeadbeef'
    """
    mask = 0xFFFFFFFF
    a = b = c = (0xDEADBEEF + len(data)) & mask
    blocks = [data[i : i + 12] for i in range(0, len(data), 12)]
    for block in blocks[:-1]:
        x, y, z = struct.unpack("<III", block)
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        for shift_a, shift_b, shift_c in ((4, 6, 8), (16, 19, 4)):
            a = ((a - c) & mask) ^ _rotate_left(c, shift_a)
            c = (c + b) & mask
            b = ((b - a) & mask) ^ _rotate_left(a, shift_b)
            a = (a + c) & mask
            c = ((c - b) & mask) ^ _rotate_left(b, shift_c)
            b = (b + a) & mask
    if not blocks:
        return c
    words: tuple[int, int, int] = struct.unpack("<III", blocks[-1].ljust(12, b"\x00"))
    a, b, c = ((old + new) & mask for old, new in zip((a, b, c), words, strict=True))
    c = ((c ^ b) - _rotate_left(b, 14)) & mask
    a = ((a ^ c) - _rotate_left(c, 11)) & mask
    b = ((b ^ a) - _rotate_left(a, 25)) & mask
    c = ((c ^ b) - _rotate_left(b, 16)) & mask
    a = ((a ^ c) - _rotate_left(c, 4)) & mask
    b = ((b ^ a) - _rotate_left(a, 14)) & mask
    return ((c ^ b) - _rotate_left(b, 24)) & mask


def _rotate_left(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & 0xFFFFFFFF


def _search_signature(file: BinaryIO) -> int | None:
    at = 0
    while at <= FARTHEST:
        file.seek(at)
        head = file.read(len(SIGNATURE))
        if head == SIGNATURE:
            return at
        if len(head) < len(SIGNATURE):
            return None
        at = at * 2 or FIRST_STEP
    return None


def _parse_superblock(offset: int, head: bytes) -> Superblock | None:
    version = head[8]
    if version in OLD_VERSIONS:
        width, start = head[13], 24 if version == 0 else 28
        _, _, end = (struct.unpack_from(WORDS[width], head, start + i * width)[0] for i in range(3))
        return Superblock(offset, version, int(end), 0, head[:start])
    if version in NEW_VERSIONS:
        width, start = head[9], 12
        _, _, end, _ = (struct.unpack_from(WORDS[width], head, start + i * width)[0] for i in range(4))
        whole = start + 4 * width + 4
        if len(head) < whole:
            return None
        return Superblock(offset, version, int(end), head[11], head[:whole])
    return None
