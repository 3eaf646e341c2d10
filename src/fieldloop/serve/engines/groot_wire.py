"""The messages of GR00T's policy server: msgpack, with arrays in one of the two forms that its versions use.

`nd`: {b"nd": True, b"type", b"kind", b"shape", b"data"}, msgpack_numpy's keys. `npy`: {"__ndarray_class__": True,
"as_npy": the bytes of a .npy file}. Object arrays would have to be unpickled, so they are refused in both.
"""

import io
import math
from collections.abc import Mapping
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

ENCODINGS = ("nd", "npy")
KINDS = "biuf"


def pack(message: Mapping[str, Any], encoding: str = "nd") -> bytes:
    """Write a message.

    >>> sorted(unpack(pack({"state": np.zeros(2)}, "npy")))
    ['state']
    """
    if encoding not in ENCODINGS:
        raise BadInput(f"options.encoding = {encoding!r} is not a form of arrays; GR00T uses {' or '.join(ENCODINGS)}.")
    data: bytes = msgpack.packb(dict(message), default=_encode_nd if encoding == "nd" else _encode_npy)
    return data


def unpack(data: bytes) -> Any:
    """Read a message with arrays in either form."""
    try:
        return msgpack.unpackb(data, object_hook=_decode, strict_map_key=False)
    except BadInput:
        raise
    except Exception as wrong:  # msgpack raises a dozen kinds for bytes from strangers
        raise BadInput(f"The server's {len(data)} bytes are not a msgpack message: {type(wrong).__name__}.") from wrong


def _encode_nd(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} cannot be sent")
    return {b"nd": True, b"type": value.dtype.str, b"kind": b"", b"shape": value.shape, b"data": value.tobytes()}


def _encode_npy(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} cannot be sent")
    written = io.BytesIO()
    np.save(written, value, allow_pickle=False)
    return {"__ndarray_class__": True, "as_npy": written.getvalue()}


def _decode(row: dict[Any, Any]) -> Any:
    if "__ndarray_class__" in row:
        try:
            return np.load(io.BytesIO(row["as_npy"]), allow_pickle=False)
        except (KeyError, TypeError, ValueError, EOFError) as wrong:
            raise BadInput(f"The server sent an array that cannot be read: {wrong}.") from wrong
    named = {key.decode() if isinstance(key, bytes) else key: value for key, value in row.items()}
    return _decode_nd(named) if named.get("nd") is True else row


def _decode_nd(row: Mapping[str, Any]) -> NDArray[Any]:
    kind = row.get("type")
    try:
        dtype = np.dtype(kind.decode() if isinstance(kind, bytes) else kind)
        shape, data = tuple(int(n) for n in row["shape"]), bytes(row["data"])
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise BadInput(f"The server sent an array that cannot be read: {wrong}.") from wrong
    if dtype.kind not in KINDS or math.prod(shape) * dtype.itemsize != len(data) or min(shape, default=0) < 0:
        raise BadInput(
            f"The server sent an array of type {kind!r} and shape {shape}; only whole numeric arrays are read."
        )
    return np.frombuffer(data, dtype).reshape(shape)
