"""Questions about frames that show what the frame before showed."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.frames import share_seen
from fieldloop.check.episode.movement import Movement, movement, still
from fieldloop.check.episode.pictures import colour_cameras, scan
from fieldloop.check.episode.signal import NO_RATE, paced
from fieldloop.check.episode.stamps import moment, said
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, Stream

UNKNOWN = float("nan")


@check(
    "vision.frozen_frames",
    pixels=True,
    unit="s",
    needs=("cameras",),
    advice="Look for a camera that stalled or a writer that repeats frames.",
)
def frozen_frames(case: Case) -> Iterator[Measurement]:
    """For how long did each camera show the same picture while the robot moved?

    In the frames looked at: a longer freeze than one stretch of them is told as long as that stretch.
    """
    same = case.parameter("vision.frozen_frames", "same_level")
    for stream in colour_cameras(case):
        seen = scan(case, stream)
        if seen.decoded.sum() < 2:  # noqa: PLR2004 - one frame repeats nothing
            yield Measurement(stream.name, UNKNOWN, cannot_tell="fewer than two frames could be decoded.")
            continue
        yield longest_repeat(case, stream, seen.indices, seen.change <= same)


@check(
    "vision.repeated_frames",
    pixels=True,
    unit="share of frames",
    needs=("cameras",),
    advice="Record the camera at the rate at which it really delivers; a frame that is told twice is stale once.",
)
def repeated_frames(case: Case) -> Iterator[Measurement]:
    """Which share of the frames in motion merely repeats the frame before?

    A camera slower than the recorder is read twice: between clear changes stands a frame without one. Compression
    leaves a little difference, so a frame repeats where it changes by no more than a fraction of what both its
    neighbours do. Only stretches in which the picture clearly moves can show it; a still scene repeats by right.
    """
    clear, fraction, fewest = (
        case.parameter("vision.repeated_frames", name) for name in ("clear_level", "fraction", "fewest_frames")
    )
    for stream in colour_cameras(case):
        seen = scan(case, stream)
        change = np.where(np.isfinite(seen.change), seen.change, np.nan)
        before, now, behind = change[:-2], change[1:-1], change[2:]
        flanks = np.fmin(before, behind)
        asked = np.isfinite(before + now + behind) & (np.fmax(np.fmax(before, now), behind) >= clear)
        if asked.sum() < fewest:
            yield Measurement(stream.name, UNKNOWN, cannot_tell="too little moves in the picture to tell.")
            continue
        repeats = asked & (now <= fraction * flanks) & (flanks >= clear)
        share = float(repeats.sum() / asked.sum())
        at_s = moment(case, stream, int(seen.indices[np.argmax(repeats) + 1])) if share else None
        told = f"{f'first {said(at_s)}' if at_s is not None else ''}{_really(stream, share)}"
        yield Measurement(stream.name, share, f"{told}{share_seen(stream, seen.indices)}".strip(), at_s=at_s)


def longest_repeat(case: Case, stream: Stream, indices: NDArray[np.int64], same: NDArray[np.bool_]) -> Measurement:
    """Measure for how long frames stayed the same while the robot moved."""
    moved = movement(case)
    if moved is None:
        return Measurement(stream.name, UNKNOWN, cannot_tell=still(case))
    if not paced(stream):
        return Measurement(stream.name, UNKNOWN, cannot_tell=NO_RATE)
    times = stream.times_ns[indices] + _shift_ns(stream, moved)
    worst, where = 0.0, 0
    for first, last in _runs(same):
        lasted = min((times[last] - times[first]) / NS_PER_S, moved.within(int(times[first]), int(times[last])))
        if lasted > worst:
            worst, where = float(lasted), first
    at_s = moment(case, stream, int(indices[where])) if worst else None
    place = f"{said(at_s) if at_s is not None else ''}{share_seen(stream, indices)}".strip()
    return Measurement(stream.name, worst, place, at_s=at_s)


def _really(stream: Stream, share: float) -> str:
    return (
        f", so about {stream.hz * (1 - share):.2g} pictures a second of {stream.hz:.3g}" if share and stream.hz else ""
    )


def _shift_ns(stream: Stream, moved: Movement) -> int:
    """A video counts from 0 while joints may not: without overlap the beginnings are taken for the same moment."""
    first, last = int(stream.times_ns.min()), int(stream.times_ns.max())
    return moved.start_ns - first if last < moved.start_ns or first > moved.end_ns else 0


def _runs(same_as_before: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last position of every stretch of frames that are all alike."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same_as_before, [False]]).astype(np.int8)))
    return [(int(a) - 1, int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
