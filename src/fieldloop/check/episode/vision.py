"""Checks of what cameras deliver: resolution, frame rate, and whether frames decode."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.episode.adherence import NO_PROTOCOL
from fieldloop.check.registry import check
from fieldloop.check.signals.depth_frames import scan_depth_frames
from fieldloop.check.signals.frames import note_place_in_frames
from fieldloop.check.signals.pictures import find_colour_cameras, scan_colour_frames
from fieldloop.check.signals.stamps import compute_sample_time_s, find_rhythm
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import NS_PER_S, ClockKind, StreamKind


@check(
    "vision.resolution",
    unit="share of asked pixels",
    needs=("pictures",),
)
def compare_resolution_with_protocol(case: Case) -> Iterator[Measurement]:
    """Which share of the pixels that the protocol requires does each camera deliver?

    The value is the part of the required frame that the camera's frame covers: a frame turned on its side is too
    narrow.
    """
    for stream in case.find_streams(*PICTURES):
        asked = case.protocol.sensors.get(stream.name)
        if asked and asked.width and asked.height and stream.pictures is not None and len(stream.pictures):
            width, height = stream.pictures.size
            place = note(
                "check.picture_size", width=width, height=height, asked_width=asked.width, asked_height=asked.height
            )
            covered = min(width, asked.width) * min(height, asked.height)
            yield Measurement(Subject(stream.name), covered / (asked.width * asked.height), place)


@check(
    "vision.frame_rate",
    unit="Hz",
    needs=("cameras",),
)
def measure_frame_rate(case: Case) -> Iterator[Measurement]:
    """How many frames per second does each colour camera deliver?

    The rate comes from the timestamps, or is the declared rate if timestamps are generated. The check applies only if
    the log names its protocol, or the protocol names the camera. `vision.repeated_frames` checks whether frames repeat.
    """
    for stream in find_colour_cameras(case):
        beat = find_rhythm(case, stream)
        by_stamps = None if beat is None or stream.clock is ClockKind.SYNTHETIC else NS_PER_S / beat.usual_ns
        hz = by_stamps or stream.nominal_hz
        if hz is None:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.frame_rate_unknown"))
        elif case.collected_by_protocol or stream.name in case.protocol.sensors:
            yield Measurement(Subject(stream.name), hz, None if by_stamps else note("check.as_declared"))
        else:
            reason = note("check.frame_rate_is", NO_PROTOCOL, rate_hz=hz)
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=reason)


@check(
    "vision.undecodable",
    pixels=True,
    unit="frames",
    needs=("pictures",),
)
def count_undecodable_frames(case: Case) -> Iterator[Measurement]:
    """How many of the examined frames do not decode?"""
    for stream in case.find_streams(*PICTURES):
        if stream.pictures is None or not len(stream.pictures):
            continue
        seen = scan_colour_frames(case, stream) if stream.kind is StreamKind.RGB else scan_depth_frames(case, stream)
        bad = np.flatnonzero(~seen.decoded)
        at_s = compute_sample_time_s(case, stream, int(seen.indices[bad[0]])) if len(bad) else None
        yield Measurement(
            Subject(stream.name), float(len(bad)), note_place_in_frames(stream, seen.indices, at_s), at_s=at_s
        )
