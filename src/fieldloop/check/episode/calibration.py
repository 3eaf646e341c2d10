"""Check of whether each sensor's calibration was valid during the episode."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fieldloop.check.case import NEVER_CALIBRATED, Case
from fieldloop.check.registry import check
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measured, Measurement, Status
from fieldloop.model.hardware import Sensor
from fieldloop.model.note import AS_WRITTEN, Note, Subject, note
from fieldloop.model.stream import StreamKind

IN_FORCE = "calibration.in_force"
CALIBRATED = (StreamKind.RGB, StreamKind.DEPTH, StreamKind.FORCE_TORQUE)
OLDER_MARK = " · "
"""Separator of kind and serial number in the texts of earlier versions."""


@check(
    IN_FORCE,
    unit="calibrations",
    needs=("calibrated", "calibrations"),
)
def count_calibrations_in_force(case: Case) -> Iterator[Measurement]:
    """Was a good calibration in force for each sensor from the episode's start to its end?

    The check applies to every colour camera, and to every depth and force sensor that was ever calibrated. A failed
    marker verification ends a calibration at the last good verification, so every episode in between fails. A
    calibration that was valid at the start but not at the end does not count.
    """
    for stream in case.find_streams(*CALIBRATED):
        sensor = Sensor(_find_serial(stream.serial, stream.name, case.episode), stream.kind, stream.name)
        yield from _count_valid_calibrations(sensor, case.episode, case.calibrations or ())


def keep_sensors_for_recount(measured: Measured, sensors: Iterable[Sensor]) -> Measured:
    """Yield what a later recount needs: each sensor with its kind and serial number."""
    kept = tuple(Measurement(Subject(s.stream), 0.0, _note_sensor(s)) for s in sensors if s.kind in CALIBRATED)
    return replace(measured, measurements=kept, reason=None) if kept else measured


def _note_sensor(sensor: Sensor) -> Note:
    return note("check.sensor_kept", kind=sensor.kind.value, serial=sensor.serial)


def recount_calibrations(measured: Measured, episode: Episode, calibrations: Iterable[Calibration] | None) -> Measured:
    """Count by the calibrations known now: some are added or invalidated later. The log is not opened.

    None means that nothing was ever calibrated here.
    """
    if calibrations is None:
        return replace(measured, measurements=(), reason=NEVER_CALIBRATED) if measured.measurements else measured
    known = tuple(calibrations)
    sensors = (_restore_sensor(m, episode) for m in measured.measurements)
    return replace(
        measured, measurements=tuple(m for s in sensors for m in _count_valid_calibrations(s, episode, known))
    )


def _restore_sensor(measurement: Measurement, episode: Episode) -> Sensor:
    kind, serial = _read_kind_and_serial(measurement.place)
    known = kind in set(CALIBRATED)  # before depth and force sensors were checked, only colour cameras were kept
    stream = measurement.about.stream
    return Sensor(
        _find_serial(serial if known else "", stream, episode), StreamKind(kind) if known else StreamKind.RGB, stream
    )


def _read_kind_and_serial(place: Note | None) -> tuple[str, str]:
    """Return the sensor that was kept; tables of earlier versions hold a text."""
    if place is None:
        return "", ""
    if place.code == AS_WRITTEN:
        kind, _, serial = str(place["text"]).partition(OLDER_MARK)
        return kind, serial
    if place.code != "check.sensor_kept":
        return "", ""
    return str(place["kind"]), str(place["serial"])


def _find_serial(stated_serial: str, stream: str, episode: Episode) -> str:
    return stated_serial or episode.get_fact(f"serial.{stream}") or ""


def _count_valid_calibrations(
    sensor: Sensor, episode: Episode, calibrations: Iterable[Calibration]
) -> Iterator[Measurement]:
    of_sensor = [c for c in calibrations if c.sensor in {sensor.stream, sensor.serial} - {""}]
    if not of_sensor and sensor.kind is not StreamKind.RGB:
        return  # depth and force sensors are usable uncalibrated; once calibrated, the calibration must be valid
    good = [c for c in of_sensor if c.status is Status.PASSED]
    holding = [c for c in good if c.is_in_force_at(episode.start_ns) and c.is_in_force_at(episode.end_ns)]
    yield Measurement(
        Subject(sensor.stream),
        float(len(holding)),
        None if holding else note(_name_reason_none_valid(of_sensor, good, episode)),
    )


def _name_reason_none_valid(
    sensor_calibrations: list[Calibration], good_calibrations: list[Calibration], episode: Episode
) -> str:
    if not sensor_calibrations:
        return "check.calibration_unknown"
    if not good_calibrations:
        return "check.calibration_failed"
    if any(c.is_in_force_at(episode.start_ns) for c in good_calibrations):
        return "check.calibration_ended_within"
    return "check.calibration_not_yet_valid"
