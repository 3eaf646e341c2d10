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
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

Times = NDArray[np.int64]


def set_stamp_back(case: Case) -> Case:
    """Set one timestamp before the previous one."""

    def set_one_time_back(times: Times) -> Times:
        times[500] = times[499] - STEP_NS // 10
        return times

    return change_stamps(case, "imu", set_one_time_back)


def repeat_stamp(case: Case) -> Case:
    """Repeat one stamp."""

    def repeat_one_time(times: Times) -> Times:
        times[500] = times[499]
        return times

    return change_stamps(case, "imu", repeat_one_time)


def make_slow_imu_case() -> Case:
    """Return a healthy case whose IMU runs at 120 Hz: almost a period is then longer than what jitter may be."""
    case = make_healthy_case()
    imu = case.recording.streams["imu"]
    slow = replace(keep_samples(imu, np.arange(0, len(imu), 2)), nominal_hz=120.0)
    return replace(case, recording=replace_streams(case.recording, {"imu": slow}), _kept={})


def delay_every_third_stamp(case: Case) -> Case:
    """Delay every third timestamp by almost a period."""
    period = round(NS_PER_S / 120)

    def delay_times(times: Times) -> Times:
        times[::3] += round(0.8 * period)
        return times

    return change_stamps(case, "imu", delay_times)


def shift_camera_clock(case: Case) -> Case:
    """Shift one camera by 12 ms against the others."""
    return change_stamps(case, "camera/wrist", lambda times: times + 12 * STEP_NS)


def keep_generated_clock(case: Case) -> Case:
    """Keep only a generated clock of one stream."""
    times = case.recording.streams["imu"].times_ns
    return change_stream(case, "imu", clocks={ClockKind.SYNTHETIC: times - times[0]})


def set_recorder_clock_back(case: Case) -> Case:
    """Set the recorder's clock 20 ms behind the sensor's."""
    clocks = case.recording.streams["imu"].clocks
    late = {kind: times if kind is ClockKind.HEADER else times - 20 * STEP_NS for kind, times in clocks.items()}
    return change_stream(case, "imu", clocks=late)


def delay_camera_clock(case: Case) -> Case:
    """Set a camera's clock 80 ms behind the recorder's; its frames arrive as before."""
    clocks = case.recording.streams["camera/wrist"].clocks
    behind = {**clocks, ClockKind.HEADER: clocks[ClockKind.HEADER] - 80 * STEP_NS}
    return change_stream(case, "camera/wrist", clocks=behind)


def slow_sensor_clock(case: Case) -> Case:
    """Make the sensor's clock lose two milliseconds per second against the recorder's."""
    clocks = case.recording.streams["imu"].clocks
    sensed = clocks[ClockKind.HEADER]
    slow = sensed - ((sensed - sensed[0]) * 0.002).astype(np.int64)
    return change_stream(case, "imu", clocks={**clocks, ClockKind.HEADER: slow})


def step_sensor_clock_back(case: Case) -> Case:
    """Set the sensor's clock, but not the recorder's, back by 40 ms during the recording."""
    clocks = case.recording.streams["imu"].clocks
    sensed = np.array(clocks[ClockKind.HEADER])
    sensed[1200:] -= 40 * STEP_NS
    return change_stream(case, "imu", clocks={**clocks, ClockKind.HEADER: sensed})


def start_video_rows_late(case: Case) -> Case:
    """Make a camera a video whose table begins one frame later."""
    clocks = case.recording.streams["camera/wrist"].clocks
    video = clocks[ClockKind.HEADER] - case.episode.start_ns
    beside = {ClockKind.CONTAINER: video, ClockKind.SYNTHETIC: video + NS_PER_S // 30}
    return change_stream(case, "camera/wrist", clocks={**clocks, **beside})


INJURIES: dict[str, Injury] = {
    "timing.longest_gap": Injury(drop_samples),
    "timing.not_monotonic": Injury(set_stamp_back),
    "timing.repeated_stamps": Injury(repeat_stamp),
    "timing.jitter": Injury(
        delay_every_third_stamp,
        {"timing.stream_offset": "what is delayed by almost a period is out of step with the other streams"},
        make_slow_imu_case,
    ),
    "timing.rate": Injury(lambda case: change_stream(case, "imu", nominal_hz=330.0)),
    "timing.real_stamps": Injury(keep_generated_clock),
    "timing.stream_offset": Injury(shift_camera_clock),
    "timing.stamped_ahead": Injury(set_recorder_clock_back),
    "timing.stamped_behind": Injury(
        delay_camera_clock,
        {"timing.stream_offset": "80 ms are 2.4 frames: the stamps are out of step with the other cameras'"},
    ),
    "timing.clock_drift": Injury(slow_sensor_clock),
    "timing.clock_step": Injury(
        step_sensor_clock_back,
        {
            "timing.not_monotonic": "a clock that is set back runs backwards once",
            "timing.clock_drift": "what is set has moved against the other clock",
        },
    ),
    "timing.camera_clock": Injury(start_video_rows_late),
}
