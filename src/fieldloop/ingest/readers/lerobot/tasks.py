"""The table of tasks: which text a task's number stands for."""

from pathlib import Path

from fieldloop.ingest.readers.lerobot.info import parse_whole_number, read_json_lines
from fieldloop.ingest.readers.lerobot.parquet_rows import read_columns
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

UNNAMED_INDEX = "__index_level_0__"


def read_tasks(root: Path, version: str, defects: list[Defect]) -> dict[int, str]:
    """Return number → text; a table that is missing or broken is named."""
    table = root / "meta/tasks.parquet"
    if version.startswith("v2") or (not table.is_file() and (root / "meta/tasks.jsonl").is_file()):
        rows = read_json_lines(root / "meta/tasks.jsonl", defects)
        pairs = [(row.get("task_index"), row.get("task")) for row in rows]
    else:
        path = root / "meta/tasks.parquet"
        if not path.is_file():
            defects.append(
                Defect("meta/tasks.parquet", "", note("ingest.file_missing", note("ingest.tasks_without_text")))
            )
            return {}
        columns = read_columns(path, "meta/tasks.parquet", defects)
        numbers = columns.get("task_index")
        texts = columns.get("task", columns.get(UNNAMED_INDEX))
        if numbers is None or texts is None:
            return {}
        pairs = list(zip(numbers.to_pylist(), texts.to_pylist(), strict=True))
    numbered = ((parse_whole_number(number), text) for number, text in pairs)
    return {number: text for number, text in numbered if number is not None and isinstance(text, str)}
