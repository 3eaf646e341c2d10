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
    """Was a good calibration in force for each camera from the episode's start to its end?

    A look at the marker that fails ends a calibration where the last good look was, so every episode in between fails
    here; what held at the start and no longer at the end does not count.
    """
    for stream in case.streams(StreamKind.RGB):
        yield _counted(stream.name, stream.serial, case.episode, case.calibrations or ())


def count_again(measured: Measured, episode: Episode, calibrations: Iterable[Calibration]) -> Measured:
    """Count anew what was known when the episode came in: calibrations are attached later too, the log stays shut."""
    known = tuple(calibrations)
    again = (
        _counted(m.subject, episode.fact(f"serial.{m.subject}") or "", episode, known) for m in measured.measurements
    )
    return replace(measured, measurements=tuple(again))


def _counted(camera: str, serial: str, episode: Episode, calibrations: Iterable[Calibration]) -> Measurement:
    own = [c for c in calibrations if c.sensor in {camera, serial} - {""}]
    good = [c for c in own if c.status is Status.PASSED]
    holding = [c for c in good if c.holds_at(episode.start_ns) and c.holds_at(episode.end_ns)]
    return Measurement(camera, float(len(holding)), "" if holding else _why_none(own, good, episode))


def _why_none(own: list[Calibration], good: list[Calibration], episode: Episode) -> str:
    if not own:
        return "(none is known for it)"
    if not good:
        return "(none of its own is good)"
    if any(c.holds_at(episode.start_ns) for c in good):
        return "(one held at the episode's start and no longer at its end)"
    return "(none held when the episode began)"
