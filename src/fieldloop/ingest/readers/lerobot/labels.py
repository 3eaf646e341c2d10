"""Labels inside a LeRobot dataset, in its three forms: language columns, SARM's columns, and the older table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.ingest.readers.lerobot.parquet_rows import get_columns_by_name

LANGUAGE = "language_persistent"
SUBTASK = "subtask"
LEVELS = {"dense": "phase", "sparse": "action", "": "phase"}
"""SARM's levels, and the kind of label each becomes; the oldest files have no level."""


class Form(StrEnum):
    """How a dataset holds labels."""

    LANGUAGE = "language columns"
    SARM = "SARM columns"
    LEGACY = "subtasks.parquet"


@dataclass(frozen=True, slots=True)
class DatasetLabel:
    """One label of one episode of a dataset, in seconds from the episode's first row."""

    form: Form
    episode_index: int
    name: str
    uid: str
    kind: str
    label: str
    start_s: float
    end_s: float


def is_lerobot_folder(folder: Path) -> bool:
    """Is it the folder of a LeRobot dataset?"""
    return (folder / "meta" / "info.json").is_file()


def read_lerobot_labels(root: Path) -> list[DatasetLabel]:
    """Read every label of a dataset; empty where it holds none.

    A subtask of the language columns, and one of the older table, holds until the next begins or the episode ends.
    """
    episodes = {row["episode_index"]: row for row in _read_listing(root)}
    found = list(_read_sarm(episodes.values()))
    subtasks = _read_subtasks(root / "meta" / "subtasks.parquet")
    for path in sorted((root / "data").rglob("*.parquet")):
        found += _read_data_file(path, episodes, subtasks)
    return found


def _read_listing(root: Path) -> Iterator[dict[str, Any]]:
    wanted = ("episode_index", "name", "uid", "length")
    for path in sorted((root / "meta" / "episodes").rglob("*.parquet")):
        table = _read_table(path, lambda name: name in wanted or "subtask" in name)
        yield from table.to_pylist()


def _read_table(path: Path, is_wanted: Any) -> Any:
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        with pq.ParquetFile(path) as file:
            return file.read(columns=[name for name in file.schema_arrow.names if is_wanted(name)], use_threads=False)
    except (ArrowException, OSError, ValueError) as wrong:
        raise BadInput(f"{path} cannot be read: {wrong}.") from wrong


def _read_sarm(rows: Any) -> Iterator[DatasetLabel]:
    for row in rows:
        for level, kind in LEVELS.items():
            stem = f"{level}_subtask" if level else "subtask"
            if not level and row.get("sparse_subtask_names"):
                continue  # SARM repeats the sparse level under the older names
            names, starts, ends = (row.get(f"{stem}_{part}") for part in ("names", "start_times", "end_times"))
            if not names:
                continue
            if starts is None or ends is None or not len(names) == len(starts) == len(ends):
                raise BadInput(
                    f"Episode {row['episode_index']}: {stem}_names, _start_times and _end_times differ in length."
                )
            for name, start, end in zip(names, starts, ends, strict=True):
                yield _make_label(Form.SARM, row, kind, name, float(start), float(end))


def _make_label(form: Form, row: Mapping[str, Any], kind: str, label: str, start: float, end: float) -> DatasetLabel:
    index = int(row["episode_index"])
    name = row.get("name") or f"episode_{index:06d}"
    return DatasetLabel(form, index, name, row.get("uid") or "", kind, label, start, end)


def _read_subtasks(path: Path) -> dict[int, str]:
    """Return the name of each number; the names are the table's index, or a column."""
    if not path.is_file():
        return {}
    rows = _read_table(path, lambda _: True).to_pylist()
    names = [key for key in (rows[0] if rows else {}) if key != "subtask_index"]
    if not names or "subtask_index" not in rows[0]:
        raise BadInput(f"{path} has no names beside subtask_index.")
    return {int(row["subtask_index"]): str(row[names[0]]) for row in rows}


def _read_data_file(
    path: Path, episodes: Mapping[int, Mapping[str, Any]], subtasks: Mapping[int, str]
) -> Iterator[DatasetLabel]:
    wanted = ("episode_index", "timestamp", LANGUAGE, *(("subtask_index",) if subtasks else ()))
    table = _read_table(path, lambda name: name in wanted)
    columns = get_columns_by_name(table)
    if "episode_index" not in columns or "timestamp" not in columns or len(columns) == len(wanted[:2]):
        return
    number = columns["episode_index"].to_numpy().reshape(-1)
    times = columns["timestamp"].to_numpy().reshape(-1).astype(float)
    firsts = np.flatnonzero(np.append(True, number[1:] != number[:-1])) if len(number) else np.zeros(0, int)
    for first, last in zip(firsts, np.append(firsts[1:], len(number)), strict=True):
        index = int(number[first])
        row = episodes.get(index, {"episode_index": index})
        steps = times[first:last]
        end = float(steps[-1] + (steps[-1] - steps[0]) / max(len(steps) - 1, 1))
        if LANGUAGE in columns:
            yield from _read_language(columns[LANGUAGE][int(first)].as_py() or [], row, end)
        if "subtask_index" in columns:
            yield from _read_numbers(columns["subtask_index"].to_numpy()[first:last], steps, subtasks, row, end)


def _read_language(atoms: Sequence[Mapping[str, Any]], row: Mapping[str, Any], end: float) -> Iterator[DatasetLabel]:
    begun = sorted((a for a in atoms if a["style"] == SUBTASK and a["content"]), key=lambda a: a["timestamp"])
    starts = [float(atom["timestamp"]) for atom in begun]
    for atom, start, until in zip(begun, starts, [*starts, end][1:], strict=True):
        yield _make_label(Form.LANGUAGE, row, "phase", atom["content"], start, until)


def _read_numbers(
    numbers: Any, times: Any, subtasks: Mapping[int, str], row: Mapping[str, Any], end: float
) -> Iterator[DatasetLabel]:
    firsts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
    for first, last in zip(firsts, np.append(firsts[1:], len(numbers)), strict=True):
        name = subtasks.get(int(numbers[first]))
        if name is not None:  # −1 stands for none
            until = float(times[last]) if last < len(times) else end
            yield _make_label(Form.LEGACY, row, "phase", name, float(times[first]), until)
