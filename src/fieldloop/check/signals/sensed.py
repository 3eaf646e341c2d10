"""What a stream must show for a check to fail data that name no protocol: that a sensor took and stamped its samples.

A protocol states what was meant to be recorded. Without one, a transform, a command, a computed stream or a simulated
clock may be as its sender intended, so a number that is beyond the limit there is named and does not fail.
"""

from enum import StrEnum

from fieldloop.check.case import Case
from fieldloop.model.note import Note, note
from fieldloop.model.provenance import Provenance, StreamFact
from fieldloop.model.stream import FIRST_REAL_NS, ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD, RESAMPLED, SENDERS


class Evidence(StrEnum):
    """What the streams of a measurement must show.

    SENSOR: a type or layout states that a sensor took the samples. CLOCK: also, one sender stamped them in real time.
    """

    SENSOR = "sensor"
    CLOCK = "clock"


SENSORS = (
    StreamKind.RGB,
    StreamKind.DEPTH,
    StreamKind.IMU,
    StreamKind.FORCE_TORQUE,
    StreamKind.JOINT_POSITION,
    StreamKind.JOINT_VELOCITY,
    StreamKind.JOINT_EFFORT,
)
"""Kinds that a sensor measures. Poses and transforms are mostly computed, and commands are decided."""


def explain_missing_evidence(case: Case, stream_name: str, needed: Evidence) -> Note | None:
    """Return what a stream lacks as evidence; None where it has what is needed."""
    stream = case.recording.streams.get(stream_name)
    if stream is None or stream_name in case.protocol.sensors:
        return None
    if not _is_sensor(stream):
        return note("check.not_a_sensor", stream=stream_name)
    if needed is Evidence.CLOCK and not _is_stamped_by_sensor(stream):
        return note("check.not_stamped_by_sensor", stream=stream_name)
    return None


def _is_sensor(stream: Stream) -> bool:
    assumed = stream.get_provenance(StreamFact.MEANING) is Provenance.ASSUMED
    return stream.kind in SENSORS and not assumed and NOT_UNDERSTOOD not in stream.notes


def _is_stamped_by_sensor(stream: Stream) -> bool:
    """Did one sender stamp the samples itself, in real time? Simulated and relative clocks count from near zero."""
    if stream.clock is not ClockKind.HEADER or stream.get_provenance(StreamFact.CLOCK) is not Provenance.STORED:
        return False
    real = all(int(stamps.min()) >= FIRST_REAL_NS for stamps in stream.clocks.values() if len(stamps))
    return real and SENDERS not in stream.notes and RESAMPLED not in stream.notes
