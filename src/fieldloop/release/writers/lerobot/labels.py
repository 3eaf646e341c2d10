"""Write labels into a LeRobot dataset that we wrote: its language columns and SARM's columns."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.annotation import Annotation

PERSISTENT, EVENTS = "language_persistent", "language_events"
LEVELS = {"phase": "dense", "action": "sparse"}
"""Kinds that a dataset can hold, and SARM's name for each."""
STAMPS = "capture_ns"


@dataclass(frozen=True, slots=True)
class LabelsWritten:
    """How many labels a dataset holds now, which kinds it cannot hold, and how many gaps its language columns hide."""

    episodes: int
    labels: int
    kinds_left_out: tuple[str, ...]
    gaps: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A label on the rows of its episode; `last` is part of it."""

    kind: str
    label: str
    first: int
    last: int


def write_lerobot_labels(folder: Path, labels: Mapping[str, Sequence[Annotation]], fps: float) -> LabelsWritten:
    """Add labels to a dataset; each file is replaced whole.

    Arguments:
        folder: a dataset that `write_lerobot` wrote
        labels: for the id of each episode, its labels; those of one kind may not overlap
        fps: the dataset's frame rate
    """
    episodes = _list_episodes(folder)
    placed: dict[int, list[Placed]] = {}
    for path in sorted((folder / "data").rglob("*.parquet")):
        placed |= _write_language(path, {n: labels.get(uid, ()) for n, uid in episodes.items()}, fps)
    _write_sarm(folder, placed, fps)
    _describe_columns(folder / "meta" / "info.json")
    kinds = {a.kind for several in labels.values() for a in several}
    return LabelsWritten(
        sum(bool(each) for each in placed.values()),
        sum(map(len, placed.values())),
        tuple(sorted(kinds - LEVELS.keys())),
        sum(_count_gaps(each) for each in placed.values()),
    )


def _list_episodes(folder: Path) -> dict[int, str]:
    import pyarrow.parquet as pq

    found: dict[int, str] = {}
    for path in sorted((folder / "meta" / "episodes").rglob("*.parquet")):
        table = pq.read_table(path, columns=["episode_index", "uid"])
        found |= dict(zip(table["episode_index"].to_pylist(), table["uid"].to_pylist(), strict=True))
    return found


def place_labels(labels: Sequence[Annotation], stamps_ns: Any) -> list[Placed]:
    """Put labels on rows: each begins at the first row at or after its start; one without a row is left out.

    >>> spans = [Annotation("e", "phase", "lift", 5, 21, "ann"), Annotation("e", "phase", "move", 21, 22, "ann")]
    >>> place_labels(spans, np.array([0, 10, 20, 30]))
    [Placed(kind='phase', label='lift', first=1, last=2)]
    """
    placed = []
    for a in sorted(labels, key=lambda a: (a.kind, a.start_ns)):
        first, beyond = (int(n) for n in np.searchsorted(stamps_ns, (a.start_ns, a.end_ns)))
        if a.kind in LEVELS and beyond > first:
            placed.append(Placed(a.kind, a.label, first, beyond - 1))
    return placed


def _write_language(path: Path, labels: Mapping[int, Sequence[Annotation]], fps: float) -> dict[int, list[Placed]]:
    """Add both language columns to a file, one row group for each episode, as it was."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    placed: dict[int, list[Placed]] = {}
    part = path.with_suffix(".part")
    with pq.ParquetFile(path) as file:
        if STAMPS not in file.schema_arrow.names:
            raise BadInput(f"{path.name} has no column {STAMPS}, so labels cannot be put on its rows.")
        kept = [name for name in file.schema_arrow.names if name not in (PERSISTENT, EVENTS)]
        fields = [file.schema_arrow.field(name) for name in kept]
        schema = pa.schema([*fields, (PERSISTENT, _make_type(stamped=True)), (EVENTS, _make_type(stamped=False))])
        schema = schema.with_metadata(_drop_features(file.schema_arrow.metadata))
        with pq.ParquetWriter(part, schema, compression="snappy") as out:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=kept, use_threads=False)
                number = table["episode_index"].to_numpy().reshape(-1)
                stamps = _read_grid(table[STAMPS])
                rows: list[list[dict[str, Any]]] = [[]] * len(number)
                for index in dict.fromkeys(number.tolist()):
                    held = np.flatnonzero(number == index)
                    placed[index] = place_labels(labels.get(index, ()), stamps[held])
                    atoms = _make_atoms(placed[index], fps)
                    for row in held:
                        rows[row] = atoms
                persistent = pa.array(rows, _make_type(stamped=True))
                events = pa.array([[]] * len(number), _make_type(stamped=False))
                columns = [*(table[name] for name in kept), persistent, events]
                out.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=max(1, table.num_rows))
    part.replace(path)
    return placed


