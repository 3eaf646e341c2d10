"""Checks of alignment: the lag between a camera's pictures and their timestamps, estimated from the pictures."""

from collections.abc import Iterator
from dataclasses import replace

from fieldloop.check.case import Case
from fieldloop.check.content_lag import (
    LagEstimate,
    LagEvidence,
    estimate_lag_step,
    estimate_pooled_lag,
    read_content_lag_settings,
)
from fieldloop.check.content_lag.evidence import collect_lag_evidence
from fieldloop.check.content_lag.path import choose_motion_streams
from fieldloop.check.content_lag.words import compute_interval_of_absolute_lag_ms, make_lag_measurement
from fieldloop.check.registry import check
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import MS_PER_S, NS_PER_S, Stream, StreamKind


def collect_camera_lag_evidence(case: Case, camera: Stream) -> LagEvidence:
    """Return the evidence of one camera's lag behind the joints; computed once for all checks."""
    others = tuple(case.find_streams())
    return case.compute_once(
        ("lag evidence", camera.name),
        lambda: collect_lag_evidence(camera, others, read_content_lag_settings(case.protocol)),
    )


@check(
    "alignment.content_lag",
    unit="ms",
    needs=("cameras",),
    pixels=True,
)
def measure_camera_lag(case: Case) -> Iterator[Measurement]:
    """By how much do the moments that a camera shows differ from its timestamps?

    Motion seen in the pictures (optical flow) is regressed on the joints' motion at every lag; the best lag comes with
    its interval, at the centre row. Little, slow or unexplained motion gives no estimate.
    The lag is relative to the joints' timestamps: a delay of the joint sensor itself is part of it.
    """
    settings = read_content_lag_settings(case.protocol)
    moving = choose_motion_streams(tuple(case.find_streams()))
    for camera in case.find_streams(StreamKind.RGB) if moving else ():
        about = Subject(camera.name, moving[0].name)
        lag = estimate_pooled_lag([collect_camera_lag_evidence(case, camera)], settings)
        yield replace(make_lag_measurement(about, lag), fix=_propose_restamp(camera, lag))


def _propose_restamp(camera: Stream, lag: LagEstimate) -> Fix | None:
    """Propose to move the camera's timestamps to the moments that its pictures show."""
    if lag.refused:
        return None
    why = note("check.fix_shift_content", lag_ms=lag.lag_s * MS_PER_S)
    return Fix(FixKind.RESTAMP, why, camera.name, shift_ns=round(lag.lag_s * NS_PER_S))


@check(
    "alignment.content_step",
    unit="ms",
    needs=("cameras",),
    pixels=True,
)
def measure_camera_lag_jump(case: Case) -> Iterator[Measurement]:
    """By how much does the lag between pictures and joints jump within the episode?

    A recorder that loses frames and closes the gap shifts all later pictures. Every moment is tried. The likeliest jump
    is fitted, with an interval that allows for the choice of the moment.
    """
    settings, name = read_content_lag_settings(case.protocol), "alignment.content_step"
    edge_s, reach = case.read_parameter(name, "edge_s"), case.read_parameter(name, "sd")
    moving = choose_motion_streams(tuple(case.find_streams()))
    for camera in case.find_streams(StreamKind.RGB) if moving else ():
        about = Subject(camera.name, moving[0].name)
        step = estimate_lag_step(collect_camera_lag_evidence(case, camera), settings, edge_s, reach)
        if step.refused:
            yield Measurement(about, UNKNOWN, cannot_tell=step.refused)
            continue
        low, high = compute_interval_of_absolute_lag_ms(step.low_s, step.high_s)
        begin_s = (int(camera.times_ns[0]) - case.episode.start_ns) / 1e9
        place = note("check.lag_step", step_ms=step.step_s * MS_PER_S, after_s=step.at_s)
        yield Measurement(about, abs(step.step_s) * MS_PER_S, place, low=low, high=high, at_s=begin_s + step.at_s)
