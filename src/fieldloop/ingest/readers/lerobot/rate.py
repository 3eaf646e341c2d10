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
from fieldloop.ingest.stamps import Times, contradicting_rate_hz, rate_of
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_S

FARTHEST_NS = 1 << 62


class Rate(NamedTuple):
    """The rate of samples, as far as known, and a note where it differs from the stated one."""

    hz: float | None
    notes: Mapping[str, str]


def choose_rate(stated: float | None, times_ns: Times | None) -> Rate:
    """Return the stated rate, or that of the timestamps where they contradict it or none is stated, with a note."""
    if times_ns is None:
        return Rate(stated, {})
    if stated is None:
        hz = rate_of(times_ns)
        return Rate(hz, {"rate": "taken from the timestamps: the dataset states none"} if hz else {})
    real = contradicting_rate_hz(stated, times_ns)
    if real is None:
        return Rate(stated, {})
    return Rate(real, {"rate": f"the dataset states {stated:g} Hz, the timestamps give {real:.4g}"})


def table_times(rows: Rows) -> Times | None:
    """Return the timestamp column in ns; None where there is none that could be one."""
    stamps = rows.arrays.get("timestamp")
    if stamps is None or stamps.shape[1:] != (1,):
        return None
    seconds = stamps[:, 0].astype(np.float64)
    if len(seconds) and not (np.abs(seconds) < 1 << 32).all():  # NaN is not
        return None
    return np.round(seconds * NS_PER_S).astype(np.int64)


def rate_defects(info: Info, entries: Sequence[Entry]) -> Iterator[Defect]:
    """Report a frame rate that the timestamps of some episodes contradict, with the rate of the video."""
    if info.fps is None or not entries:
        return
    # the first, the middle and the last: a dataset has one rate
    some = [entries[i] for i in sorted({0, len(entries) // 2, len(entries) - 1})]
    contradictions = [(entry, real) for entry in some if (real := _contradicting_rate_hz(info.fps, entry)) is not None]
    if not contradictions:
        return
    entry, real = contradictions[0]
    video = _video_rate(entry)
    message = note(
        "ingest.rate_contradicted", stated_hz=info.fps, found_hz=real, video_hz=video, denying=len(contradictions),
        looked_at=len(some),
    )  # fmt: skip
    yield Defect(INFO, "fps", message, Harm.MISLEADS)


def frame_near(packets: Packets, at_s: float) -> int:
    """Return the first frame that a moment begins with: half a frame of the video's own before it is not too early."""
    at_ns = at_s * NS_PER_S
    times = packets.times_ns
    if not abs(at_ns) < FARTHEST_NS:
        return 0
    after = int(times.searchsorted(int(at_ns)))
    around = times[max(0, after - 3) : after + 2].tolist()  # a handful: plain numbers are quicker than arrays
    half = min((b - a for a, b in pairwise(around) if b > a), default=0) // 2
    return int(times.searchsorted(int(at_ns) - half))


def _contradicting_rate_hz(fps: float, entry: Entry) -> float | None:
    rows = entry.rows([])
    times = table_times(rows) if rows else None
    return None if times is None else contradicting_rate_hz(fps, times)


def _video_rate(entry: Entry) -> float | None:
    for place in entry.videos.values():
        try:
            return rate_of(read_packets(place.path).times_ns)
        except (ValueError, OSError):
            continue
    return None
