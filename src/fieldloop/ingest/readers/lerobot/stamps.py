"""Which columns of a dataset are stamps, and whose: what was really measured is told from what was made up."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Info
from fieldloop.model.stream import NS_PER_S, ClockKind

CAPTURE = "capture_ns"
"""The feature in which a fieldloop release keeps real stamps: one column a stream, the first is the frame grid."""

NAMED = re.compile(
    r"(?P<owner>.*?)[._]?(?:(?:capture|sensor|device|hardware|header|system|ros|frame)[._]?)?"
    r"(?P<word>time_?stamps?|stamps?)?(?:_(?P<unit>ns|us|ms|s|sec))?"
)
UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": NS_PER_S, "sec": NS_PER_S}
SINCE_1970 = (("ns", 1e17), ("us", 1e14), ("ms", 1e11), ("s", 1e8))
"""A stamp of this century is at least so large when counted in this unit."""

EVERY_ROW = {"", "observation", "row", "record"}
CLOCK_VALUES = {clock.value: clock for clock in ClockKind}
FEWEST = 3
MADE_UP_NS = 1_000
FARTHEST_RATE = 5.0
Times = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Stamped:
    """Stamps of one stream, by which clock, and where they were found."""

    times_ns: Times
    clock: ClockKind
    note: str = ""


@dataclass(slots=True, eq=False)
class Stamps:
    """Real stamps by feature, those of every row, and the columns that hold them."""

    of: dict[str, Stamped] = field(default_factory=dict)
    rows: Stamped | None = None
    columns: set[str] = field(default_factory=set)

    def clocks(self, feature: str) -> tuple[dict[ClockKind, Times], dict[str, str]]:
        """Return the clock that was kept for a feature, and a note on where it is from."""
        found = self.of.get(feature) or self.rows
        if found is None:
            return {}, {}
        return {found.clock: found.times_ns}, {"stamps": found.note} if found.note else {}


class StampColumns:
    """A dataset's stamp columns by name, told once; whether they hold stamps is seen in every episode's rows."""

    def __init__(self, info: Info) -> None:
        self._info = info
        self._ours = dict(_kept(info)) if CAPTURE in info.features else {}
        self._owners: dict[str, tuple[str, str | None] | None] = {}

    def find(self, arrays: Mapping[str, NDArray[Any]]) -> Stamps:
        """Find a release's own capture stamps, then other people's columns that plainly are stamps."""
        stamps = Stamps()
        if CAPTURE in arrays:
            stamps.columns.add(CAPTURE)
            values = arrays[CAPTURE]
            if values.shape[1] == len(self._info.features[CAPTURE].names if self._ours else ()):
                columns = [np.ascontiguousarray(column, np.int64) for column in values.T]
                stamps.of = {key: Stamped(columns[place], clock) for key, (place, clock) in self._ours.items()}
        for key, values in arrays.items():
            if key not in self._owners:
                self._owners[key] = self._owner(key)
            owned = self._owners[key]
            times = None if owned is None else _nanoseconds(values, owned[1], self._info.fps)
            if owned is None or times is None:
                continue
            found = Stamped(times, ClockKind.HEADER, f"stamps are those of column {key}")
            if owned[0]:
                stamps.of[owned[0]] = found
            else:
                stamps.rows = found
            stamps.columns.add(key)
        return stamps

    def _owner(self, key: str) -> tuple[str, str | None] | None:
        """Return the feature that a stamp column speaks of and its unit; '' for every row, None for other columns."""
        named = NAMED.fullmatch(key)
        if key in INDEX_COLUMNS or key == CAPTURE or named is None or (not named["word"] and named["unit"] != "ns"):
            return None
        words, features = named["owner"], self._info.features
        if words in features:
            return words, named["unit"]
        short = words.removeprefix("observation.").removeprefix("images.")
        if short in EVERY_ROW:
            return "", named["unit"]
        ends = [k for k in features if k != key and (k.endswith(f".{short}") or k == short)]
        return (ends[0], named["unit"]) if len(ends) == 1 else None


def _kept(info: Info) -> Iterator[tuple[str, tuple[int, ClockKind]]]:
    """Yield feature → its column of `capture_ns` and which clock that was; rows without one stand on the grid."""
    names = info.features[CAPTURE].names
    grid = names[0] if names else ""
    for key, feature in info.features.items():
        stream = str(feature.info.get("stream") or "")
        name = next((n for n in (stream, _camera(key), grid) if n in names), None)
        stated = str(feature.info.get("clock") or "")
        clock = CLOCK_VALUES.get(stated, ClockKind.HEADER)
        if name is not None:
            yield key, (names.index(name), clock)


def _camera(key: str) -> str:
    return f"camera/{key.removeprefix('observation.images.').removeprefix('observation.')}"


def _nanoseconds(values: NDArray[Any], unit: str | None, fps: float | None) -> Times | None:
    """Count in nanoseconds; None where these are no stamps: not one a row, not rising, at no rate of this dataset."""
    if values.shape[1] != 1 or len(values) < FEWEST or values.dtype not in (np.int64, np.uint64, np.float64):
        return None
    column = values[:, 0]
    if not np.isfinite(column).all() or np.abs(column).max() >= 1 << 62:
        return None
    for scale in _scales(column, unit):
        if np.abs(column).max() * float(scale) >= 1 << 62:
            continue
        exact = column.astype(np.int64) * scale if column.dtype.kind in "iu" else np.round(column * float(scale))
        times: Times = exact.astype(np.int64)
        steps = np.diff(times)
        span = int(times[-1]) - int(times[0])
        if (steps < 0).any() or span <= 0:
            continue
        rate = len(steps) * NS_PER_S / span
        near = 1 / FARTHEST_RATE <= rate / fps <= FARTHEST_RATE if fps else FARTHEST_RATE**-2 <= rate <= NS_PER_S / 1e5
        if near and not _made_up(times, fps):
            return times
    return None


def _scales(column: NDArray[Any], unit: str | None) -> Iterator[int]:
    if unit:
        yield UNITS[unit]
        return
    middle = float(np.median(column))
    epoch = next((name for name, least in SINCE_1970 if middle >= least), None)
    if epoch:
        yield UNITS[epoch]
        return
    yield from (NS_PER_S,) if column.dtype.kind == "f" else ()
    yield from (UNITS[name] for name in ("ns", "us", "ms"))


def _made_up(times: Times, fps: float | None) -> bool:
    """Are these frame numbers over the rate, like the `timestamp` column itself?"""
    if not fps:
        return False
    even = np.arange(len(times)) * (NS_PER_S / fps)
    return bool(np.abs((times - times[0]) - even).max() < MADE_UP_NS)
