"""Measurements and telemetry as Parquet tables on the shelf: written once, read by column."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.episode import Blob
from fieldloop.store.contract import Shelf


def store_table(shelf: Shelf, columns: Mapping[str, Sequence[Any]]) -> tuple[Blob, int]:
    """Store a table given by columns; return its blob and the number of rows.

    >>> from fieldloop.store import open_shelf
    >>> shelf = open_shelf("memory://")
    >>> blob, rows = store_table(shelf, {"check": ["timing.jitter", "timing.gap"], "value": [0.2, None]})
    >>> rows, read_table(shelf, blob.sha256, ["value"])
    (2, {'value': [0.2, None]})
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise BadInput(f"The columns of a table must have equal lengths, not {lengths}.")
    try:
        table = pa.table({name: pa.array(values) for name, values in columns.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as wrong:
        raise BadInput(f"A column holds values of more than one type: {wrong}.") from wrong
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return shelf.put_bytes(sink.getvalue()), table.num_rows


def read_table(shelf: Shelf, sha256: str, columns: Sequence[str] | None = None) -> dict[str, list[Any]]:
    """Read a table as columns, all of them or the named ones."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = shelf.read(sha256)
    try:
        file = pq.ParquetFile(io.BytesIO(content))
    except pa.ArrowInvalid as wrong:
        raise BadInput(f"Blob {sha256} is not a Parquet table: {wrong}.") from wrong
    unknown = set(columns or ()) - set(file.schema_arrow.names)
    if unknown:
        raise BadInput(f"Blob {sha256} has no column {', '.join(sorted(unknown))}; it has {file.schema_arrow.names}.")
    read: dict[str, list[Any]] = file.read(columns=None if columns is None else list(columns)).to_pydict()
    return read
