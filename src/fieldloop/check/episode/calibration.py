"""Questions about whether it is known where the sensors were."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measured, Measurement, Status
from fieldloop.model.stream import StreamKind


@check(
    "calibration.in_force",
    unit="calibrations",
    needs=("cameras", "calibrations"),
    advice="Calibrate the camera, or attach the calibration that was valid when this was recorded.",
)
def in_force(case: Case) -> Iterator[Measurement]:
    """Was a good calibration in force for each camera from the episode's start to its end?"""
    for stream in case.streams(StreamKind.RGB):
        yield Measurement(stream.name, _good(case.episode, {stream.name, stream.serial}, case.calibrations or ()))


def count_again(measured: Measured, episode: Episode, calibrations: Iterable[Calibration]) -> Measured:
    """Count anew what was known when the episode came in: calibrations are attached later too, the log stays shut."""
    known = tuple(calibrations)
    serial = {m.subject: episode.fact(f"serial.{m.subject}") or "" for m in measured.measurements}
    again = (replace(m, value=_good(episode, {m.subject, serial[m.subject]}, known)) for m in measured.measurements)
    return replace(measured, measurements=tuple(again))


def _good(episode: Episode, names: set[str], calibrations: Iterable[Calibration]) -> float:
    holding = (c for c in calibrations if c.holds_at(episode.start_ns) and c.holds_at(episode.end_ns))
    return float(sum(c.sensor in names - {""} and c.status is Status.PASSED for c in holding))
