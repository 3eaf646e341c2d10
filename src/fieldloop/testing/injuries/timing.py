"""Injuries that the checks of timing must notice."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.stream import NS_PER_S, ClockKind
from fieldloop.testing.injuries.injury import (
    STEP_NS,
    Injury,
    change_stamps,
    change_stream,
    drop_samples,
    keep_samples,
)
from fieldloop.testing.synthetic import healthy_case, with_streams

Times = NDArray[np.int64]


def set_clock_back(case: Case) -> Case:
    """Set one timestamp before the previous one."""

    def back(times: Times) -> Times:
        times[500] = times[499] - STEP_NS // 10
        return times

    return change_stamps(case, "imu", back)


def repeat_stamp(case: Case) -> Case:
    """Repeat one stamp."""

    def again(times: Times) -> Times:
        times[500] = times[499]
        return times

    return change_stamps(case, "imu", again)


def slow_imu_case() -> Case:
    """Return a healthy case whose IMU runs at 120 Hz: almost a period is then longer than what jitter may be."""
    case = healthy_case()
    imu = case.recording.streams["imu"]
    slow = replace(keep_samples(imu, np.arange(0, len(imu), 2)), nominal_hz=120.0)
    return replace(case, recording=with_streams(case.recording, {"imu": slow}), _kept={})


def shake_clock(case: Case) -> Case:
    """Delay every third timestamp by almost a period."""
    period = round(NS_PER_S / 120)

    def late(times: Times) -> Times:
        times[::3] += round(0.8 * period)
        return times

    return change_stamps(case, "imu", late)


def shift_clock(case: Case) -> Case:
    """Shift one camera by 12 ms against the others."""
    return change_stamps(case, "camera/wrist", lambda times: times + 12 * STEP_NS)


def forget_stamps(case: Case) -> Case:
    """Keep only a generated clock of one stream."""
    times = case.recording.streams["imu"].times_ns
    return change_stream(case, "imu", clocks={ClockKind.SYNTHETIC: times - times[0]})


def arrive_early(case: Case) -> Case:
    """Set the recorder's clock 20 ms behind the sensor's."""
    clocks = case.recording.streams["imu"].clocks
    late = {kind: times if kind is ClockKind.HEADER else times - 20 * STEP_NS for kind, times in clocks.items()}
    return change_stream(case, "imu", clocks=late)


def lag_clock(case: Case) -> Case:
    """Set a camera's clock 80 ms behind the recorder's; its frames arrive as before."""
    clocks = case.recording.streams["camera/wrist"].clocks
    behind = {**clocks, ClockKind.HEADER: clocks[ClockKind.HEADER] - 80 * STEP_NS}
    return change_stream(case, "camera/wrist", clocks=behind)


def slow_clock(case: Case) -> Case:
    """Make the sensor's clock lose two milliseconds per second against the recorder's."""
    clocks = case.recording.streams["imu"].clocks
    sensed = clocks[ClockKind.HEADER]
    slow = sensed - ((sensed - sensed[0]) * 0.002).astype(np.int64)
    return change_stream(case, "imu", clocks={**clocks, ClockKind.HEADER: slow})


def set_clock(case: Case) -> Case:
    """Set the sensor's clock, but not the recorder's, back by 40 ms during the recording."""
    clocks = case.recording.streams["imu"].clocks
    sensed = np.array(clocks[ClockKind.HEADER])
    sensed[1200:] -= 40 * STEP_NS
    return change_stream(case, "imu", clocks={**clocks, ClockKind.HEADER: sensed})


def begin_rows_late(case: Case) -> Case:
    """Make a camera a video whose table begins one frame later."""
    clocks = case.recording.streams["camera/wrist"].clocks
    video = clocks[ClockKind.HEADER] - case.episode.start_ns
    beside = {ClockKind.CONTAINER: video, ClockKind.SYNTHETIC: video + NS_PER_S // 30}
    return change_stream(case, "camera/wrist", clocks={**clocks, **beside})


INJURIES: dict[str, Injury] = {
    "timing.longest_gap": Injury(drop_samples),
    "timing.not_monotonic": Injury(set_clock_back),
    "timing.repeated_stamps": Injury(repeat_stamp),
    "timing.jitter": Injury(
        shake_clock,
        {"timing.stream_offset": "what is delayed by almost a period is out of step with the other streams"},
        slow_imu_case,
    ),
    "timing.rate": Injury(lambda case: change_stream(case, "imu", nominal_hz=330.0)),
    "timing.real_stamps": Injury(forget_stamps),
    "timing.stream_offset": Injury(shift_clock),
    "timing.stamped_ahead": Injury(arrive_early),
    "timing.stamped_behind": Injury(
        lag_clock, {"timing.stream_offset": "80 ms are 2.4 frames: the stamps are out of step with the other cameras'"}
    ),
    "timing.clock_drift": Injury(slow_clock),
    "timing.clock_step": Injury(
        set_clock,
        {
            "timing.not_monotonic": "a clock that is set back runs backwards once",
            "timing.clock_drift": "what is set has moved against the other clock",
        },
    ),
    "timing.camera_clock": Injury(begin_rows_late),
}
