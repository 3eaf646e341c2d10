"""Checks of camera frames that repeat the frame before."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.frames import place_in
from fieldloop.check.signals.movement import Movement, movement, reason_movement_unknown
from fieldloop.check.signals.pictures import colour_cameras, scan
from fieldloop.check.signals.signal import NO_RATE, paced
from fieldloop.check.signals.stamps import sample_time_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import NS_PER_S, Stream


@check(
    "vision.frozen_frames",
    pixels=True,
    unit="s",
    needs=("cameras",),
)
def frozen_frames(case: Case) -> Iterator[Measurement]:
    """For how long did each camera show the same picture while the robot moved?

    Only the examined frames count: a freeze longer than one examined stretch is reported with the length of that
    stretch.
    """
    same = case.parameter("vision.frozen_frames", "same_level")
    for stream in colour_cameras(case):
        seen = scan(case, stream)
        if seen.decoded.sum() < 2:  # noqa: PLR2004 - one frame repeats nothing
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.one_frame_decoded"))
            continue
        yield longest_repeat(case, stream, seen.indices, seen.change <= same)


@check(
    "vision.repeated_frames",
    pixels=True,
    unit="share of frames",
    needs=("cameras",),
)
def repeated_frames(case: Case) -> Iterator[Measurement]:
    """Which share of the frames in motion merely repeats the frame before?

    A recorder that is faster than its camera stores frames twice. Compression leaves a small difference between the
    copies, so a frame counts as repeated if it changes by at most a fraction of the change of both its neighbours. Only
    stretches in which the picture clearly moves are used; in a still scene repetition is normal.
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
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.little_motion_in_picture"))
            continue
        repeats = asked & (now <= fraction * flanks) & (flanks >= clear)
        share = float(repeats.sum() / asked.sum())
        at_s = sample_time_s(case, stream, int(seen.indices[np.argmax(repeats) + 1])) if share else None
        place = place_in(stream, seen.indices, at_s, "check.repeats_from", **_true_rate_numbers(stream, share))
        yield Measurement(Subject(stream.name), share, place, at_s=at_s)


def longest_repeat(case: Case, stream: Stream, indices: NDArray[np.int64], same: NDArray[np.bool_]) -> Measurement:
    """Measure the longest stretch of equal frames while the robot moved."""
    moved = movement(case)
    if moved is None:
        return Measurement(Subject(stream.name), UNKNOWN, cannot_tell=reason_movement_unknown(case))
    if not paced(stream):
        return Measurement(Subject(stream.name), UNKNOWN, cannot_tell=NO_RATE)
    times = stream.times_ns[indices] + _shift_ns(stream, moved)
    worst, where = 0.0, 0
    for first, last in _runs(same):
        lasted = min((times[last] - times[first]) / NS_PER_S, moved.seconds_moving(int(times[first]), int(times[last])))
        if lasted > worst:
            worst, where = float(lasted), first
    at_s = sample_time_s(case, stream, int(indices[where])) if worst else None
    return Measurement(Subject(stream.name), worst, place_in(stream, indices, at_s, "check.at"), at_s=at_s)


def _true_rate_numbers(stream: Stream, share: float) -> dict[str, float]:
    return {"new_hz": stream.hz * (1 - share), "hz": stream.hz} if share and stream.hz else {}


def _shift_ns(stream: Stream, moved: Movement) -> int:
    """Return the shift that aligns both starts where nothing overlaps, as with a video that counts from 0; else 0."""
    first, last = int(stream.times_ns.min()), int(stream.times_ns.max())
    return moved.start_ns - first if last < moved.start_ns or first > moved.end_ns else 0


def _runs(same_as_before: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last position of every stretch of equal frames."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same_as_before, [False]]).astype(np.int8)))
    return [(int(a) - 1, int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
