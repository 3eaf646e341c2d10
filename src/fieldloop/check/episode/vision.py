"""Questions about what cameras deliver: size, rate, and whether it decodes."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.episode.depth_frames import look_at_depth
from fieldloop.check.episode.frames import share_seen
from fieldloop.check.episode.pictures import colour_cameras, scan
from fieldloop.check.episode.stamps import moment, rhythm, said
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, ClockKind, StreamKind

UNKNOWN = float("nan")


@check(
    "vision.resolution",
    unit="share of asked pixels",
    needs=("pictures",),
    advice="Set the camera to the resolution the protocol asks for.",
)
def resolution(case: Case) -> Iterator[Measurement]:
    """How many of the pixels that the protocol asks for does each camera give?

    Of the frame that is asked for, what the camera's frame covers: one turned on its side lacks what it is too narrow
    for, however high it is.
    """
    for stream in case.streams(*PICTURES):
        asked = case.protocol.sensors.get(stream.name)
        if asked and asked.width and asked.height and stream.pictures is not None and len(stream.pictures):
            width, height = stream.pictures.size
            place = f"({width} × {height} where {asked.width} × {asked.height} is asked for)"
            covered = min(width, asked.width) * min(height, asked.height)
            yield Measurement(stream.name, covered / (asked.width * asked.height), place)


@check(
    "vision.frame_rate",
    unit="Hz",
    needs=("cameras",),
    advice="Raise the camera's frame rate; a protocol for fast motion asks for 60 a second.",
)
def frame_rate(case: Case) -> Iterator[Measurement]:
    """How many frames a second does each colour camera give?

    The rate by its stamps, or the declared one where stamps are made up. Who was asked for nothing is not held to it:
    the log has to name a protocol, or the protocol the camera. Whether frames repeat is `vision.repeated_frames`.
    """
    for stream in colour_cameras(case):
        beat = rhythm(case, stream)
        by_stamps = None if beat is None or stream.clock is ClockKind.SYNTHETIC else NS_PER_S / beat.period_ns
        hz = by_stamps or stream.nominal_hz
        if hz is None:
            yield Measurement(
                stream.name, UNKNOWN, cannot_tell="neither stamps nor a declared rate tell how fast it is."
            )
        elif case.collected_by_protocol or stream.name in case.protocol.sensors:
            yield Measurement(stream.name, hz, "" if by_stamps else "(as declared)")
        else:
            reason = f"it gives {hz:.4g} frames a second, and no protocol was named that asks for more or less."
            yield Measurement(stream.name, UNKNOWN, cannot_tell=reason)


@check(
    "vision.undecodable",
    pixels=True,
    unit="frames",
    needs=("pictures",),
    advice="Find out whether the file is damaged or the encoding unusual; such frames cannot be learnt from.",
)
def undecodable(case: Case) -> Iterator[Measurement]:
    """How many of the frames looked at do not decode?"""
    for stream in case.streams(*PICTURES):
        if stream.pictures is None or not len(stream.pictures):
            continue
        seen = scan(case, stream) if stream.kind is StreamKind.RGB else look_at_depth(case, stream)
        bad = np.flatnonzero(~seen.decoded)
        told = share_seen(stream, seen.indices)
        at_s = moment(case, stream, int(seen.indices[bad[0]])) if len(bad) else None
        first = f"first {said(at_s)}" if at_s is not None else ""
        yield Measurement(stream.name, float(len(bad)), f"{first}{told}".strip(), at_s=at_s)
