"""The Parquet tables of a LeRobot v3.0 dataset, as its own library expects them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

INTEGERS = ("frame_index", "episode_index", "index", "task_index")


class DataWriter:
    """The table of frames: one row group an episode."""

    def __init__(self, path: Path) -> None:
        self._path, self._writer = path, None

    def add(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Append an episode's rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table({name: _column(values) for name, values in columns.items()})
        described = {name: _described(values) for name, values in columns.items()}
        table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": described}})})
        if self._writer is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(self._path, table.schema, compression="snappy")
        self._writer.write_table(table)  # type: ignore[attr-defined] # pyarrow brings no types

    def close(self) -> None:
        """Write the footer; without it the file cannot be read."""
        if self._writer is not None:
            self._writer.close()


def write_episodes(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the table of episodes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)


def write_tasks(path: Path, tasks: Sequence[str]) -> None:
    """Write the table of tasks the way pandas would: the text is the index."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"task_index": pa.array(range(len(tasks)), pa.int64()), "task": pa.array(tasks, pa.string())})
    column = {"metadata": None}
    pandas = {
        "index_columns": ["task"],
        "column_indexes": [
            {"name": None, "field_name": None, "pandas_type": "unicode", "numpy_type": "object", **column}
        ],
        "columns": [
            {"name": "task_index", "field_name": "task_index", "pandas_type": "int64", "numpy_type": "int64", **column},
            {"name": "task", "field_name": "task", "pandas_type": "unicode", "numpy_type": "object", **column},
        ],
        "pandas_version": "2.2.0",
    }
    pq.write_table(table.replace_schema_metadata({"pandas": json.dumps(pandas)}), path)


def _column(values: NDArray[Any]) -> Any:
    import pyarrow as pa

    if values.shape[1] == 1:
        return pa.array(values[:, 0])
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(values).ravel()), values.shape[1])


def _described(values: NDArray[Any]) -> dict[str, Any]:
    value = {"dtype": str(values.dtype), "_type": "Value"}
    return value if values.shape[1] == 1 else {"feature": value, "length": values.shape[1], "_type": "List"}