def _read_grid(column: Any) -> Any:
    """Return the time of each row; where streams have stamps of their own, the grid's come first."""
    import pyarrow as pa

    whole = column.combine_chunks()
    if not pa.types.is_fixed_size_list(whole.type):
        return whole.to_numpy()
    return whole.flatten().to_numpy().reshape(len(whole), -1)[:, 0]


def _drop_features(metadata: Any) -> dict[bytes, bytes]:
    """Leave out the stored description of columns: it does not name the new ones."""
    return {key: value for key, value in (metadata or {}).items() if key != b"huggingface"}


def _make_type(*, stamped: bool) -> Any:
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("role", "content", "style")]
    stamp = [("timestamp", pa.float32())] if stamped else []
    return pa.list_(pa.struct([*texts, *stamp, ("camera", pa.string()), ("tool_calls", pa.list_(pa.string()))]))


def _make_atoms(placed: Sequence[Placed], fps: float) -> list[dict[str, Any]]:
    """Return the rows that state the subtasks: phases; without any, actions."""
    kinds = {each.kind for each in placed}
    shown = "phase" if "phase" in kinds else "action"
    return [
        {
            "role": "assistant", "content": each.label, "style": "subtask",
            "timestamp": np.float32(each.first / fps), "camera": None, "tool_calls": None,
        }
        for each in placed
        if each.kind == shown
    ]  # fmt: skip


def _write_sarm(folder: Path, placed: Mapping[int, Sequence[Placed]], fps: float) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    levels = {LEVELS[each.kind] for several in placed.values() for each in several}
    for path in sorted((folder / "meta" / "episodes").rglob("*.parquet")):
        table = pq.read_table(path, use_threads=False)
        numbers = table["episode_index"].to_pylist()
        for level in sorted(levels):
            rows = [[p for p in placed.get(n, ()) if LEVELS[p.kind] == level] for n in numbers]
            parts = {
                "names": ([[p.label for p in row] for row in rows], pa.string()),
                "start_times": ([[p.first / fps for p in row] for row in rows], pa.float64()),
                "end_times": ([[(p.last + 1) / fps for p in row] for row in rows], pa.float64()),
                "start_frames": ([[p.first for p in row] for row in rows], pa.int64()),
                "end_frames": ([[p.last for p in row] for row in rows], pa.int64()),
            }
            for part, (values, kind) in parts.items():
                table = table.append_column(f"{level}_subtask_{part}", pa.array(values, pa.list_(kind)))
        part_file = path.with_suffix(".part")
        pq.write_table(table, part_file, compression="snappy")
        part_file.replace(path)
    for level in sorted(levels):
        shares = compute_proportions([[p for p in row if LEVELS[p.kind] == level] for row in placed.values()])
        text = json.dumps(shares, indent=2, ensure_ascii=False)
        (folder / "meta" / f"temporal_proportions_{level}.json").write_text(text, encoding="utf-8")


def compute_proportions(episodes: Sequence[Sequence[Placed]]) -> dict[str, float]:
    """Return the mean share of each label's time over the episodes that have it, scaled to 1 (SARM, formula 1).

    >>> compute_proportions([[Placed("phase", "lift", 0, 2), Placed("phase", "move", 3, 3)]])
    {'lift': 0.75, 'move': 0.25}
    """
    shares: dict[str, list[float]] = {}
    for row in episodes:
        whole = sum(p.last - p.first + 1 for p in row)
        frames: dict[str, int] = {}
        for p in row:
            frames[p.label] = frames.get(p.label, 0) + p.last - p.first + 1
        for label, count in frames.items():
            shares.setdefault(label, []).append(count / whole)
    means = {label: sum(each) / len(each) for label, each in shares.items()}
    total = sum(means.values())
    return {label: mean / total for label, mean in means.items()}


def _describe_columns(path: Path) -> None:
    info = json.loads(path.read_text(encoding="utf-8"))
    for name in (PERSISTENT, EVENTS):
        info["features"][name] = {"dtype": "language", "shape": [1], "names": None}
    path.write_text(json.dumps(info, indent=4, ensure_ascii=False), encoding="utf-8")


def _count_gaps(placed: Sequence[Placed]) -> int:
    """Count phases that end before the next begins: the language columns let them last until then."""
    phases = [p for p in placed if p.kind == "phase"]
    return sum(after.first > before.last + 1 for before, after in pairwise(phases))
