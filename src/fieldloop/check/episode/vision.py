"""Questions about what the cameras saw."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.episode.movement import movement, still
from fieldloop.check.episode.pictures import scan
from fieldloop.check.episode.stamps import at
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind

UNKNOWN = float("nan")


@check(
    "vision.resolution",
    unit="share of asked pixels",
    needs=("pictures",),
    advice="Set the camera to the resolution the protocol asks for.",
)
def resolution(case: Case) -> Iterator[Measurement]:
    """How many of the pixels that the protocol asks for does each camera give?"""
    for stream in _seen(case, *PICTURES):
        asked = case.protocol.sensors.get(stream.name)
        if asked and asked.width and asked.height and stream.pictures is not None:
            width, height = stream.pictures.size
            place = f"({width} × {height} where {asked.width} × {asked.height} is asked for)"
            yield Measurement(stream.name, (width * height) / (asked.width * asked.height), place)


@check(
    "vision.frozen_frames",
    pixels=True,
    unit="s",
    needs=("cameras",),
    advice="Look for a camera that stalled or a writer that repeats frames.",
)
def frozen_frames(case: Case) -> Iterator[Measurement]:
    """For how long did each camera repeat its picture while the robot moved?"""
    same = case.parameter("vision.frozen_frames", "same_level")
    for stream in _seen(case, StreamKind.RGB):
        seen = scan(case, stream)
        if seen.decoded.sum() < 2:  # noqa: PLR2004 - one frame repeats nothing
            yield Measurement(stream.name, UNKNOWN, cannot_tell="fewer than two frames could be decoded.")
            continue
        moved = movement(case)
        if moved is None:
            yield Measurement(stream.name, UNKNOWN, cannot_tell=still(case))
            continue
        times = stream.times_ns[seen.indices]
        shift = moved.start_ns - int(stream.times_ns.min()) if _other_epoch(stream, moved.start_ns, moved.end_ns) else 0
        worst, where = 0.0, 0
        for first, last in _runs(seen.change <= same):
            lasted = min(
                (times[last] - times[first]) / NS_PER_S,
                moved.within(int(times[first]) + shift, int(times[last]) + shift),
            )
            if lasted > worst:
                worst, where = float(lasted), first
        yield Measurement(stream.name, worst, at(stream, int(seen.indices[where])) if worst else "")


@check(
    "vision.black_or_blown",
    pixels=True,
    unit="share of frames",
    needs=("cameras",),
    advice="Check lens cap, exposure and lighting.",
)
def black_or_blown(case: Case) -> Iterator[Measurement]:
    """Which share of frames is too dark or too bright to show anything?"""
    dark = case.parameter("vision.black_or_blown", "dark_level")
    bright = case.parameter("vision.black_or_blown", "bright_level")
    for stream in _seen(case, StreamKind.RGB):
        seen = scan(case, stream)
        level = seen.level[seen.decoded]
        if not len(level):
            yield Measurement(stream.name, UNKNOWN, cannot_tell="no frame could be decoded.")
            continue
        bad = (level < dark) | (level > bright)
        first = f"first {at(stream, int(seen.indices[seen.decoded][np.argmax(bad)]))}" if bad.any() else ""
        yield Measurement(stream.name, float(bad.mean()), first)


@check(
    "vision.undecodable",
    pixels=True,
    unit="frames",
    needs=("pictures",),
    advice="Find out whether the file is damaged or the encoding unusual; such frames cannot be learnt from.",
)
def undecodable(case: Case) -> Iterator[Measurement]:
    """How many of the frames looked at do not decode?"""
    for stream in _seen(case, *PICTURES):
        seen = scan(case, stream)
        bad = np.flatnonzero(~seen.decoded)
        first = f"first {at(stream, int(seen.indices[bad[0]]))}, " if len(bad) else ""
        yield Measurement(stream.name, float(len(bad)), f"({first}{len(seen.indices)} looked at)")


def _seen(case: Case, *kinds: StreamKind) -> Iterator[Stream]:
    return (stream for stream in case.streams(*kinds) if stream.pictures is not None and len(stream.pictures))


def _other_epoch(stream: Stream, start_ns: int, end_ns: int) -> bool:
    """A video counts from 0 while joints may not: without overlap the beginnings are taken for the same moment."""
    return int(stream.times_ns.max()) < start_ns or int(stream.times_ns.min()) > end_ns


def _runs(same_as_before: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> list[tuple[int, int]]:
    """Return first and last position of every stretch of frames that are all alike."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same_as_before, [False]]).astype(np.int8)))
    return [(int(a) - 1, int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
