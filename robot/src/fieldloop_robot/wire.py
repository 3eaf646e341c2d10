"""Observations and actions as bytes: msgpack with raw arrays, in the framing of openpi's clients and servers.

An array travels as {b"__ndarray__": True, b"data", b"dtype", b"shape"}, a NumPy scalar as {b"__npgeneric__": True,
b"data", b"dtype"}. Numbers, booleans and text only: an object array would have to be pickled, and a pickle runs code.
"""

import math
from collections.abc import Mapping
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from fieldloop_robot import RobotError

MAX_BYTES = 64 << 20
"""Six uncompressed 1280×720 RGB-D views fit; a gigabyte sent by mistake does not."""

KINDS = "biufSU"
MAX_DIMENSIONS = 8


class WireError(RobotError):
    """Bytes that are not a message, or a value that cannot be sent."""


def pack(message: Mapping[str, Any], max_bytes: int = MAX_BYTES) -> bytes:
    """Write a message; arrays keep shape, type and every bit.

    >>> unpack(pack({"joints": np.array([0.5, 1.5])}))["joints"]
    array([0.5, 1.5])
    """
    try:
        data: bytes = msgpack.packb(dict(message), default=_encode_value)
    except (TypeError, ValueError, OverflowError) as wrong:
        raise WireError(f"This message cannot be sent: {wrong}.") from wrong
    return _check_size(data, max_bytes)


def unpack(data: bytes, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """Read a message back; arrays are read-only views of its bytes."""
    _check_size(data, max_bytes)
    try:
        message = msgpack.unpackb(data, object_hook=_decode_value)
    except WireError:
        raise
    except Exception as wrong:  # msgpack raises a dozen kinds for bytes from strangers
        raise WireError(
            f"{len(data)} bytes are not a msgpack message: {str(wrong) or type(wrong).__name__}."
        ) from wrong
    if not isinstance(message, dict):
        raise WireError(f"The message is a {type(message).__name__}, not a map of names to values.")
    return message


def _check_size(data: bytes, max_bytes: int) -> bytes:
    if len(data) > max_bytes:
        raise WireError(f"The message has {len(data)} bytes, at most {max_bytes} can be sent.")
    return data


def _encode_value(value: Any) -> dict[bytes, Any]:
    if not isinstance(value, np.ndarray | np.generic):
        raise TypeError(f"{type(value).__name__} is neither a plain value nor an array")
    if value.dtype.kind not in KINDS:
        raise TypeError(f"arrays of {value.dtype} cannot be sent, only numbers, booleans and text")
    if isinstance(value, np.generic):
        return {b"__npgeneric__": True, b"data": value.item(), b"dtype": value.dtype.str}
    return {b"__ndarray__": True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": value.shape}


def _decode_value(value: dict[Any, Any]) -> Any:
    if b"__ndarray__" in value:
        return _decode_array(value)
    if b"__npgeneric__" in value:
        return _decode_dtype(value).type(value.get(b"data"))
    return value


def _decode_array(value: dict[Any, Any]) -> NDArray[Any]:
    dtype, data, shape = _decode_dtype(value), value.get(b"data"), value.get(b"shape")
    if not isinstance(data, bytes):
        raise WireError(f"An array's data are a {type(data).__name__}, not bytes.")
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS or not all(type(n) is int and n >= 0 for n in shape):
        raise WireError(f"{shape!r} is not a valid array shape.")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise WireError(f"An array of shape {shape} and type {dtype} does not have {len(data)} bytes.")
    return np.frombuffer(data, dtype).reshape(shape) if data else np.zeros(shape, dtype)


def _decode_dtype(value: dict[Any, Any]) -> np.dtype[Any]:
    name = value.get(b"dtype")
    try:
        dtype = np.dtype(name) if isinstance(name, str) else None
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    if dtype is None or dtype.kind not in KINDS or not dtype.itemsize:
        raise WireError(f"An array of type {name!r} cannot be sent; only numbers, booleans and text can.")
    return dtype
