"""Find the timestamp columns of a dataset and their streams, and separate measured from computed ones."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Info
from fieldloop.ingest.stamps import STAMP_WORDS, UNIT_WORDS, Times, parse_stamps
from fieldloop.model.stream import FIRST_REAL_NS, ClockKind

CAPTURE = "capture_ns"
"""The feature in which a fieldloop release keeps real stamps: one column a stream, the first is the frame grid."""

NAMED = re.compile(
    r"(?P<owner>.*?)[._]?(?:(?:capture|sensor|device|hardware|header|system|ros|frame)[._]?)?"
    rf"(?P<word>time_stamps?|{'|'.join(sorted(STAMP_WORDS))})?(?:_(?P<unit>{'|'.join(UNIT_WORDS)}))?"
)
EVERY_ROW = {"", "observation", "row", "record"}
CLOCK_VALUES = {clock.value: clock for clock in ClockKind}
ROW_TIME = "timestamp"
NUMBERS = (np.int64, np.uint64, np.float64)  # narrower types cannot resolve times within a day


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

    def get_clock(self, feature: str) -> tuple[dict[ClockKind, Times], dict[str, str]]:
        """Return the clock that was kept for a feature, and a note on where it is from."""
        stamped = self.of.get(feature) or self.rows
        if stamped is None:
            return {}, {}
        return {stamped.clock: stamped.times_ns}, {"stamps": stamped.note} if stamped.note else {}


class StampColumns:
    """A dataset's timestamp columns by name, found once; each episode's rows show whether they hold timestamps."""

    def __init__(self, info: Info) -> None:
        self._info = info
        self._ours = dict(_find_capture_columns(info)) if CAPTURE in info.features else {}
        self._owners: dict[str, str | None] = {}

    def find_stamps(self, arrays: Mapping[str, NDArray[Any]]) -> Stamps:
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
                self._owners[key] = self._find_owning_feature(key)
            owner = self._owners[key]
            if owner is None or values.shape[1] != 1 or values.dtype not in NUMBERS:
                continue
            parsed = parse_stamps(key, values, hz=self._info.fps)
            if parsed is None or not parsed.measured:
                continue
            stamped = Stamped(parsed.times_ns, ClockKind.HEADER, f"timestamps are those of column {key}, {parsed.how}")
            if owner:
                stamps.of[owner] = stamped
            else:
                stamps.rows = stamped
            stamps.columns.add(key)
        if stamps.rows is None and (measured := _read_measured_row_times(arrays.get(ROW_TIME))):
            stamps.rows = measured
        return stamps

    def _find_owning_feature(self, key: str) -> str | None:
        """Return the feature that a timestamp column belongs to; '' for every row, None for other columns."""
        named = NAMED.fullmatch(key)
        if key in INDEX_COLUMNS or key == CAPTURE or named is None or (not named["word"] and named["unit"] != "ns"):
            return None
        words, features = named["owner"], self._info.features
        if words in features:
            return words
        short = words.removeprefix("observation.").removeprefix("images.")
        if short in EVERY_ROW:
            return ""
        ends = [k for k in features if k != key and (k.endswith(f".{short}") or k == short)]
        return ends[0] if len(ends) == 1 else None


def _read_measured_row_times(values: NDArray[Any] | None) -> Stamped | None:
    """Return LeRobot's own timestamp column where a clock wrote it: dates, at uneven intervals; else None.

    Usually it is the frame number over the rate. A date that steps unevenly is not computed from either.
    """
    if values is None or values.shape[1:] != (1,) or values.dtype not in NUMBERS:
        return None
    parsed = parse_stamps(ROW_TIME, values)
    if parsed is None or not parsed.measured or parsed.times_ns[0] < FIRST_REAL_NS:
        return None
    return Stamped(parsed.times_ns, ClockKind.HEADER, f"timestamps are those of column {ROW_TIME}, {parsed.how}")


def _find_capture_columns(info: Info) -> Iterator[tuple[str, tuple[int, ClockKind]]]:
    """Yield feature → its column of `capture_ns` and which clock that was; rows without one stand on the grid."""
    names = info.features[CAPTURE].names
    grid = names[0] if names else ""
    for key, feature in info.features.items():
        stream = str(feature.info.get("stream") or "")
        name = next((n for n in (stream, _make_camera_stream_name(key), grid) if n in names), None)
        stated = str(feature.info.get("clock") or "")
        clock = CLOCK_VALUES.get(stated, ClockKind.HEADER)
        if name is not None:
            yield key, (names.index(name), clock)


def _make_camera_stream_name(key: str) -> str:
    return f"camera/{key.removeprefix('observation.images.').removeprefix('observation.')}"
