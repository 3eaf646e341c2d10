"""The Parquet tables of a LeRobot v3.0 dataset, as its own library expects them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.release.writers.lerobot.files import Place, Places

DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"


class ParquetFiles:
    """One Parquet file after another; each call of `write` is one row group."""

    def __init__(self, folder: Path, template: str, places: Places) -> None:
        self._folder, self._template, self._places = folder, template, places
        self._file: Any = None
        self._writer: Any = None
        self._bytes_a_row = 0.0
        self.paths: list[Path] = []

    def choose_file(self, rows: int) -> Place:
        """Say where the next rows will go, beginning a new file where the current one is full.

        Their size is estimated from the rows before.
        """
        place, is_new = self._places.choose_file(self._bytes_a_row * rows)
        if is_new:
            self.close()
            self.paths.append(self._folder / place.fill_template(self._template))
        return place

    def write(self, table: Any) -> None:
        """Write rows into the file that `place` named last."""
        import pyarrow.parquet as pq

        if self._writer is None:
            self.paths[-1].parent.mkdir(parents=True, exist_ok=True)
            self._file = self.paths[-1].open("wb")
            self._writer = pq.ParquetWriter(self._file, table.schema, compression="snappy")
        before = self._file.tell()
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        size = self._file.tell() - before
        self._bytes_a_row = size / max(1, table.num_rows)
        self._places.note_written_bytes(size)

    def close(self) -> None:
        """Write the footer; without it the file cannot be read."""
        if self._writer is not None:
            self._writer.close()
            self._file.close()
            self._writer = self._file = None


def make_frames_table(columns: Mapping[str, NDArray[Any]]) -> Any:
    """Make the rows of one episode, n × width each; a width of one is a plain column."""
    import pyarrow as pa

    table = pa.table({name: _make_arrow_column(values) for name, values in columns.items()})
    described = {name: _describe_column(values) for name, values in columns.items()}
    return table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": described}})})


def read_column(paths: Sequence[Path], name: str) -> Iterator[NDArray[Any]]:
    """Read a column of frames back, one row group at a time, n × width."""
    import pyarrow.parquet as pq

    for path in paths:
        with pq.ParquetFile(path) as file:
            for group in range(file.metadata.num_row_groups):
                column = file.read_row_group(group, columns=[name])[name].combine_chunks()
                values = column.flatten() if hasattr(column, "flatten") and column.type.num_fields else column
                yield values.to_numpy(zero_copy_only=False).reshape(len(column), -1)


def make_episodes_table(
    rows: Sequence[Mapping[str, Any]], text_columns: Sequence[str], flag_columns: Sequence[str]
) -> Any:
    """Make rows of the table of episodes; a column that says nothing in all of them still has its type."""
    import pyarrow as pa

    types = dict.fromkeys(text_columns, pa.string()) | dict.fromkeys(flag_columns, pa.bool_())
    columns = {
        key: pa.array([row[key] for row in rows], types.get(key) or _choose_column_type(key, rows[0][key]))
        for key in rows[0]
    }
    return pa.table(columns)


def _choose_column_type(key: str, value: Any) -> Any:
    """Return the column's type by its name and depth: whole numbers, or fractions in as many lists as there are."""
    import pyarrow as pa

    if key == "tasks":
        return pa.list_(pa.string())
    depth = 0
    while isinstance(value, list):
        value, depth = value[0], depth + 1
    kind = pa.int64() if key.endswith("/count") or isinstance(value, int) else pa.float64()
    for _ in range(depth):
        kind = pa.list_(kind)
    return kind


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


def _make_arrow_column(values: NDArray[Any]) -> Any:
    import pyarrow as pa

    if values.shape[1] == 1:
        return pa.array(values[:, 0])
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(values).ravel()), values.shape[1])


def _describe_column(values: NDArray[Any]) -> dict[str, Any]:
    value = {"dtype": str(values.dtype), "_type": "Value"}
    return value if values.shape[1] == 1 else {"feature": value, "length": values.shape[1], "_type": "List"}
