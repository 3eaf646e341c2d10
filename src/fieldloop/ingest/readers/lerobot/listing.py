"""The table of episodes of a v3.0 dataset, read column by column."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Info, parse_whole_number
from fieldloop.ingest.readers.lerobot.parquet_rows import convert_to_array, read_columns
from fieldloop.ingest.readers.lerobot.stats import CHECKED, Stats
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note

EPISODES = "meta/episodes"
STATS = "stats/"
ROUNDING_S = 1e-3
"""Where no frame rate is stated: by less than this, stretches only seem to overlap."""


@dataclass(slots=True, eq=False)
class Listing:
    """One row an episode, and each feature's statistics as arrays of all episodes."""

    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    stats: list[tuple[range, dict[str, dict[str, NDArray[np.float64]]]]] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=dict)

    def get_episode_stats(self, index: int) -> Stats:
        """Return one episode's statistics."""
        at = self.place.get(index, -1)
        for span, table in self.stats:
            if at in span:
                return {k: {n: values[at - span.start] for n, values in row.items()} for k, row in table.items()}
        return {}

    def get_all_stats(self) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Return the statistics of all episodes, n × columns; only what every part of the table holds."""
        if len(self.stats) == 1:
            return self.stats[0][1]
        together: dict[str, dict[str, NDArray[np.float64]]] = {}
        for key, row in self.stats[0][1].items() if self.stats else ():
            for name in row:
                parts = [table.get(key, {}).get(name) for _, table in self.stats]
                shapes = {None if part is None else part.shape[1:] for part in parts}
                if len(shapes) == 1 and None not in shapes:
                    together.setdefault(key, {})[name] = np.concatenate([p for p in parts if p is not None])
        return together


def read_listing(root: Path, info: Info, defects: list[Defect], *, stats: bool = True) -> Listing:
    """Read every file of the table, with or without statistics; a row listed twice or without a number is named."""
    listing = Listing()
    files = sorted((root / EPISODES).rglob("*.parquet"))
    if not files:
        defects.append(Defect(EPISODES, "", note("ingest.episode_table_missing")))
    wanted = {f"{STATS}{key}/{name}" for key in _list_checked_features(info) for name in CHECKED if stats}
    number, repeated, contradicting = 0, 0, 0
    for path in files:
        columns = read_columns(
            path, path.relative_to(root).as_posix(), defects, lambda c: not c.startswith(STATS) or c in wanted
        )
        plain = {name: column.to_pylist() for name, column in columns.items() if not name.startswith(STATS)}
        count = len(next(iter(columns.values()))) if columns else 0
        listing.stats.append((range(number, number + count), _extract_stats(columns)))
        for place, values in enumerate(zip(*plain.values(), strict=True), number):
            row = dict(zip(plain, values, strict=True))
            index = parse_whole_number(stated := row.get("episode_index"))
            if index is None:
                message = note("ingest.episode_without_index", episode=stated)
                defects.append(Defect(EPISODES, f"episode {stated}", message))
            elif index in listing.rows:
                repeated += 1
                contradicting += _rows_contradict(row, listing.rows[index])
            else:
                listing.rows[index], listing.place[index] = row, place
        number += count
    if repeated:
        message = note("ingest.episodes_listed_twice", count=repeated, contradicting=contradicting)
        defects.append(Defect(EPISODES, "", message, Harm.MISLEADS))
    return listing


def _rows_contradict(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Do two lines about one episode contradict each other in what both state?"""
    return any(row[key] != other[key] for key in row.keys() & other.keys())


def _list_checked_features(info: Info) -> Iterator[str]:
    """Yield the features whose statistics are checked; frame numbers are never normalised."""
    return (key for key, feature in info.features.items() if feature.is_number and key not in INDEX_COLUMNS)


def find_overlap_defects(
    rows: Mapping[int, Mapping[str, Any]], cameras: tuple[str, ...], fps: float | None
) -> Iterator[Defect]:
    """Report spans of a video that two episodes claim."""
    half_s = 0.5 / fps if fps else ROUNDING_S
    for key in cameras:
        names = [f"videos/{key}/{n}" for n in ("chunk_index", "file_index", "from_timestamp", "to_timestamp")]
        claims: list[tuple[Any, ...]] = [(*(row.get(name) for name in names), index) for index, row in rows.items()]
        spans = sorted(claim for claim in claims if all(isinstance(part, int | float) for part in claim))
        for (chunk, file, _, end, index), (*same, start, _, other) in pairwise(spans):
            if same == [chunk, file] and start < end - half_s:
                message = note("ingest.video_spans_overlap", start_s=start, other=index, end_s=end)
                yield Defect.from_place(key, "episode", other, message, Harm.MISLEADS)


def _extract_stats(columns: Mapping[str, Any]) -> dict[str, dict[str, NDArray[np.float64]]]:
    stats: dict[str, dict[str, NDArray[np.float64]]] = {}
    for column, cells in columns.items():
        if not column.startswith(STATS):
            continue
        key, _, name = column.removeprefix(STATS).rpartition("/")
        try:
            stats.setdefault(key, {})[name] = convert_to_array(cells).astype(np.float64)
        except ValueError:  # rows that are null or differ in length: nothing to compare the data with
            continue
    return stats
