"""Questions about whether what was sensed is there."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.stamps import moment, said
from fieldloop.check.registry import check
from fieldloop.model.episode import Defect
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import StreamKind

MOST_LISTED = 20


@check(
    "integrity.readable",
    unit="defects",
    advice="Set the log aside; record again, or repair it and ingest the repaired copy.",
    place_says_it=True,
)
def readable(case: Case) -> Iterator[Measurement]:
    """How much of the log could not be read?"""
    if case.recording.defects:
        yield from list_defects(case.recording.defects)
    elif any(True for _ in case.sensing()):
        yield Measurement("", 0.0)
    elif any(True for _ in case.streams()):
        yield Measurement("", 0.0, cannot_tell="no stream in it senses or commands anything that is known.")


@check(
    "integrity.required_streams",
    unit="missing streams",
    advice="Check that the sensor is plugged in, named as the protocol names it, and recorded.",
)
def required_streams(case: Case) -> Iterator[Measurement]:
    """Which streams that the protocol requires are missing?"""
    there = {stream.name for stream in case.streams()}
    for sensor in case.protocol.sensors.values():
        if sensor.required:
            yield Measurement(sensor.stream, 0.0 if sensor.stream in there else 1.0)


@check(
    "integrity.not_finite",
    unit="share of values",
    needs=("streams",),
    advice="Find the driver that writes NaN; drop or repair these samples before training.",
)
def not_finite(case: Case) -> Iterator[Measurement]:
    """Which share of each stream's numbers is not a number, or infinite?"""
    for stream in case.streams():
        values = stream.values
        if values is None or not values.size or values.dtype.kind not in "fiub":
            continue
        finite = np.isfinite(values)
        if finite.all():
            yield Measurement(stream.name, 0.0)
            continue
        bad = ~finite.reshape(len(values), -1)
        if stream.kind is StreamKind.OTHER:
            bad = bad[:, ~bad.all(axis=0)]  # a field that is never set is not a broken reading
        if bad.any():
            at_s = moment(case, stream, int(np.argmax(bad.any(axis=1))))
            yield Measurement(stream.name, float(bad.mean()), f"first {said(at_s)}", at_s=at_s)
        elif bad.size:
            yield Measurement(stream.name, 0.0)


def list_defects(defects: tuple[Defect, ...]) -> Iterator[Measurement]:
    """Make each defect a finding of its own, up to a number that a person would read."""
    for defect in defects[:MOST_LISTED]:
        where = f"{defect.place}: " if defect.place else ""
        yield Measurement(defect.subject, 1.0, f"{where}{defect.message.rstrip('.')}.")
    if more := max(0, len(defects) - MOST_LISTED):
        yield Measurement("", float(more), f"{more} more like these.")
