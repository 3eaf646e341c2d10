"""The statistics a dataset states about itself, held against its data: a policy is normalised by them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.info import why_no_json
from fieldloop.model.episode import Defect

CHECKED = ("min", "max", "count")
WHOLE = "meta/stats.json"
SLACK = 1e-4
"""Share of a value by which a stated extreme may differ: what rounding to float32 and back leaves, with room."""

EMPTY = np.empty(0)
Stats = Mapping[str, Mapping[str, NDArray[np.float64]]]
"""Feature → name of the statistic → one number a column."""


def read_whole(root: Path, defects: list[Defect]) -> Stats:
    """Read the statistics of the whole dataset; a missing or broken file is named."""
    path = root / WHOLE
    if not path.is_file():
        defects.append(Defect(WHOLE, "", "The file is missing; LeRobot normalises by it."))
        return {}
    try:
        raw = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as wrong:
        defects.append(Defect(WHOLE, "byte 0", why_no_json(path, wrong)))
        return {}
    return plain_stats(raw)


def plain_stats(raw: Any) -> Stats:
    """Take the extremes and counts out of a JSON object; what is no list of numbers is left out."""
    if not isinstance(raw, Mapping):
        return {}
    found = ((str(key), _numbers(row)) for key, row in raw.items() if isinstance(row, Mapping))
    return {key: row for key, row in found if row}


def against_data(stated: Stats, arrays: Mapping[str, NDArray[Any]], rows: int, place: str) -> Iterator[Defect]:
    """Compare an episode's own statistics with its rows: all at once, and one by one only where something is off."""
    keys = [key for key in stated if len(arrays.get(key, ())) and stated[key].keys() >= {"min", "max"}]
    said = [stated[key][name] for key in keys for name in ("min", "max")]
    really = [extreme for key in keys for extreme in _extremes(arrays[key])]
    names = [(key, name) for key in keys for name in ("min", "max")]
    fits = [one.shape == other.shape for one, other in zip(said, really, strict=True)]
    counts = np.asarray([stated[key]["count"].flat[0] for key in keys if stated[key].get("count", EMPTY).size == 1])
    if (
        all(fits)
        and (counts == rows).all()
        and (not said or _off(np.concatenate(said), np.concatenate(really)) is None)
    ):
        return
    for (key, name), stat, data, fit in zip(names, said, really, fits, strict=True):
        if fit and (column := _off(stat, data)) is not None:
            yield Defect(
                key, place,
                f"The stated {name} of column {column} is {stat[column]:.6g}, the data say {data[column]:.6g}.",
            )  # fmt: skip
    for key in keys:
        count = stated[key].get("count", EMPTY)
        if count.size == 1 and count.flat[0] != rows:
            yield Defect(key, place, f"Statistics were made of {count.flat[0]:g} frames, the table has {rows} rows.")


def outside_whole(whole: Stats, arrays: Mapping[str, NDArray[Any]], place: str) -> Iterator[Defect]:
    """Name values beyond the extremes that the dataset states for all its episodes."""
    for key, row in whole.items():
        values, low, high = arrays.get(key), row.get("min"), row.get("max")
        if values is None or not len(values) or low is None or high is None:
            continue
        least, most = (extreme.astype(np.float64) for extreme in _extremes(values))
        if not low.shape == high.shape == least.shape:
            continue
        slack = SLACK * np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
        wrong = np.flatnonzero((least < low - slack) | (most > high + slack))
        if len(wrong):
            c = int(wrong[0])
            yield Defect(
                key, place,
                f"Column {c} goes from {least[c]:.6g} to {most[c]:.6g}; {WHOLE} states {low[c]:.6g} to {high[c]:.6g}.",
            )  # fmt: skip


def across(whole: Stats, episodes: Mapping[str, Mapping[str, NDArray[np.float64]]]) -> Iterator[Defect]:
    """Compare the whole dataset's extremes with those of all its episodes, each n × columns."""
    for key, row in whole.items():
        for name, pick in (("min", np.min), ("max", np.max)):
            said, each = row.get(name), episodes.get(key, {}).get(name)
            if said is None or each is None or not len(each) or each.shape[1:] != said.shape:
                continue
            really = pick(each, axis=0)
            if (column := _off(said, really)) is not None:
                yield Defect(
                    WHOLE, f"{key}/{name}",
                    f"Column {column} is stated as {said[column]:.6g}, its episodes add up to {really[column]:.6g}.",
                )  # fmt: skip


def _numbers(row: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    found = {}
    for name in CHECKED:
        try:
            found[name] = np.atleast_1d(np.asarray(row[name], np.float64)).ravel()
        except (KeyError, ValueError, TypeError):
            continue
    return found


def _extremes(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the most of each column; along a row of memory that is three times as fast."""
    columns = np.ascontiguousarray(values.T)
    return columns.min(1), columns.max(1)


def _off(said: NDArray[Any], really: NDArray[Any]) -> int | None:
    """Return the first column where two numbers differ by more than rounding; NaN says nothing."""
    really = really.astype(np.float64)
    slack = SLACK * np.maximum(1.0, np.maximum(np.abs(said), np.abs(really)))
    wrong = np.flatnonzero(np.abs(said - really) > slack)
    return int(wrong[0]) if len(wrong) else None
