"""Compare the declared columns with the columns that exist."""

from collections.abc import Iterator

from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Info
from fieldloop.ingest.readers.lerobot.parquet_rows import innermost_type
from fieldloop.ingest.readers.lerobot.shard import Shard
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

ARROW_NAMES = {"float": "float32", "double": "float64", "halffloat": "float16", "large_string": "string"}


def column_defects(info: Info, shard: Shard) -> Iterator[Defect]:
    """Report features without a column, and columns of another type or without a declaration."""
    if not info.declared:
        return
    for key, feature in info.features.items():
        if feature.dtype == "video":
            continue
        if key not in shard.schema.names:
            if key not in INDEX_COLUMNS:
                yield Defect(key, shard.name, note("ingest.declared_but_missing", part="feature", missing="column"))
            continue
        kind = str(innermost_type(shard.schema.field(key).type))
        kind = ARROW_NAMES.get(kind, kind)
        if feature.is_number and kind != feature.dtype:
            yield Defect(key, shard.name, note("ingest.column_type_differs", declared=feature.dtype, found=kind))
    for key in shard.schema.names:
        if key not in info.features and key not in INDEX_COLUMNS:
            yield Defect(key, shard.name, note("ingest.column_not_declared"))
