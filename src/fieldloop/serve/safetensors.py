"""Read safetensors files: the header alone, or arrays. A header is JSON, so that no code runs and no weight is read."""

import json
import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

MAX_HEADER = 100 << 20  # as the format's own library
PREFIX = struct.Struct("<Q")
POINTER = b"version https://git-lfs"
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip


class Pointer(BadInput):
    """A few lines of text that Git LFS leaves in place of a file."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a file: its type, its shape, and where its bytes lie."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def read_header(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file by name, without reading one."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        prefix = stream.read(PREFIX.size)
        if prefix == POINTER[: PREFIX.size] and stream.read(len(POINTER) - PREFIX.size) == POINTER[PREFIX.size :]:
            raise Pointer(f"{path} is a pointer of Git LFS, the file itself was not fetched. Run: git lfs pull")
        length = PREFIX.unpack(prefix)[0] if len(prefix) == PREFIX.size else MAX_HEADER + 1
        if length > min(MAX_HEADER, size):
            raise BadInput(f"{path} is not a safetensors file, or it is cut off: its header is not complete.")
        text = stream.read(length)
    try:
        rows = json.loads(text)
        tensors = {name: _read_row(row, PREFIX.size + length) for name, row in rows.items() if name != "__metadata__"}
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError, OverflowError) as wrong:
        raise BadInput(f"{path} has a header that cannot be read: {wrong}.") from wrong
    if (ends := max((tensor.end for tensor in tensors.values()), default=0)) > size:
        raise BadInput(f"{path} is cut off: it has {size} bytes, its header needs {ends}.")
    return tensors


def read_arrays(path: Path, names: Iterable[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return tensors as arrays, all or those named; bfloat16 becomes float32."""
    header = read_header(path)
    with path.open("rb") as stream:
        return {name: _read_array(stream, header[name], f"{path}: {name}") for name in (names or header)}


def require_finite(arrays: Mapping[str, NDArray[Any]], where: str) -> None:
    """Refuse weights that hold NaN or infinity: every answer of the policy would be one."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise BadInput(f"{where}: the weights {name!r} hold numbers that are not finite. Take another checkpoint.")


def _read_row(row: Mapping[str, Any], first: int) -> Tensor:
    start, end = row["data_offsets"]
    shape = tuple(row["shape"])
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in (start, end, *shape)) or start > end:
        raise ValueError(f"shape {row['shape']} at {row['data_offsets']} must be whole numbers from 0, in their order")
    wide = DTYPES.get(row["dtype"])
    if wide and np.dtype(wide).itemsize * math.prod(shape) != end - start:
        raise ValueError(f"a {row['dtype']} tensor of shape {shape} does not have {end - start} bytes")
    return Tensor(str(row["dtype"]), shape, first + start, first + end)


def _read_array(stream: Any, tensor: Tensor, where: str) -> NDArray[Any]:
    if tensor.dtype not in DTYPES:
        raise BadInput(f"{where} has the type {tensor.dtype}, which is not read here.")
    stream.seek(tensor.start)
    array = np.frombuffer(stream.read(tensor.end - tensor.start), DTYPES[tensor.dtype]).reshape(tensor.shape)
    return (array.astype(np.uint32) << 16).view(np.float32) if tensor.dtype == "BF16" else array
