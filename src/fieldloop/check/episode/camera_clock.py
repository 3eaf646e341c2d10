"""Check of a video's clock against the clock of the table that it belongs to."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.registry import check
from fieldloop.check.signals.stamps import Times, compute_sample_time_s
from fieldloop.model.finding import Measurement
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import NS_PER_MS, NS_PER_S, ClockKind, Stream
from fieldloop.stats.quantile import compute_median


def _is_same_mismatch(case: Case, first: Measurement, second: Measurement) -> bool:
    """Are both videos off their table by the same amount, as where the table's clock is at fault?"""
    share = float(case.protocol.setting("episode.one_cause_share"))
    return abs(first.value - second.value) <= share * max(first.value, second.value)


@check(
    "timing.camera_clock",
    unit="ms",
    same_cause=_is_same_mismatch,
    needs=("streams",),  # not pictures: the check does not apply to a log without a table beside its video
)
def measure_video_clock_distance(case: Case) -> Iterator[Measurement]:
    """How far is each video frame from the row that it belongs to?

    Loaders pair table and video by time: a row asks for the frame at its own timestamp. Frame n belongs to row n; if
    their timestamps differ, a loader returns a neighbouring frame, or none. If all differ by the same amount, the check
    proposes to shift the video's clock.
    """
    rows_ns = _find_row_clock_ns(case)
    for stream in case.find_streams(*PICTURES):
        frames_ns = stream.clocks.get(ClockKind.CONTAINER)
        beside = stream.clocks.get(ClockKind.SYNTHETIC, rows_ns)
        if frames_ns is None or beside is None:  # no video, or no table: nothing to pair
            continue
        count = min(len(frames_ns), len(beside))
        apart = beside[:count] - frames_ns[:count]
        worst = int(np.argmax(np.abs(apart)))
        at_s = compute_sample_time_s(case, stream, worst)
        frame_s, row_s = float(frames_ns[worst]) / NS_PER_S, float(beside[worst]) / NS_PER_S
        place = note("check.frame_and_row", at_s=at_s, frame=worst, frame_s=frame_s, row_s=row_s)
        yield Measurement(
            Subject(stream.name), abs(int(apart[worst])) / NS_PER_MS, place, at_s=at_s,
            fix=_propose_video_clock_shift(stream, apart) if len(frames_ns) == len(beside) else None,
        )  # fmt: skip


def _find_row_clock_ns(case: Case) -> Times | None:
    """Return the table's row clock, which is that of a stream without pictures."""
    tables = (s for s in case.find_sensing_streams() if s.pictures is None and ClockKind.SYNTHETIC in s.clocks)
    return next((stream.clocks[ClockKind.SYNTHETIC] for stream in tables), None)


def _propose_video_clock_shift(stream: Stream, differences_ns: Times) -> Fix | None:
    """Propose one shift of the video's clock where it corrects every frame."""
    shift = int(compute_median(differences_ns))
    if not shift or int(np.abs(differences_ns - shift).max()) > NS_PER_MS:
        return None
    why = note("check.fix_shift_rows")
    return Fix(FixKind.RESTAMP, why, stream=stream.name, shift_ns=shift, clock=ClockKind.CONTAINER)
