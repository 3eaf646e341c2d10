"""Two clocks of one stream with a planted disagreement, and transports that look like one."""

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import CHECKS
from fieldloop.model.finding import Measured, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.protocol import default_protocol
from fieldloop.testing.planted import make_case, measure_by_subject

MS = 1_000_000
HEADER, LOG, CONTAINER, SYNTHETIC = ClockKind.HEADER, ClockKind.LOG, ClockKind.CONTAINER, ClockKind.SYNTHETIC


def sent(sensed_ms, arrived_ms, kind=StreamKind.IMU):
    clocks = {
        clock: (np.asarray(times) * MS).round().astype(np.int64)
        for clock, times in ((HEADER, sensed_ms), (LOG, arrived_ms))
    }
    return make_case(Stream("imu", kind, "", clocks, np.zeros((len(sensed_ms), 1))))


def transport(random, count, usual_ms=4.0, wait_ms=3.0):
    """Time on the way: a shortest one, and waiting that only adds."""
    return usual_ms + random.exponential(wait_ms, count)


GRID = np.arange(0, 20_000, 10.0)


@pytest.mark.parametrize("ahead", [0.0, 2.0, 30.0])
def test_a_clock_in_the_future_is_found_as_far_as_it_must_be(ahead):
    arrived = GRID + transport(np.random.default_rng(0), len(GRID)) - ahead
    found = measure_by_subject("timing.stamped_ahead", sent(GRID, arrived))["imu"].value
    assert found <= ahead  # a bound, never more than the truth
    assert found >= ahead - 4.2  # and no farther below it than the way takes


def test_a_slow_transport_proves_nothing():
    assert measure_by_subject("timing.stamped_ahead", sent(GRID, GRID + 300.0))["imu"].value == 0


def test_clocks_of_other_beginnings_cannot_be_compared():
    found = measure_by_subject("timing.stamped_ahead", sent(GRID + 1e10, GRID))["imu"]
    assert found.cannot_tell.code == "check.clocks_have_other_epochs"


def test_a_command_may_be_stamped_for_later():
    assert measure_by_subject("timing.stamped_ahead", sent(GRID + 50.0, GRID, StreamKind.ACTION)) == {}


@pytest.mark.parametrize("drift", [-40.0, -8.0, 12.0, 60.0])
def test_the_drift_lies_in_its_interval(drift):
    sensed = GRID * (1 + drift / GRID[-1])
    covered = 0
    for seed in range(40):
        arrived = GRID + transport(np.random.default_rng(seed), len(GRID)) + 100
        found = measure_by_subject("timing.clock_drift", sent(sensed, arrived))["imu"]
        covered += found.low <= abs(drift) <= found.high
    assert covered >= 36  # 95 in 100 promised


def test_healthy_clocks_are_not_accused_of_drift_or_steps():
    accused = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        case = sent(GRID, GRID + transport(random, len(GRID), wait_ms=random.uniform(0.1, 20)))
        for name in ("timing.clock_drift", "timing.clock_step", "timing.stamped_ahead"):
            found = check.judge_measurements(
                [Measured(name, tuple(CHECKS[name].look(case)))], default_protocol(), named=True
            )
            accused += sum(one.status is Status.FAILED for one in found)
    assert accused == 0


@pytest.mark.parametrize("step", [-60.0, -12.0, 12.0, 60.0])
def test_a_clock_that_is_set_is_found_with_its_moment(step):
    sensed = GRID + np.where(np.arange(len(GRID)) >= 700, step, 0.0)
    arrived = GRID + 5 + np.random.default_rng(1).uniform(0, 0.5, len(GRID)) + 100
    found = measure_by_subject("timing.clock_step", sent(sensed, arrived))["imu"]
    assert found.value == pytest.approx(abs(step), abs=1)
    assert found.at_s == pytest.approx(7.0 + max(step, 0) / 1000, abs=0.1)


def test_a_transport_that_becomes_slower_is_no_step_of_a_clock():
    arrived = GRID + np.where(np.arange(len(GRID)) >= 700, 45.0, 5.0)
    assert measure_by_subject("timing.clock_step", sent(GRID, arrived))["imu"].value == 0


def test_a_bunch_that_arrives_late_is_no_step_of_a_clock():
    arrived = GRID + 5.0
    arrived[500:530] = arrived[529]
    assert measure_by_subject("timing.clock_step", sent(GRID, arrived))["imu"].value < 5


def test_few_samples_follow_no_clock():
    for name in ("timing.clock_drift", "timing.clock_step"):
        assert (
            measure_by_subject(name, sent(GRID[:12], GRID[:12] + 5))["imu"].cannot_tell.code
            == "check.too_few_for_clock"
        )


# ── a video and its table


def recorded(frames_ms, rows_ms):
    video = Stream("camera", StreamKind.RGB, "8-bit", {CONTAINER: (np.asarray(frames_ms) * MS).astype(np.int64)})
    rows = (np.asarray(rows_ms) * MS).astype(np.int64)
    return make_case(
        video, Stream("joints", StreamKind.JOINT_POSITION, "rad", {SYNTHETIC: rows}, np.zeros((len(rows), 1)))
    )


def test_a_table_that_begins_a_frame_late_is_off_by_a_frame_and_can_be_put_right():
    frames = np.arange(100) * 50.0
    found = measure_by_subject("timing.camera_clock", recorded(frames, frames + 50))["camera"]
    assert found.value == 50
    assert found.fix == Fix(
        FixKind.RESTAMP, found.fix.why, stream="camera", shift_ns=50 * MS, clock=ClockKind.CONTAINER
    )


def test_a_video_of_another_rate_is_off_by_more_and_more_and_no_shift_helps():
    found = measure_by_subject("timing.camera_clock", recorded(np.arange(100) * 33.0, np.arange(100) * 40.0))["camera"]
    assert found.value == pytest.approx(99 * 7.0)
    assert found.fix is None


def test_a_video_that_fits_its_table_is_near_it():
    frames = np.arange(100) * 1000 / 30
    assert measure_by_subject("timing.camera_clock", recorded(frames, np.round(frames, 1)))["camera"].value <= 0.06


def test_frames_of_another_number_than_rows_are_not_moved():
    found = measure_by_subject("timing.camera_clock", recorded(np.arange(99) * 50.0, np.arange(100) * 50.0 + 50))[
        "camera"
    ]
    assert found.value == 50
    assert found.fix is None


def test_frames_with_stamps_of_their_own_are_not_stated_to_be_near_a_row():
    assert measure_by_subject("timing.camera_clock", sent(GRID, GRID, StreamKind.RGB)) == {}
