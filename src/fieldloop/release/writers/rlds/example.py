"""A tf.train.Example as pieces of bytes: what is large is never copied into one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BYTES, FLOAT, INT64 = 1, 2, 3  # field numbers of tf.train.Feature


class Pieces(NamedTuple):
    """Bytes in order, and how many they are together."""

    parts: tuple[bytes, ...]
    size: int


def encode_example(features: Mapping[str, Pieces]) -> Pieces:
    """Put features together, by name in order, so that the same episode gives the same bytes."""
    entries = [
        _encode_field(
            1, join_pieces([_encode_field(1, make_single_piece(name.encode())), _encode_field(2, features[name])])
        )
        for name in sorted(features)
    ]
    return _encode_field(1, join_pieces(entries))


def encode_bytes_list(values: Iterable[bytes]) -> Pieces:
    """Make a feature of bytes."""
    return _encode_field(BYTES, join_pieces([_encode_field(1, make_single_piece(value)) for value in values]))


def encode_numbers_list(values: NDArray[Any]) -> Pieces:
    """Make a feature of numbers: float32 for fractions, int64 for all else; unsigned ones keep their bits."""
    flat = np.ascontiguousarray(values).reshape(-1)
    if flat.dtype.kind == "f":
        with np.errstate(over="ignore"):  # what is too large becomes infinite; the caller has said so
            return _encode_field(FLOAT, _encode_field(1, make_single_piece(flat.astype("<f4").tobytes())))
    bits = flat.view(np.uint64) if flat.dtype == np.uint64 else flat.astype(np.int64).view(np.uint64)
    return _encode_field(INT64, _encode_field(1, make_single_piece(encode_varints(bits))))


def make_single_piece(data: bytes) -> Pieces:
    """Return bytes as they are."""
    return Pieces((data,), len(data))


def join_pieces(pieces: Sequence[Pieces]) -> Pieces:
    """Return pieces one behind the other."""
    return Pieces(tuple(part for piece in pieces for part in piece.parts), sum(piece.size for piece in pieces))


def encode_varints(values: NDArray[np.uint64]) -> bytes:
    """Pack whole numbers in one to ten bytes each.

    >>> encode_varints(np.array([5, 300, 2**64 - 1], np.uint64)).hex()
    '05ac02ffffffffffffffffff01'
    """
    if not len(values) or int(values.max()) < 0x80:  # noqa: PLR2004 - one byte each
        return values.astype(np.uint8).tobytes()
    lengths = np.ones(len(values), np.int64)
    for place in range(1, 10):
        lengths += (values >> np.uint64(7 * place)) != 0
    starts = np.cumsum(lengths) - lengths
    packed = np.zeros(int(lengths.sum()), np.uint8)
    for place in range(int(lengths.max())):
        chosen = np.flatnonzero(lengths > place)
        low = (values[chosen] >> np.uint64(7 * place)).astype(np.uint8) & np.uint8(0x7F)
        packed[starts[chosen] + place] = low | np.where(lengths[chosen] > place + 1, 0x80, 0).astype(np.uint8)
    return packed.tobytes()


def _encode_field(field_number: int, pieces: Pieces) -> Pieces:
    head = bytes([field_number << 3 | 2]) + encode_varints(np.asarray([pieces.size], np.uint64))
    return Pieces((head, *pieces.parts), len(head) + pieces.size)
