"""Questions about a video's clock and the table's that goes with it."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.episode.stamps import Times, moment, said
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream
from fieldloop.stats.quantile import median

NS_PER_MS = NS_PER_S / 1000


@check(
    "timing.camera_clock",
    unit="ms",
    needs=("streams",),  # not pictures: a log without a table beside its video owes no answer
    advice="Write row stamps that begin where the video begins and go on at its rate; loaders look frames up by stamp.",
)
def camera_clock(case: Case) -> Iterator[Measurement]:
    """How far is each video frame from the row that it belongs to?

    A table with a video beside it pairs them by time: a row asks for the frame at its own stamp. Frame n belongs to
    row n; where their stamps differ, a loader gives the row a neighbour's picture, or none. Where all differ by the
    same, moving the video's clock is proposed.
    """
    rows_ns = _rows(case)
    for stream in case.streams(*PICTURES):
        frames_ns = stream.clocks.get(ClockKind.CONTAINER)
        beside = stream.clocks.get(ClockKind.SYNTHETIC, rows_ns)
        if frames_ns is None or beside is None:  # no video, or no table: nothing to pair
            continue
        count = min(len(frames_ns), len(beside))
        apart = beside[:count] - frames_ns[:count]
        worst = int(np.argmax(np.abs(apart)))
        place = f"(frame {worst} is at {frames_ns[worst] / NS_PER_S:.3f} s, its row at {beside[worst] / NS_PER_S:.3f} s"
        at_s = moment(case, stream, worst)
        yield Measurement(
            stream.name, abs(int(apart[worst])) / NS_PER_MS, f"{said(at_s)} {place})", at_s=at_s,
            fix=_shift(stream, apart) if len(frames_ns) == len(beside) else None,
        )  # fmt: skip


def _rows(case: Case) -> Times | None:
    """Return the row clock of the table: that of a stream which is no video."""
    tables = (s for s in case.sensing() if s.pictures is None and ClockKind.SYNTHETIC in s.clocks)
    return next((stream.clocks[ClockKind.SYNTHETIC] for stream in tables), None)


def _shift(stream: Stream, apart: Times) -> Fix | None:
    """Move the video's clock where one number puts every frame right."""
    shift = int(median(apart))
    if not shift or int(np.abs(apart - shift).max()) > NS_PER_MS:
        return None
    why = "There are as many frames as rows, and every frame is off by the same: frame n is taken for row n's."
    return Fix(FixKind.RESTAMP, why, stream=stream.name, shift_ns=shift, clock=ClockKind.CONTAINER)
