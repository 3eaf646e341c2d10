"""Logs of other people with several clocks: two computers, two senders of one stream, stamps of inputs, waiting."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import ABOUT_PROGRAMS
from fieldloop.testing.planted import make_case, measure_by_subject

START, HOURS = 1_767_225_600 * NS_PER_S, 6 * 3600 * NS_PER_S
MS = NS_PER_S // 1000
SECONDS = 20


def grid(hz):
    return START + (np.arange(SECONDS * hz) * NS_PER_S) // hz


def sent(name, kind, arrived, stamped, values=None):
    values = np.zeros((len(arrived), 1)) if values is None else values
    clocks = {ClockKind.HEADER: np.asarray(stamped, np.int64), ClockKind.LOG: np.asarray(arrived, np.int64)}
    return Stream(name, kind, "m" if kind is StreamKind.POSE else "", clocks, values)


def case_of(*streams):
    return make_case(*streams, start_ns=START, end_ns=START + SECONDS * NS_PER_S)


def swing(times, from_s=0.0):
    """Return a place that moves from some second on."""
    seconds = (times - START) / NS_PER_S
    return np.where(seconds > from_s, np.sin(seconds - from_s), 0.0)[:, None]


def two_senders():
    """Return a pose of two senders in turn: one on the recorder's clock stands, one six hours ahead moves."""
    arrived = grid(100)
    second = np.arange(len(arrived)) % 4 == 3
    place = np.where(second[:, None], swing(arrived), 0.0)
    return sent("tf/base", StreamKind.POSE, arrived, arrived - 2 * MS + np.where(second, HOURS, 0), place)


def test_two_senders_of_one_stream_are_reported_once():
    case = case_of(two_senders())
    assert measure_by_subject("timing.not_monotonic", case)["tf/base"].value > 100
    for name in ("timing.stamped_ahead", "timing.stamped_behind", "timing.clock_drift", "timing.clock_step"):
        assert measure_by_subject(name, case) == {}


def test_a_clock_set_once_by_hours_is_still_a_step():
    arrived = grid(100)
    stamped = arrived - 2 * MS - np.where(np.arange(len(arrived)) >= 1000, HOURS, 0)
    found = measure_by_subject("timing.clock_step", case_of(sent("imu", StreamKind.IMU, arrived, stamped)))["imu"]
    assert found.value == pytest.approx(HOURS / MS, rel=1e-3)


@pytest.mark.parametrize("still_s", [0.0, 8.0])
def test_stillness_is_not_measured_across_clocks(still_s):
    arrived = grid(50)
    ahead = sent("tf/boat", StreamKind.POSE, arrived, arrived - MS + HOURS, swing(arrived, still_s))
    case = (
        case_of(two_senders(), ahead)
        if not still_s
        else case_of(sent("tf/map", StreamKind.POSE, arrived, arrived - MS), ahead)
    )
    for name in ("motion.idle_head", "motion.idle_tail"):
        expected = still_s if name == "motion.idle_head" else 0.0
        assert measure_by_subject(name, case)[""].value == pytest.approx(expected, abs=0.7)


def test_simulated_time_alone_stays_as_it_is():
    arrived = grid(50)
    slow = (arrived - START) // 2
    pose = sent("tf/boat", StreamKind.POSE, arrived, slow, swing(arrived, 8.0))
    assert measure_by_subject("motion.idle_head", case_of(pose))[""].value == pytest.approx(4.0, abs=0.5)


def test_one_clock_ahead_is_reported_at_one_stream():
    quick, slow, own = grid(100), grid(50), grid(40)
    drift = (slow - START) // 2000
    case = case_of(
        sent("imu", StreamKind.IMU, quick, quick - 2 * MS + HOURS + (quick - START) // 2000),
        sent("tf/imu", StreamKind.POSE, slow, slow - 2 * MS + HOURS + drift),
        sent("force", StreamKind.FORCE_TORQUE, own, own - 2 * MS + 50 * MS),
        sent("joints", StreamKind.JOINT_POSITION, own, own - 2 * MS),
    )
    ahead = measure_by_subject("timing.stamped_ahead", case)
    assert ahead["imu"].value > 1e6
    assert ahead["force"].value > 40  # another clock is another cause
    drifts = measure_by_subject("timing.clock_drift", case)
    assert drifts["imu"].value == pytest.approx(10, abs=1)
    assert drifts["tf/imu"].cannot_tell.code == "check.same_clock"


@pytest.mark.parametrize(("step_ms", "wait_ms"), [(0, 40), (0, 90), (40, 0), (-40, 0)])
def test_messages_that_wait_are_no_step_of_the_clock(step_ms, wait_ms):
    arrived, waited = grid(500), np.zeros(SECONDS * 500)
    for first in range(300, len(waited) - 100, 1500):  # a queue grows, stays full, and is thrown away
        waited[first : first + 100] = np.minimum(np.arange(100) / 60, 1) * wait_ms
    stamped = arrived - ((15 + waited) * MS).astype(np.int64)
    stamped[5000:] += step_ms * MS
    found = measure_by_subject("timing.clock_step", case_of(sent("tf/odom", StreamKind.POSE, arrived, stamped)))
    assert (found["tf/odom"].value > 5) is bool(step_ms)


@pytest.mark.parametrize(
    ("held", "notes", "backwards"), [(1, {}, True), (4, {}, False), (1, {ABOUT_PROGRAMS: "x"}, False)]
)
def test_stamps_of_inputs_and_of_programs_need_no_order(held, notes, backwards):
    arrived = grid(100)
    stamped = np.repeat(arrived[::held], held)
    stamped[800:808] = np.repeat(stamped[800 - held : 800 - 2 * held : -1][:1] - 15 * MS, 8)
    stream = replace(sent("rmse", StreamKind.OTHER, arrived, stamped), notes=notes)
    found = measure_by_subject("timing.not_monotonic", case_of(stream))
    assert bool(found and found["rmse"].value) is backwards
