"""Compare the real rate of rows and frames with the rate the dataset states."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fieldloop.ingest.pictures.packets import Packets
from fieldloop.ingest.pictures.video import read_packets
from fieldloop.ingest.readers.lerobot.info import INFO, Info
from fieldloop.ingest.readers.lerobot.layout import Entry
from fieldloop.ingest.readers.lerobot.rows import Rows
from fieldloop.ingest.stamps import Times, estimate_rate, find_contradicting_rate_hz
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_S

FARTHEST_NS = 1 << 62


class Rate(NamedTuple):
    """The rate of samples, as far as known, and a note where it differs from the stated one."""

    hz: float | None
    notes: Mapping[str, str]


def choose_rate(stated_hz: float | None, times_ns: Times | None) -> Rate:
    """Return the stated rate, or that of the timestamps where they contradict it or none is stated, with a note."""
    if times_ns is None:
        return Rate(stated_hz, {})
    if stated_hz is None:
        hz = estimate_rate(times_ns)
        return Rate(hz, {"rate": "taken from the timestamps: the dataset states none"} if hz else {})
    real = find_contradicting_rate_hz(stated_hz, times_ns)
    if real is None:
        return Rate(stated_hz, {})
    return Rate(real, {"rate": f"the dataset states {stated_hz:g} Hz, the timestamps give {real:.4g}"})


def read_table_times(rows: Rows) -> Times | None:
    """Return the timestamp column in ns; None where there is none that could be one."""
    stamps = rows.arrays.get("timestamp")
    if stamps is None or stamps.shape[1:] != (1,):
        return None
    seconds = stamps[:, 0].astype(np.float64)
    if len(seconds) and not (np.abs(seconds) < 1 << 32).all():  # NaN is not
        return None
    return np.round(seconds * NS_PER_S).astype(np.int64)


def find_rate_defects(info: Info, entries: Sequence[Entry]) -> Iterator[Defect]:
    """Report a frame rate that the timestamps of some episodes contradict, with the rate of the video."""
    if info.fps is None or not entries:
        return
    # the first, the middle and the last: a dataset has one rate
    some = [entries[i] for i in sorted({0, len(entries) // 2, len(entries) - 1})]
    contradictions = [
        (entry, real) for entry in some if (real := _find_contradicting_rate_hz(info.fps, entry)) is not None
    ]
    if not contradictions:
        return
    entry, real = contradictions[0]
    video = _measure_video_rate(entry)
    message = note(
        "ingest.rate_contradicted", stated_hz=info.fps, found_hz=real, video_hz=video, denying=len(contradictions),
        looked_at=len(some),
    )  # fmt: skip
    yield Defect(INFO, "fps", message, Harm.MISLEADS)


def find_frame_at(packets: Packets, moment_s: float) -> int:
    """Return the first frame that a moment begins with: half a frame of the video's own before it is not too early."""
    at_ns = moment_s * NS_PER_S
    times = packets.times_ns
    if not abs(at_ns) < FARTHEST_NS:
        return 0
    after = int(times.searchsorted(int(at_ns)))
    around = times[max(0, after - 3) : after + 2].tolist()  # a handful: plain numbers are quicker than arrays
    half = min((b - a for a, b in pairwise(around) if b > a), default=0) // 2
    return int(times.searchsorted(int(at_ns) - half))


def _find_contradicting_rate_hz(fps: float, entry: Entry) -> float | None:
    rows = entry.rows([])
    times = read_table_times(rows) if rows else None
    return None if times is None else find_contradicting_rate_hz(fps, times)


def _measure_video_rate(entry: Entry) -> float | None:
    for place in entry.videos.values():
        try:
            return estimate_rate(read_packets(place.path).times_ns)
        except (ValueError, OSError):
            continue
    return None
