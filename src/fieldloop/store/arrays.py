"""Named arrays on the shelf as NumPy archives (.npz), without pickle in either direction."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.episode import Blob
from fieldloop.store.contract import Shelf


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Write arrays as bytes; the same arrays give the same bytes.

    >>> unpack_arrays(pack_arrays({"path/left": np.arange(3)}))
    {'path/left': array([0, 1, 2])}
    >>> unpack_arrays(pack_arrays({"one number": np.asarray(0.5)}))["one number"].shape
    ()
    """
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in sorted(arrays.items()):
            if array.dtype.hasobject:
                raise BadInput(f"{name}: an array of objects cannot be stored.")
            inside = io.BytesIO()
            np.lib.format.write_array(inside, np.asarray(array, order="C"), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), inside.getvalue(), zipfile.ZIP_DEFLATED, 1)
    return sink.getvalue()


def unpack_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Read arrays back."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {
                name.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
                for name in archive.namelist()
            }
    except (zipfile.BadZipFile, ValueError, EOFError) as wrong:
        raise BadInput(f"These bytes are not an archive of arrays: {wrong}.") from wrong


def put_arrays(shelf: Shelf, arrays: Mapping[str, NDArray[Any]]) -> Blob:
    """Store arrays; return their blob."""
    return shelf.put_bytes(pack_arrays(arrays))


def read_arrays(shelf: Shelf, sha256: str) -> dict[str, NDArray[Any]]:
    """Read arrays back from the shelf."""
    return unpack_arrays(shelf.read(sha256))
