"""Injuries that the checks of timing must notice."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.stream import NS_PER_S, ClockKind
from fieldloop.testing.injuries.injury import STEP_NS, Injury, change_stamps, change_stream, drop_samples


def set_clock_back(case: Case) -> Case:
    """Repeat one stamp."""

    def back(times: NDArray[np.int64]) -> NDArray[np.int64]:
        times[500] = times[499]
        return times

    return change_stamps(case, "imu", back)


def shake_clock(case: Case) -> Case:
    """Let every third stamp come almost a period late."""
    period = round(NS_PER_S / 240)

    def late(times: NDArray[np.int64]) -> NDArray[np.int64]:
        times[::3] += round(0.8 * period)
        return times

    return change_stamps(case, "imu", late)


def shift_clock(case: Case) -> Case:
    """Put one camera 12 ms beside the others."""
    return change_stamps(case, "camera/wrist", lambda times: times + 12 * STEP_NS)


def forget_stamps(case: Case) -> Case:
    """Keep only a made-up clock of one stream."""
    times = case.recording.streams["imu"].times_ns
    return change_stream(case, "imu", clocks={ClockKind.SYNTHETIC: times - times[0]})


INJURIES: dict[str, Injury] = {
    "timing.longest_gap": Injury(drop_samples),
    "timing.not_monotonic": Injury(set_clock_back),
    "timing.jitter": Injury(shake_clock),
    "timing.rate": Injury(lambda case: change_stream(case, "imu", nominal_hz=330.0)),
    "timing.real_stamps": Injury(forget_stamps),
    "timing.stream_offset": Injury(shift_clock),
}
