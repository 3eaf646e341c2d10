"""Alignment: is what a camera shows really of the moment that its stamps say? Asked of the pictures themselves."""

from collections.abc import Iterator
from dataclasses import replace

from fieldloop.check.case import Case
from fieldloop.check.content import Evidence, LagEstimate, find_step, pooled, settings_of
from fieldloop.check.content.evidence import evidence
from fieldloop.check.content.path import moving_streams
from fieldloop.check.content.words import lag_measurement, shifted
from fieldloop.check.judging import PAIR
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind

MS = 1e3
NAN = float("nan")


def lag_evidence(case: Case, camera: Stream) -> Evidence:
    """Return what is kept of one camera beside the joints; looked at once for all questions."""
    others = tuple(case.streams())
    return case.keep(("lag evidence", camera.name), lambda: evidence(camera, others, settings_of(case.protocol)))


@check(
    "alignment.content_lag",
    unit="ms",
    needs=("cameras",),
    pixels=True,
    advice="Find what stamps the pictures late or early (driver, exposure, transport); pool episodes to be surer.",
)
def content_lag(case: Case) -> Iterator[Measurement]:
    """By how much do the moments that a camera shows differ from those that its stamps say?

    Motion seen in the pictures (optical flow) is regressed on the joints' motion at every lag; the best lag comes with
    the interval in which the truth lies, at the centre row; little, slow or unexplained motion is refused.
    The lag is against the joints' stamps: a joint sensor that is late by itself is part of it.
    """
    settings = settings_of(case.protocol)
    moving = moving_streams(tuple(case.streams()))
    for camera in case.streams(StreamKind.RGB) if moving else ():
        subject = f"{camera.name}{PAIR}{moving[0].name}"
        found = pooled([lag_evidence(case, camera)], settings)
        yield replace(lag_measurement(subject, found), fix=_restamp(camera, found))


def _restamp(camera: Stream, found: LagEstimate) -> Fix | None:
    """Propose the stamps at which the camera showed what it shows."""
    if found.refused:
        return None
    why = f"its pictures show the robot {found.lag_s * MS:+.1f} ms from where their stamps say"
    return Fix(FixKind.RESTAMP, why, camera.name, shift_ns=round(found.lag_s * NS_PER_S))


@check(
    "alignment.content_step",
    unit="ms",
    needs=("cameras",),
    pixels=True,
    advice="Look for frames lost without a trace at this moment; leave out what lies behind it, or stamp it anew.",
)
def content_step(case: Case) -> Iterator[Measurement]:
    """By how much does the lag between pictures and joints jump within the episode?

    A recorder that loses frames and closes the gap shifts all later pictures. Every moment is tried; the likeliest jump
    is fitted and comes with an interval that allows for having chosen it.
    """
    settings, name = settings_of(case.protocol), "alignment.content_step"
    edge_s, reach = case.parameter(name, "edge_s"), case.parameter(name, "sd")
    moving = moving_streams(tuple(case.streams()))
    for camera in case.streams(StreamKind.RGB) if moving else ():
        subject = f"{camera.name}{PAIR}{moving[0].name}"
        found = find_step(lag_evidence(case, camera), settings, edge_s, reach)
        if found.refused:
            yield Measurement(subject, NAN, cannot_tell=found.refused)
            continue
        low, high = shifted(found.low_s, found.high_s)
        begin_s = (int(camera.times_ns[0]) - case.episode.start_ns) / 1e9
        place = f"({found.step_s * MS:+.0f} ms {found.at_s:.1f} s after the first picture)"
        yield Measurement(subject, abs(found.step_s) * MS, place, low=low, high=high, at_s=begin_s + found.at_s)
