"""Parquet columns as arrays; a file or column that cannot be read is named."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.stand_in import describe_pointer_file
from fieldloop.model.episode import Defect
from fieldloop.model.note import Note, note


def read_columns(path: Path, name: str, defects: list[Defect], is_wanted: Any = None) -> dict[str, Any]:
    """Read the wanted columns of a table one by one; return none and a defect where it cannot be read."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        with pq.ParquetFile(path) as file:
            names = [
                column for column in dict.fromkeys(file.schema_arrow.names) if is_wanted is None or is_wanted(column)
            ]
            table = file.read(columns=names, use_threads=False)
    except (ArrowException, OSError, ValueError) as wrong:
        defects.append(Defect(name, "", explain_unreadable_file(path, wrong)))
        return {}
    return get_columns_by_name(table)


def get_columns_by_name(table: Any) -> dict[str, Any]:
    """Return a table's columns by name; of columns with one name the first."""
    columns: dict[str, Any] = {}
    for place, name in enumerate(table.column_names):
        columns.setdefault(name, table.column(place))
    return columns


def find_column_field(schema: Any, name: str) -> Any:
    """Return a column's field; of columns with one name the first."""
    return schema.field(schema.names.index(name))


class NotNumeric(ValueError):
    """A column whose cells are not numbers: texts, perhaps, and no defect."""


def convert_to_array(column: Any) -> NDArray[Any]:
    """Turn an Arrow column of numbers or of equally long lists into rows; ValueError where it is neither."""
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # an extension type, or no chunk at all
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if not is_numeric_type(find_innermost_type(array.type)):
        raise NotNumeric(f"{array.type} is not a numeric type")
    rows = len(array)
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    while pa.types.is_list(array.type) or pa.types.is_large_list(array.type) or pa.types.is_fixed_size_list(array.type):
        if array.null_count:
            raise ValueError(f"{array.null_count} rows are null")
        inner = array.flatten()
        if len(array) and len(inner) % len(array):
            raise ValueError("its rows differ in length")
        if not pa.types.is_fixed_size_list(array.type) and len(array):
            lengths = np.diff(array.offsets.to_numpy())
            if (lengths != lengths[0]).any():
                raise ValueError("its rows differ in length")
        array = inner
    return np.ascontiguousarray(array.to_numpy(zero_copy_only=False)).reshape(rows, -1)


def is_numeric_type(arrow_type: Any) -> bool:
    """Are cells of this Arrow type numbers?"""
    import pyarrow as pa

    return bool(pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_boolean(arrow_type))


def find_innermost_type(arrow_type: Any) -> Any:
    """Return the type of what a column's lists hold in the end."""
    while hasattr(arrow_type, "storage_type") or hasattr(arrow_type, "value_type"):
        arrow_type = arrow_type.storage_type if hasattr(arrow_type, "storage_type") else arrow_type.value_type
    return arrow_type


def convert_to_arrays(columns: Any, names: Iterable[str]) -> tuple[dict[str, NDArray[Any]], dict[str, ValueError]]:
    """Turn columns into arrays; the second part is why a column could not be."""
    arrays: dict[str, NDArray[Any]] = {}
    reasons: dict[str, ValueError] = {}
    for name in names:
        try:
            arrays[name] = convert_to_array(columns[name])
        except ValueError as wrong:
            reasons[name] = wrong
    return arrays, reasons


def explain_unreadable_file(path: Path, error: Exception) -> Note:
    """Return why a file cannot be read."""
    if pointer := describe_pointer_file(path):
        return note("ingest.file_unreadable", reason=pointer)
    try:
        if not path.stat().st_size:
            return note("ingest.file_empty")
    except OSError as gone:
        return note("ingest.file_unreadable", reason=str(gone))
    return note("ingest.file_unreadable", reason=(str(error).splitlines() or [type(error).__name__])[0])
