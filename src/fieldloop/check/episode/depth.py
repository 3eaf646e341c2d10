"""Questions about distances that were sensed."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.depth_frames import DepthScan, Numbers, depth_cameras, look_at_depth
from fieldloop.check.episode.frames import share_seen
from fieldloop.check.episode.repeats import longest_repeat
from fieldloop.check.episode.stamps import moment, said
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import Stream

UNKNOWN = float("nan")
QUIET = 25
"""Percent of the pairs of frames that are taken for quiet."""

EMPTY = "no frame holds a distance."


@check(
    "depth.noise",
    pixels=True,
    unit="mm",
    needs=("depth",),
    advice="Warm the camera up, light the scene, keep it dry and clean, or come nearer.",
)
def noise(case: Case) -> Iterator[Measurement]:
    """How far does the distance of a thing at rest tremble from frame to frame, brought to half a metre?

    One standard deviation, over pairs of frames that follow one another; the quietest quarter of the pairs counts, so
    that an episode with still moments is judged by them. Farther pixels count less, by the square of their distance. A
    camera that moves throughout shows no rest, and one that smooths over time hides its noise.
    """
    for stream, seen in _looked_through(case):
        live = seen.noise_mm[np.isfinite(seen.noise_mm) & ~seen.same]
        if len(live) < case.parameter("depth.noise", "fewest_pairs"):
            yield Measurement(stream.name, UNKNOWN, cannot_tell="too few frames follow one another and differ.")
            continue
        quiet = float(np.percentile(live, QUIET))
        if quiet > case.parameter("depth.noise", "motion_mm"):
            yield Measurement(stream.name, UNKNOWN, cannot_tell="everything in its picture moves, noise or not.")
            continue
        yield Measurement(stream.name, quiet)


@check(
    "depth.range",
    pixels=True,
    unit="m",
    needs=("depth",),
    advice="Bring the camera nearer, or leave far distances out of what is learnt.",
)
def reach(case: Case) -> Iterator[Measurement]:
    """How far away is the nearest tenth of what each depth camera sees?

    What is worked on is nearer than what stands behind. A warning more than a fault. Who was asked for nothing is not
    held to it: the log has to name a protocol.
    """
    for stream, seen in _looked_through(case):
        near = _median(seen.near_m)
        if not np.isfinite(near):
            yield Measurement(stream.name, UNKNOWN, cannot_tell=EMPTY)
        elif case.collected_by_protocol or stream.name in case.protocol.sensors:
            yield Measurement(stream.name, near)
        else:
            reason = f"the nearest tenth of what it sees is within {near:.3g} m, and no protocol was named that minds."
            yield Measurement(stream.name, UNKNOWN, cannot_tell=reason)


@check(
    "depth.plausible",
    pixels=True,
    unit="m",
    needs=("depth",),
    advice="Declare the unit of the depth pictures: 500 is half a metre in millimetres.",
)
def plausible(case: Case) -> Iterator[Measurement]:
    """Is the middle of all distances one that a robot's camera can have before it?

    Millimetres read as metres are a thousand times too far, metres read as millimetres a thousand times too near.
    """
    for stream, seen in _looked_through(case):
        middle = _median(seen.middle_m)
        if np.isfinite(middle):
            yield Measurement(stream.name, middle, "in the middle")
        else:
            yield Measurement(stream.name, UNKNOWN, cannot_tell=EMPTY)


@check(
    "depth.holes",
    pixels=True,
    unit="share of pixels",
    needs=("depth",),
    advice="Look for glossy, black or transparent things, sunlight, and things nearer than the camera can see.",
)
def holes(case: Case) -> Iterator[Measurement]:
    """Which share of the picture has no distance, in the frame in the middle of all?"""
    for stream, seen in _looked_through(case):
        shares = seen.holes[seen.decoded]
        if not len(shares):
            yield Measurement(stream.name, UNKNOWN, cannot_tell="no frame could be decoded.")
            continue
        at_s = moment(case, stream, int(seen.indices[seen.decoded][np.argmax(shares)]))
        place = f"(at most {100 * shares.max():.3g} %, {said(at_s)}){share_seen(stream, seen.indices)}"
        yield Measurement(stream.name, float(np.median(shares)), place, at_s=at_s)


@check(
    "depth.frozen",
    pixels=True,
    unit="s",
    needs=("depth",),
    advice="Look for a camera that stalled or a writer that repeats frames.",
)
def frozen(case: Case) -> Iterator[Measurement]:
    """For how long did each depth camera repeat its picture to the last bit while the robot moved?"""
    for stream, seen in _looked_through(case):
        if seen.decoded.sum() < 2:  # noqa: PLR2004 - one frame repeats nothing
            yield Measurement(stream.name, UNKNOWN, cannot_tell="fewer than two frames could be decoded.")
            continue
        yield longest_repeat(case, stream, seen.indices, seen.same)


def _looked_through(case: Case) -> Iterator[tuple[Stream, DepthScan]]:
    return ((stream, look_at_depth(case, stream)) for stream in depth_cameras(case))


def _median(of_frames: Numbers) -> float:
    known = of_frames[np.isfinite(of_frames)]
    return float(np.median(known)) if len(known) else UNKNOWN
