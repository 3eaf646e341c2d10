"""Questions about whether it is known where the sensors were."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fieldloop.check.case import NO_CALIBRATIONS, Case
from fieldloop.check.registry import check
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measured, Measurement, Status
from fieldloop.model.hardware import Sensor
from fieldloop.model.stream import StreamKind

IN_FORCE = "calibration.in_force"
CALIBRATED = (StreamKind.RGB, StreamKind.DEPTH, StreamKind.FORCE_TORQUE)
KEPT = " · "
"""Parts kind and serial number where a sensor to be counted is kept."""


@check(
    IN_FORCE,
    unit="calibrations",
    needs=("calibrated", "calibrations"),
    advice="Calibrate the sensor, or attach the calibration that was valid when this was recorded.",
)
def in_force(case: Case) -> Iterator[Measurement]:
    """Was a good calibration in force for each sensor from the episode's start to its end?

    Asked of every colour camera, and of every depth and force sensor that was ever calibrated. A look at the marker
    that fails ends a calibration where the last good look was, so every episode in between fails here; what held at the
    start and no longer at the end does not count.
    """
    for stream in case.streams(*CALIBRATED):
        sensor = Sensor(_serial(stream.serial, stream.name, case.episode), stream.kind, stream.name)
        yield from _counted(sensor, case.episode, case.calibrations or ())


def to_be_counted(measured: Measured, sensors: Iterable[Sensor]) -> Measured:
    """Return what is kept for counting anew: each sensor with its kind and number, whatever is known of it by now."""
    kept = (Measurement(s.stream, 0.0, f"{s.kind}{KEPT}{s.serial}") for s in sensors if s.kind in CALIBRATED)
    return replace(measured, measurements=found, reason="") if (found := tuple(kept)) else measured


def count_again(measured: Measured, episode: Episode, calibrations: Iterable[Calibration] | None) -> Measured:
    """Count what was kept by what is known now: calibrations are attached and lost later too, the log stays shut.

    None says that nothing was ever calibrated here.
    """
    if calibrations is None:
        return replace(measured, measurements=(), reason=NO_CALIBRATIONS) if measured.measurements else measured
    known = tuple(calibrations)
    sensors = (_kept(m, episode) for m in measured.measurements)
    return replace(measured, measurements=tuple(m for s in sensors for m in _counted(s, episode, known)))


def _kept(measurement: Measurement, episode: Episode) -> Sensor:
    kind, _, serial = measurement.place.partition(KEPT)
    known = kind in set(CALIBRATED)  # what was kept before depth and force counted is about colour cameras
    return Sensor(
        _serial(serial if known else "", measurement.subject, episode),
        StreamKind(kind) if known else StreamKind.RGB,
        measurement.subject,
    )


def _serial(own: str, stream: str, episode: Episode) -> str:
    return own or episode.fact(f"serial.{stream}") or ""


def _counted(sensor: Sensor, episode: Episode, calibrations: Iterable[Calibration]) -> Iterator[Measurement]:
    own = [c for c in calibrations if c.sensor in {sensor.stream, sensor.serial} - {""}]
    if not own and sensor.kind is not StreamKind.RGB:
        return  # depth and force are of use without; once calibrated they are held to it
    good = [c for c in own if c.status is Status.PASSED]
    holding = [c for c in good if c.holds_at(episode.start_ns) and c.holds_at(episode.end_ns)]
    yield Measurement(sensor.stream, float(len(holding)), "" if holding else _why_none(own, good, episode))


def _why_none(own: list[Calibration], good: list[Calibration], episode: Episode) -> str:
    if not own:
        return "(none is known for it)"
    if not good:
        return "(none of its own is good)"
    if any(c.holds_at(episode.start_ns) for c in good):
        return "(one held at the episode's start and no longer at its end)"
    return "(none held when the episode began)"
