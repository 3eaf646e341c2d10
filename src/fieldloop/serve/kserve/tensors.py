"""Tensors of KServe's protocol to an observation, and an answer back to tensors."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.serve.bundle import Bundle

DTYPES: Mapping[str, str] = {
    "BOOL": "bool", "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "INT8": "int8",
    "INT16": "int16", "INT32": "int32", "INT64": "int64", "FP16": "float16", "FP32": "float32", "FP64": "float64",
}  # fmt: skip
NAMES: Mapping[str, str] = {dtype: name for name, dtype in DTYPES.items()}
TEXTS = ("prompt",)
LENGTH_BYTES = 4
STATED = ("robot", "episode", "reset", "deadline_ms", "inference_delay")
"""What a request may state in its parameters."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One named tensor: its type in KServe's words, its shape, and its values as bytes or as numbers."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    data: bytes | Sequence[Any]


def read_message(
    tensors: Sequence[Tensor], parameters: Mapping[str, Any], bundle: Bundle
) -> tuple[dict[str, Any], bool]:
    """Return a message as robots send it, and whether its tensors had a batch axis of one."""
    declared = {i.name: len(i.shape) for i in bundle.inputs}
    message: dict[str, Any] = {key: parameters[key] for key in STATED if key in parameters}
    batched = False
    for tensor in tensors:
        if tensor.datatype == "BYTES":
            message[tensor.name] = _read_text(tensor)
            continue
        array = read_array(tensor)
        extra = array.ndim - declared.get(tensor.name, array.ndim)
        if extra == 1 and len(array) == 1:
            array, batched = array[0], True
        elif extra > 0:
            raise BadInput(f"{tensor.name!r} has the shape {array.shape}: send one observation in a request.")
        message[tensor.name] = array
    return message, batched


def read_array(tensor: Tensor) -> NDArray[Any]:
    r"""Return a tensor as an array; its bytes must be as many as its shape needs.

    >>> read_array(Tensor("a", "FP32", (2,), b"\0\0\0\0\0\0\x80?"))
    array([0., 1.], dtype=float32)
    """
    if tensor.datatype not in DTYPES:
        raise BadInput(f"{tensor.name!r} has the type {tensor.datatype!r}; known are {', '.join(DTYPES)} and BYTES.")
    dtype = np.dtype(DTYPES[tensor.datatype])
    if any(n < 0 for n in tensor.shape):
        raise BadInput(f"{tensor.name!r} has the shape {list(tensor.shape)}.")
    count = math.prod(tensor.shape)
    raw = isinstance(tensor.data, bytes | bytearray | memoryview)
    if raw and len(tensor.data) != count * dtype.itemsize:
        raise BadInput(f"{tensor.name!r} of shape {list(tensor.shape)} does not have {len(tensor.data)} bytes.")
    try:
        if isinstance(tensor.data, bytes | bytearray | memoryview):
            return np.frombuffer(tensor.data, dtype).reshape(tensor.shape) if count else np.zeros(tensor.shape, dtype)
        values = np.asarray(tensor.data, float if dtype.kind == "f" else None)
        fitting = values.astype(dtype)
        if values.size != count or (dtype.kind != "f" and not (fitting == values).all()):
            raise ValueError(f"{values.size} values")  # noqa: TRY301 - one text for all that does not fit
        return fitting.reshape(tensor.shape)
    except (TypeError, ValueError, OverflowError) as wrong:
        raise BadInput(
            f"{tensor.name!r} does not hold {tensor.datatype} of shape {list(tensor.shape)}: {wrong}."
        ) from wrong


def write_tensors(reply: Mapping[str, Any], *, batched: bool) -> list[tuple[str, NDArray[Any]]]:
    """Return an answer's outputs: the chunk of actions, and the confidence (NaN where unknown)."""
    confidence = reply.get("confidence")
    outputs = [
        ("actions", np.ascontiguousarray(reply["actions"], np.float64)),
        ("confidence", np.array([math.nan if confidence is None else confidence])),
    ]
    return [(name, array[np.newaxis] if batched else array) for name, array in outputs]


def describe_tensors(bundle: Bundle) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the inputs and outputs of a policy in KServe's words."""
    inputs = [{"name": i.name, "datatype": NAMES[i.dtype], "shape": list(i.shape)} for i in bundle.inputs]
    if bundle.takes_prompt:
        inputs.append({"name": "prompt", "datatype": "BYTES", "shape": [1]})
    actions = {"name": "actions", "datatype": "FP64", "shape": [bundle.horizon, len(bundle.action_names)]}
    return inputs, [actions, {"name": "confidence", "datatype": "FP64", "shape": [1]}]


def _read_text(tensor: Tensor) -> str:
    """Read a text: bytes with their length before them, or a list of one text."""
    data = tensor.data
    if isinstance(data, bytes | bytearray | memoryview):
        length = int.from_bytes(data[:LENGTH_BYTES], "little")
        data = [bytes(data[LENGTH_BYTES : LENGTH_BYTES + length])] if len(data) == LENGTH_BYTES + length else []
    if len(data) != 1 or not isinstance(data[0], str | bytes):
        raise BadInput(f"{tensor.name!r} does not hold one text.")
    try:
        return data[0] if isinstance(data[0], str) else data[0].decode()
    except UnicodeDecodeError as wrong:
        raise BadInput(f"{tensor.name!r} is not a text in UTF-8.") from wrong
