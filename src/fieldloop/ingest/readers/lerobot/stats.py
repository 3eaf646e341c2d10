"""Compare the statistics a dataset states with its data: policies are normalised by them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.info import explain_invalid_json
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note

CHECKED = ("min", "max", "count")
WHOLE = "meta/stats.json"
SLACK = 1e-4
"""Share of a value by which a stated extreme may differ: what rounding to float32 and back leaves, with room."""

EMPTY = np.empty(0)
Stats = Mapping[str, Mapping[str, NDArray[np.float64]]]
"""Feature → name of the statistic → one number a column."""


def read_dataset_stats(root: Path, defects: list[Defect]) -> Stats:
    """Read the statistics of the whole dataset; a missing or broken file is named."""
    path = root / WHOLE
    if not path.is_file():
        defects.append(Defect(WHOLE, "", note("ingest.file_missing", note("ingest.needed_to_normalise"))))
        return {}
    try:
        raw = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as wrong:
        defects.append(Defect.from_place(WHOLE, "byte", 0, explain_invalid_json(path, wrong)))
        return {}
    return parse_stats(raw)


def parse_stats(raw: Any) -> Stats:
    """Take the extremes and counts out of a JSON object; anything but lists of numbers is left out."""
    if not isinstance(raw, Mapping):
        return {}
    found = ((str(key), _parse_numbers(row)) for key, row in raw.items() if isinstance(row, Mapping))
    return {key: row for key, row in found if row}


def compare_episode_stats(
    stated_stats: Stats, arrays: Mapping[str, NDArray[Any]], rows: int, episode: int
) -> Iterator[Defect]:
    """Compare an episode's own statistics with its rows: all at once, and one by one only where something is off."""
    keys = [key for key in stated_stats if len(arrays.get(key, ())) and stated_stats[key].keys() >= {"min", "max"}]
    declared = [stated_stats[key][name] for key in keys for name in ("min", "max")]
    really = [extreme for key in keys for extreme in _compute_extremes(arrays[key])]
    names = [(key, name) for key in keys for name in ("min", "max")]
    fits = [one.shape == other.shape for one, other in zip(declared, really, strict=True)]
    counts = np.asarray(
        [stated_stats[key]["count"].flat[0] for key in keys if stated_stats[key].get("count", EMPTY).size == 1]
    )
    if (
        all(fits)
        and (counts == rows).all()
        and (not declared or _find_differing_column(np.concatenate(declared), np.concatenate(really)) is None)
    ):
        return
    for (key, name), stat, data, fit in zip(names, declared, really, fits, strict=True):
        if fit and (column := _find_differing_column(stat, data)) is not None:
            message = note(
                "ingest.statistic_differs", statistic=name, column=column, stated=float(stat[column]),
                found=float(data[column]),
            )  # fmt: skip
            yield Defect.from_place(key, "episode", episode, message, _judge_extreme_harm(name, stat, data))
    for key in keys:
        count = stated_stats[key].get("count", EMPTY)
        if count.size == 1 and count.flat[0] != rows:
            message = note("ingest.statistics_of_other_rows", frames=int(count.flat[0]), rows=rows)
            yield Defect.from_place(key, "episode", episode, message, Harm.HARMLESS)


def find_out_of_range_values(
    dataset_stats: Stats, arrays: Mapping[str, NDArray[Any]], episode: int
) -> Iterator[Defect]:
    """Report values beyond the extremes that the dataset states for all its episodes."""
    for key, row in dataset_stats.items():
        values, low, high = arrays.get(key), row.get("min"), row.get("max")
        if values is None or not len(values) or low is None or high is None:
            continue
        least, most = (extreme.astype(np.float64) for extreme in _compute_extremes(values))
        if not low.shape == high.shape == least.shape:
            continue
        slack = SLACK * np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
        wrong = np.flatnonzero((least < low - slack) | (most > high + slack))
        if len(wrong):
            c = int(wrong[0])
            message = note(
                "ingest.values_outside_statistics", column=c, low=float(least[c]), high=float(most[c]),
                stated_low=float(low[c]), stated_high=float(high[c]),
            )  # fmt: skip
            yield Defect.from_place(key, "episode", episode, message, Harm.MISLEADS)


def compare_dataset_stats(
    dataset_stats: Stats, episode_stats: Mapping[str, Mapping[str, NDArray[np.float64]]]
) -> Iterator[Defect]:
    """Compare the whole dataset's extremes with those of all its episodes, each n × columns."""
    for key, row in dataset_stats.items():
        for name, pick in (("min", np.min), ("max", np.max)):
            declared, each = row.get(name), episode_stats.get(key, {}).get(name)
            if declared is None or each is None or not len(each) or each.shape[1:] != declared.shape:
                continue
            really = pick(each, axis=0)
            if (column := _find_differing_column(declared, really)) is not None:
                message = note(
                    "ingest.statistic_differs", statistic=name, column=column, stated=float(declared[column]),
                    found=float(really[column]),
                )  # fmt: skip
                yield Defect(WHOLE, f"{key}/{name}", message, _judge_extreme_harm(name, declared, really))


def _judge_extreme_harm(name: str, stated: NDArray[Any], found: NDArray[Any]) -> Harm:
    """A stated range that holds all the data normalises them into its bounds; one that is narrower does not."""
    slack = SLACK * np.maximum(1.0, np.abs(found.astype(np.float64)))
    narrower = stated > found + slack if name == "min" else stated < found - slack
    return Harm.MISLEADS if narrower.any() else Harm.HARMLESS


def _parse_numbers(row: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    numbers = {}
    for name in CHECKED:
        try:
            numbers[name] = np.atleast_1d(np.asarray(row[name], np.float64)).ravel()
        except (KeyError, ValueError, TypeError):
            continue
    return numbers


def _compute_extremes(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the most of each column; along a row of memory that is three times as fast."""
    columns = np.ascontiguousarray(values.T)
    return columns.min(1), columns.max(1)


def _find_differing_column(declared: NDArray[Any], measured: NDArray[Any]) -> int | None:
    """Return the first column where two numbers differ by more than rounding; NaN is ignored."""
    measured = measured.astype(np.float64)
    slack = SLACK * np.maximum(1.0, np.maximum(np.abs(declared), np.abs(measured)))
    wrong = np.flatnonzero(np.abs(declared - measured) > slack)
    return int(wrong[0]) if len(wrong) else None
