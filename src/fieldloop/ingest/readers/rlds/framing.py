"""TFRecord framing: length, checksum of the length, payload, checksum of the payload, again and again."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from fieldloop.model.note import Note, note

HEAD = struct.Struct("<QI")
TAIL = struct.Struct("<I")
MASK_DELTA = 0xA282EAD8
EXAMPLE_TAG = b"\x0a"  # a tf.train.Example begins with its one field, the features
LARGEST_PAYLOAD = (1 << 31) - 1  # what protobuf itself can parse
LARGEST_INFLATED = 1 << 29  # a few compressed bytes can stand for any number of them; no episode has so many
READ_BYTES = 1 << 22
SEARCH_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """One payload and where it begins; `wrong` is what is wrong with its framing, None for nothing."""

    index: int
    offset: int
    length: int
    payload: bytes = b""
    wrong: Note | None = None


def compute_masked_crc32c(data: bytes) -> int:
    """Return the checksum as TFRecord stores it.

    >>> hex(compute_masked_crc32c(b"123456789"))
    '0xc78ab0e5'
    """
    import google_crc32c

    crc = int(google_crc32c.value(data))
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & 0xFFFFFFFF


def begins_with_record(head: bytes) -> bool:
    """Do these first bytes (13 are enough) begin a TFRecord file of tf.train.Examples?"""
    return _is_record_head(head[: HEAD.size]) and head[HEAD.size : HEAD.size + 1] in (b"", EXAMPLE_TAG)


def read_records(file: BinaryIO, size: int | None, *, with_payloads: bool = True) -> Iterator[Record]:
    """Yield every record that can be found; behind a damaged length the next whole head is searched for.

    `size` is the file's, None where it is unknown. Without `with_payloads` only the frames are walked through.
    """
    at, index = 0, 0
    while True:
        if (there := file.seek(at)) < at:
            yield Record(index, there, 0, wrong=note(CUT))
            return
        head = file.read(HEAD.size)
        if not head:
            return
        if len(head) < HEAD.size:
            yield Record(index, at, 0, wrong=note(CUT))
            return
        length, _ = HEAD.unpack(head)
        start = at + HEAD.size
        if not _is_record_head(head) or length > LARGEST_PAYLOAD:
            next_head = _find_next_head(file, at + 1, size)
            yield Record(index, start, 0, wrong=note("ingest.record_length_damaged", next_byte=next_head))
            if next_head is None:
                return
            at = next_head
        else:
            if size is None and length > LARGEST_INFLATED:
                record = Record(index, start, length, wrong=note("ingest.record_too_large", stated_bytes=length))
            else:
                record = (
                    _read_payload(file, index, start, length, size)
                    if with_payloads
                    else _make_cut_off_record(index, start, length, size)
                )
            is_cut = record.wrong is not None and record.wrong.code == CUT
            yield record
            del record  # or two episodes would be in memory while the next is read
            at = start + length + TAIL.size
            if is_cut:
                return
        index += 1


CUT = "ingest.record_cut_off"


def _read_payload(file: BinaryIO, index: int, start: int, length: int, size: int | None) -> Record:
    payload = file.read(min(length, max(size - start, 0))) if size is not None else _read_in_pieces(file, length)
    tail = file.read(TAIL.size)
    wrong = None
    if (missing := length + TAIL.size - len(payload) - len(tail)) > 0:
        wrong = note(CUT, missing_bytes=missing)
    elif TAIL.unpack(tail)[0] != compute_masked_crc32c(payload):
        wrong = note("ingest.checksum_mismatch", part="the record")
    return Record(index, start, length, payload, wrong)


def _read_in_pieces(file: BinaryIO, length: int) -> bytes:
    """Read what there is: the size of a compressed file is unknown, and a false length must not allocate memory."""
    parts = []
    while length and (part := file.read(min(length, READ_BYTES))):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _make_cut_off_record(index: int, start: int, length: int, size: int | None) -> Record:
    missing = 0 if size is None else start + length + TAIL.size - size
    return Record(index, start, length, wrong=note(CUT, missing_bytes=missing) if missing > 0 else None)


def _is_record_head(head: bytes) -> bool:
    return len(head) == HEAD.size and HEAD.unpack(head)[1] == compute_masked_crc32c(head[:8])


def _find_next_head(file: BinaryIO, offset: int, size: int | None) -> int | None:
    """Search for twelve bytes that are a length with its checksum, an Example behind them."""
    most = min(size or LARGEST_PAYLOAD, LARGEST_PAYLOAD)
    while True:
        file.seek(offset)
        block = file.read(SEARCH_BYTES + HEAD.size + 1)
        count = len(block) - HEAD.size
        if count <= 0:
            return None
        bytes_ = np.frombuffer(block, np.uint8)
        lengths = np.lib.stride_tricks.sliding_window_view(bytes_, 8)[:count].copy().view("<u8")[:, 0]
        likely = (lengths > 0) & (lengths <= most) & (bytes_[HEAD.size :] == EXAMPLE_TAG[0])
        for place in np.flatnonzero(likely).tolist():
            if _is_record_head(block[place : place + HEAD.size]):
                return offset + int(place)
        offset += count
