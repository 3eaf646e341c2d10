"""Checks of camera frames that repeat the frame before."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.frames import note_place_in_frames
from fieldloop.check.signals.movement import Movement, explain_unknown_movement, find_movement
from fieldloop.check.signals.pictures import find_colour_cameras, scan_colour_frames
from fieldloop.check.signals.sensed import Evidence
from fieldloop.check.signals.signal import NO_RATE, has_timed_stamps
from fieldloop.check.signals.stamps import compute_sample_time_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import NS_PER_S, Stream


@check(
    "vision.frozen_frames",
    pixels=True,
    unit="s",
    needs=("cameras",),
)
def measure_frozen_picture_time(case: Case) -> Iterator[Measurement]:
    """For how long did each camera show the same picture while the robot moved?

    Only the examined frames count: a freeze longer than one examined stretch is reported with the length of that
    stretch.
    """
    same = case.read_parameter("vision.frozen_frames", "same_level")
    for stream in find_colour_cameras(case):
        seen = scan_colour_frames(case, stream)
        if seen.decoded.sum() < 2:  # noqa: PLR2004 - one frame repeats nothing
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.one_frame_decoded"))
            continue
        yield measure_longest_repeat(case, stream, seen.indices, seen.change <= same)


def _is_same_slowness(case: Case, first: Measurement, second: Measurement) -> bool:
    """Do both cameras repeat the same share, as where the table is faster than both?"""
    share = float(case.protocol.setting("episode.one_cause_share"))
    return abs(first.value - second.value) <= share * max(first.value, second.value)


@check(
    "vision.repeated_frames",
    pixels=True,
    same_cause=_is_same_slowness,
    unit="share of frames",
    needs=("cameras",),
    evidence=Evidence.SENSOR,
    revision=2,
)
def measure_repeated_frame_share(case: Case) -> Iterator[Measurement]:
    """Which share of the frames in motion merely repeats the frame before?

    A recorder that is faster than its camera stores frames twice. Compression leaves a small difference between the
    copies, so a frame counts as repeated if it changes by at most a fraction of the change of both its neighbours. Only
    stretches in which the averages of blocks clearly move are used. In a still scene repetition is normal: an encoder
    renews the noise with each key frame and copies it between them.
    """
    clear, fraction, fewest = (
        case.read_parameter("vision.repeated_frames", name) for name in ("clear_level", "fraction", "fewest_frames")
    )
    for stream in find_colour_cameras(case):
        seen = scan_colour_frames(case, stream)
        change, motion = (np.where(np.isfinite(by), by, np.nan) for by in (seen.change, seen.motion))
        flanks, moving = (np.fmin(by[:-2], by[2:]) for by in (change, motion))
        most = np.fmax(np.fmax(motion[:-2], motion[2:]), motion[1:-1])
        asked = np.isfinite(change[:-2] + change[1:-1] + change[2:]) & (most >= clear)
        if asked.sum() < fewest:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.little_motion_in_picture"))
            continue
        repeats = asked & (change[1:-1] <= fraction * flanks) & (moving >= clear)
        share = float(repeats.sum() / asked.sum())
        at_s = compute_sample_time_s(case, stream, int(seen.indices[np.argmax(repeats) + 1])) if share else None
        place = note_place_in_frames(
            stream, seen.indices, at_s, "check.repeats_from", **_compute_true_rate_numbers(stream, share)
        )
        yield Measurement(Subject(stream.name), share, place, at_s=at_s)


def measure_longest_repeat(
    case: Case, stream: Stream, indices: NDArray[np.int64], same_as_previous: NDArray[np.bool_]
) -> Measurement:
    """Measure the longest stretch of equal frames while the robot moved."""
    moved = find_movement(case)
    if moved is None:
        return Measurement(Subject(stream.name), UNKNOWN, cannot_tell=explain_unknown_movement(case))
    if not has_timed_stamps(stream):
        return Measurement(Subject(stream.name), UNKNOWN, cannot_tell=NO_RATE)
    times = stream.times_ns[indices] + _find_start_shift_ns(stream, moved)
    worst, where = 0.0, 0
    for first, last in _find_equal_frame_runs(same_as_previous):
        lasted = min(
            (times[last] - times[first]) / NS_PER_S, moved.measure_seconds_moving(int(times[first]), int(times[last]))
        )
        if lasted > worst:
            worst, where = float(lasted), first
    at_s = compute_sample_time_s(case, stream, int(indices[where])) if worst else None
    return Measurement(Subject(stream.name), worst, note_place_in_frames(stream, indices, at_s, "check.at"), at_s=at_s)


def _compute_true_rate_numbers(stream: Stream, repeated_share: float) -> dict[str, float]:
    return {"new_hz": stream.hz * (1 - repeated_share), "hz": stream.hz} if repeated_share and stream.hz else {}


def _find_start_shift_ns(stream: Stream, movement_times: Movement) -> int:
    """Return the shift that aligns both starts where nothing overlaps, as with a video that counts from 0; else 0."""
    first, last = int(stream.times_ns.min()), int(stream.times_ns.max())
    return movement_times.start_ns - first if last < movement_times.start_ns or first > movement_times.end_ns else 0


def _find_equal_frame_runs(same_as_before: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last position of every stretch of equal frames."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same_as_before, [False]]).astype(np.int8)))
    return [(int(a) - 1, int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
