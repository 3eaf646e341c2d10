"""Compare the declared columns with the columns that exist."""

from collections.abc import Iterator

from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Info
from fieldloop.ingest.readers.lerobot.parquet_rows import find_column_field, find_innermost_type
from fieldloop.ingest.readers.lerobot.shard import Shard
from fieldloop.ingest.readers.lerobot.tasks import UNNAMED_INDEX
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note

KNOWN = (*INDEX_COLUMNS, UNNAMED_INDEX)
NOT_NEEDED = ("index", "task_index", "frame_index", "episode_index")
"""Columns that the reader counts or looks up by itself."""

ARROW_NAMES = {"float": "float32", "double": "float64", "halffloat": "float16", "large_string": "string"}


def find_column_defects(info: Info, shard: Shard) -> Iterator[Defect]:
    """Report features without a column, and columns of another type or without a declaration."""
    if not info.has_declared_features:
        return
    there = dict.fromkeys(shard.schema.names)
    wanted = [key for key, feature in info.features.items() if feature.dtype != "video"]
    if missing := tuple(key for key in wanted if key not in there and key not in NOT_NEEDED):
        yield Defect(missing[0], shard.name, note("ingest.columns_missing", columns=missing))
    for key in (key for key in wanted if key in there):
        kind = str(find_innermost_type(find_column_field(shard.schema, key).type))
        kind = ARROW_NAMES.get(kind, kind)
        if info.features[key].is_number and kind != info.features[key].dtype:
            message = note("ingest.column_type_differs", declared=info.features[key].dtype, found=kind)
            yield Defect(key, shard.name, message, Harm.HARMLESS)
    if strange := tuple(key for key in there if key not in info.features and key not in KNOWN):
        refuses = info.version.startswith("v3")  # earlier versions take every column that the files hold
        message = note("ingest.columns_not_declared", columns=strange, refuses="LeRobot" if refuses else None)
        yield Defect(strange[0], shard.name, message, Harm.MISLEADS if refuses else Harm.HARMLESS)
