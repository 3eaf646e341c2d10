"""Running every check once: its measurements, or its error where it broke."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from fieldloop.check.batch_case import Batch
from fieldloop.check.case import Case
from fieldloop.check.registry import Check
from fieldloop.check.signals.same_cause import report_causes_once
from fieldloop.check.signals.sensed import explain_missing_evidence
from fieldloop.model.finding import ASSUMED, Measured, Measurement
from fieldloop.model.note import note
from fieldloop.model.provenance import Provenance, StreamFact

S = TypeVar("S", Case, Batch)
NOT_LOOKED_AT = note("check.numbers_only")


def measure_with(checks: Iterable[Check[S]], subject: S, *, pixels: bool = True) -> tuple[Measured, ...]:
    """Run these checks on one case or batch, in order; without `pixels` no picture is decoded."""
    return tuple(_run_check(check, subject, pixels=pixels) for check in checks)


def _run_check(check: Check[S], subject: S, *, pixels: bool) -> Measured:
    if check.pixels and not pixels:
        return Measured(check.name, reason=NOT_LOOKED_AT)
    if reason := subject.find_missing_input(check.needs):
        return Measured(check.name, reason=reason)
    try:
        measurements = tuple(_note_reader_assumption(check, subject, one) for one in check.look(subject))
    except Exception as broken:  # noqa: BLE001 - a check may meet unexpected data, and may come from outside
        return Measured(check.name, error=f"{type(broken).__name__}: {broken}")
    if check.same_cause and isinstance(subject, Case):
        measurements = tuple(report_causes_once(subject, check.name, measurements, check.same_cause))
    if isinstance(subject, Case):
        measurements = tuple(_note_missing_evidence(check, subject, one) for one in measurements)
    return Measured(check.name, measurements, reason=None if measurements else note("check.nothing_to_look_at"))


def _note_reader_assumption(check: Check[S], subject: S, measurement: Measurement) -> Measurement:
    """Note what a reader assumed about the streams concerned, where the check rests on it."""
    if not check.rests_on or not isinstance(subject, Case):
        return measurement
    for name in measurement.about.streams:
        for fact in check.rests_on:
            if _is_fact_assumed(subject, name, fact):
                reasons = (measurement.cannot_tell,) if measurement.cannot_tell else ()
                return replace(measurement, cannot_tell=note(ASSUMED, *reasons, stream=name, fact=fact.value))
    return measurement


def _note_missing_evidence(check: Check[S], case: Case, measurement: Measurement) -> Measurement:
    """Note what the streams concerned lack for the check to fail data that name no protocol."""
    held = measurement.cannot_tell
    if check.evidence is None or measurement.unproven or (held and held.code == ASSUMED):
        return measurement
    for name in measurement.about.streams:
        if lacks := explain_missing_evidence(case, name, check.evidence):
            return replace(measurement, unproven=lacks)
    return measurement


def _is_fact_assumed(case: Case, stream_name: str, fact: StreamFact) -> bool:
    """Did a reader assume this fact? What the protocol states of a stream is not assumed."""
    stream, asked = case.recording.streams.get(stream_name), case.protocol.sensors.get(stream_name)
    if stream is None or stream.get_provenance(fact) is not Provenance.ASSUMED:
        return False
    stated = asked is not None and (fact is StreamFact.MEANING or (fact is StreamFact.RATE and bool(asked.hz)))
    return not stated
