"""Questions about whether it is known where the sensors were."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement, Status
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
        names = {stream.name, stream.serial} - {""}
        good = [
            calibration for calibration in case.calibrations or ()
            if calibration.sensor in names
            and calibration.status is Status.PASSED
            and calibration.holds_at(case.episode.start_ns)
            and calibration.holds_at(case.episode.end_ns)
        ]  # fmt: skip
        yield Measurement(stream.name, float(len(good)))
