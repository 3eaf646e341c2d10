"""Checks of depth images: noise, range, units, holes and repeated frames."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import NO_PROTOCOL
from fieldloop.check.episode.repeats import measure_longest_repeat
from fieldloop.check.registry import check
from fieldloop.check.signals.depth_frames import DepthScan, Numbers, find_depth_cameras, scan_depth_frames
from fieldloop.check.signals.frames import note_place_in_frames
from fieldloop.check.signals.stamps import compute_sample_time_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import Stream

EMPTY = note("check.no_distances")


@check(
    "depth.noise",
    pixels=True,
    unit="mm",
    needs=("depth",),
)
def measure_depth_noise(case: Case) -> Iterator[Measurement]:
    """How much does the distance of an object at rest vary from frame to frame, scaled to half a metre?

    The value is one standard deviation over pairs of consecutive frames. Only the quietest quarter of the pairs counts,
    so that still moments decide. Farther pixels count less, by the square of their distance. The check cannot measure a
    camera that moves all the time, or one that smooths over time.
    """
    for stream, seen in _scan_depth_cameras(case):
        live = seen.noise_mm[np.isfinite(seen.noise_mm) & ~seen.same]
        if len(live) < case.read_parameter("depth.noise", "fewest_pairs"):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.too_few_frame_pairs"))
            continue
        quiet = float(np.percentile(live, case.read_parameter("depth.noise", "quiet_percent")))
        if quiet > case.read_parameter("depth.noise", "motion_mm"):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.everything_moves"))
            continue
        yield Measurement(Subject(stream.name), quiet)


@check(
    "depth.range",
    pixels=True,
    unit="m",
    needs=("depth",),
)
def measure_nearest_depth(case: Case) -> Iterator[Measurement]:
    """How far away is the nearest tenth of what each depth camera sees?

    The robot's workspace is nearer than the background. A failure is a warning rather than a fault. The check applies
    only if the log names its protocol, or the protocol names the camera.
    """
    for stream, seen in _scan_depth_cameras(case):
        near = _compute_median_of_frames(seen.near_m)
        if not np.isfinite(near):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=EMPTY)
        elif case.collected_by_protocol or stream.name in case.protocol.sensors:
            yield Measurement(Subject(stream.name), near)
        else:
            reason = note("check.nearest_tenth", NO_PROTOCOL, nearest_m=near)
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=reason)


@check(
    "depth.plausible",
    pixels=True,
    unit="m",
    needs=("depth",),
)
def measure_median_depth(case: Case) -> Iterator[Measurement]:
    """Is the median distance plausible for a robot's camera?

    Millimetres read as metres are a thousand times too far, metres read as millimetres a thousand times too near.
    """
    for stream, seen in _scan_depth_cameras(case):
        middle = _compute_median_of_frames(seen.middle_m)
        if np.isfinite(middle):
            yield Measurement(Subject(stream.name), middle, note("check.median_distance"))
        else:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=EMPTY)


@check(
    "depth.holes",
    pixels=True,
    unit="share of pixels",
    needs=("depth",),
)
def measure_depth_holes(case: Case) -> Iterator[Measurement]:
    """Which share of the picture has no distance, in the median frame?"""
    for stream, seen in _scan_depth_cameras(case):
        shares = seen.holes[seen.decoded]
        if not len(shares):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.nothing_decoded"))
            continue
        at_s = compute_sample_time_s(case, stream, int(seen.indices[seen.decoded][np.argmax(shares)]))
        place = note_place_in_frames(stream, seen.indices, at_s, "check.worst_frame", worst=float(shares.max()))
        yield Measurement(Subject(stream.name), float(np.median(shares)), place, at_s=at_s)


@check(
    "depth.frozen",
    pixels=True,
    unit="s",
    needs=("depth",),
)
def measure_frozen_depth_time(case: Case) -> Iterator[Measurement]:
    """For how long did each depth camera repeat an identical picture while the robot moved?"""
    for stream, seen in _scan_depth_cameras(case):
        if seen.decoded.sum() < 2:  # noqa: PLR2004 - one frame repeats nothing
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.one_frame_decoded"))
            continue
        yield measure_longest_repeat(case, stream, seen.indices, seen.same)


def _scan_depth_cameras(case: Case) -> Iterator[tuple[Stream, DepthScan]]:
    return ((stream, scan_depth_frames(case, stream)) for stream in find_depth_cameras(case))


def _compute_median_of_frames(frame_values: Numbers) -> float:
    known = frame_values[np.isfinite(frame_values)]
    return float(np.median(known)) if len(known) else UNKNOWN
