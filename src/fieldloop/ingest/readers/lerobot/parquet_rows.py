"""Rows of Parquet files as arrays; a file or column that cannot be read is named."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Defect


def read_table(path: Path, name: str, defects: list[Defect]) -> Any:
    """Read a whole file; None and a defect where it cannot be read."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        return pq.read_table(path, partitioning=None)
    except (ArrowException, OSError, ValueError) as wrong:
        defects.append(Defect(name, "", _why(path, wrong)))
        return None


def read_pylist(path: Path, name: str, defects: list[Defect], without: str) -> list[dict[str, Any]]:
    """Read a table as plain rows, leaving out columns whose name begins with `without`."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        file = pq.ParquetFile(path)
        columns = [column for column in file.schema_arrow.names if not column.startswith(without)]
        rows: list[dict[str, Any]] = file.read(columns=columns).to_pylist()
    except (ArrowException, OSError, ValueError) as wrong:
        defects.append(Defect(name, "", _why(path, wrong)))
        return []
    return rows


def episode_indices(path: Path, name: str, defects: list[Defect]) -> list[int]:
    """Return which episodes a data file holds."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        column = pq.ParquetFile(path).read(columns=["episode_index"]).column(0)
    except (ArrowException, OSError, ValueError, IndexError) as wrong:
        defects.append(Defect(name, "", _why(path, wrong)))
        return []
    return sorted(int(i) for i in pc.unique(column).to_pylist() if i is not None)


def read_episode(paths: Sequence[Path], index: int, root: Path, defects: list[Defect]) -> Any:
    """Read the rows of one episode out of shared files, touching only row groups that may hold it."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    parts = []
    for path in paths:
        try:
            file = pq.ParquetFile(path)
            table = file.read_row_groups(_groups(file, index))
            parts.append(table.filter(pc.equal(table["episode_index"], index)))
        except (pa.ArrowException, OSError, ValueError, KeyError) as wrong:
            defects.append(Defect(path.relative_to(root).as_posix(), f"episode {index}", _why(path, wrong)))
    return pa.concat_tables(parts) if parts else None


def first_timestamp(path: Path) -> float | None:
    """Return the first value of the timestamp column."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        batch = next(pq.ParquetFile(path).iter_batches(batch_size=1, columns=["timestamp"]), None)
        value = np.asarray(batch.column(0).to_pylist()[0], np.float64).ravel() if batch is not None else np.empty(0)
    except (ArrowException, OSError, IndexError, ValueError, TypeError):
        return None
    return float(value[0]) if len(value) else None


def to_array(column: Any) -> NDArray[Any]:
    """Turn an Arrow column of numbers or of equally long lists into rows; ValueError where it is neither."""
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
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
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type) or pa.types.is_boolean(array.type)):
        raise ValueError(f"{array.type} is no number")
    values = array.to_numpy(zero_copy_only=False)
    if values.dtype == bool:
        values = values.astype(np.float64)
    return np.ascontiguousarray(values).reshape(rows, -1)


def numeric(table: Any, names: Iterable[str]) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Turn columns into arrays; the second part says why a column could not be."""
    arrays: dict[str, NDArray[Any]] = {}
    reasons: dict[str, str] = {}
    for name in names:
        try:
            arrays[name] = to_array(table[name])
        except ValueError as wrong:
            reasons[name] = str(wrong)
    return arrays, reasons


def _groups(file: Any, index: int) -> list[int]:
    column = file.schema_arrow.names.index("episode_index") if "episode_index" in file.schema_arrow.names else -1
    chosen = []
    for group in range(file.metadata.num_row_groups):
        parts = (file.metadata.row_group(group).column(i) for i in range(file.metadata.num_columns))
        part = next((p for p in parts if p.path_in_schema == "episode_index"), None) if column >= 0 else None
        stats = part.statistics if part is not None else None
        if stats is None or not stats.has_min_max or stats.min <= index <= stats.max:
            chosen.append(group)
    return chosen


def _why(path: Path, wrong: Exception) -> str:
    if path.is_file() and path.stat().st_size == 0:
        return "The file is empty."
    return f"The file cannot be read: {str(wrong).splitlines()[0]}."
