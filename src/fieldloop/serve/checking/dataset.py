"""The facts of a LeRobot dataset that a policy must agree with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

PICTURES = ("image", "video")
PICTURE_AXES = 3
CHANNEL_NAMES = ("channel", "channels", "c")


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """Features with their shapes (pictures as CHW), the names of their values, statistics, and the rate."""

    name: str
    fps: float | None
    shapes: Mapping[str, tuple[int, ...]]
    pictures: frozenset[str]
    names: Mapping[str, tuple[str, ...]]
    statistics: Mapping[str, Mapping[str, NDArray[np.float64]]]


def read_info(info: Mapping[str, Any], statistics: Mapping[str, Any], where: str) -> DatasetFacts:
    """Read meta/info.json and meta/stats.json of a LeRobot dataset, versions 2.0 to 3.0."""
    features = info.get("features")
    if not isinstance(features, Mapping):
        raise BadInput(f"{where}: meta/info.json lists no features.")
    rate = info.get("fps")
    pictures = {key for key, row in features.items() if isinstance(row, Mapping) and row.get("dtype") in PICTURES}
    try:
        shapes = {key: _read_shape(row, picture=key in pictures) for key, row in features.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise BadInput(f"{where}: meta/info.json holds a feature that cannot be read ({wrong}).") from wrong
    return DatasetFacts(
        where,
        float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) and rate > 0 else None,
        shapes,
        frozenset(pictures),
        {key: names for key, row in features.items() if (names := _read_names(row.get("names"), shapes[key]))},
        {key: found for key, rows in statistics.items() if (found := _read_statistics(rows))},
    )


def _read_shape(row: Mapping[str, Any], *, picture: bool) -> tuple[int, ...]:
    shape = tuple(int(n) for n in row["shape"])
    names = row.get("names")
    if picture and len(shape) == PICTURE_AXES and isinstance(names, list) and names[-1] in CHANNEL_NAMES:
        return (shape[2], shape[0], shape[1])
    if picture and len(shape) == PICTURE_AXES and not names and shape[2] in (1, 3, 4):
        return (shape[2], shape[0], shape[1])
    return shape


def _read_names(stated: Any, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of the values of one axis: a list, a list in a list, or a map with one list.

    >>> _read_names({"motors": ["a", "b"]}, (2,)), _read_names([["a", "b"]], (2,)), _read_names(["a"], (2,))
    (('a', 'b'), ('a', 'b'), ())
    """
    if isinstance(stated, Mapping) and len(stated) == 1:
        stated = next(iter(stated.values()))
    if isinstance(stated, list) and len(stated) == 1 and isinstance(stated[0], list):
        stated = stated[0]
    if not isinstance(stated, list) or not all(isinstance(name, str) for name in stated):
        return ()
    return tuple(stated) if shape == (len(stated),) and len(set(stated)) == len(stated) else ()


def _read_statistics(rows: Any) -> dict[str, NDArray[np.float64]]:
    if not isinstance(rows, Mapping):
        return {}
    found = {}
    for name, values in rows.items():
        try:
            found[str(name)] = np.asarray(values, np.float64)
        except (TypeError, ValueError):
            continue  # counts and nested forms are not compared
    return found
