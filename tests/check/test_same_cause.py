"""One cause that shows in several streams fails once, at the stream that it harms most, and names the others."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.model.finding import Status
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import SENDERS
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence
from fieldloop.testing.planted import make_case, measure_by_subject

START, SECONDS, HZ = 1_767_225_600 * NS_PER_S, 20, 50
MS = NS_PER_S // 1000
JOINTS, POSE, IMU = StreamKind.JOINT_POSITION, StreamKind.POSE, StreamKind.IMU


def grid(hz=HZ):
    return START + (np.arange(SECONDS * hz) * NS_PER_S) // hz


def sent(name, kind, stamped, arrived=None, values=None, columns=()):
    clocks = {ClockKind.HEADER: np.asarray(stamped, np.int64)} if stamped is not None else {}
    if arrived is not None:
        clocks[ClockKind.LOG] = np.asarray(arrived, np.int64)
    count = len(next(iter(clocks.values())))
    values = np.sin(np.arange(count) / 30)[:, None] if values is None else values
    return Stream(name, kind, "rad" if kind is JOINTS else "m", clocks, values, columns=columns)


def case_of(*streams, protocol=""):
    case = make_case(*streams, start_ns=START, end_ns=START + SECONDS * NS_PER_S)
    return replace(case, recording=replace(case.recording, episode=replace(case.episode, protocol=protocol)), _kept={})


def failed(case, name):
    findings = check.judge_measurements(check.measure_episode(case, pixels=False), default_protocol(), named=True)
    return [f for f in findings if f.check == name and f.status is Status.FAILED]


def test_a_gap_of_all_streams_is_one_finding_that_names_them():
    times = np.delete(grid(), slice(400, 430))
    slower = grid(25)
    slower = slower[(slower < times[399]) | (slower > times[400])]
    case = case_of(sent("joints", JOINTS, times), sent("tool", POSE, times.copy()), sent("imu", IMU, slower))
    (found,) = failed(case, "timing.longest_gap")
    assert found.about.stream == "joints"
    assert "tool, imu" in write_sentence(found.place)
    assert len(failed(case_of(*case.recording.streams.values(), protocol="own"), "timing.longest_gap")) == 3


def test_gaps_at_other_times_are_other_causes():
    one, other = np.delete(grid(), slice(400, 430)), np.delete(grid(), slice(700, 730))
    assert len(failed(case_of(sent("joints", JOINTS, one), sent("tool", POSE, other)), "timing.longest_gap")) == 2


def test_a_clock_that_is_set_back_shows_once():
    back = np.where(np.arange(SECONDS * HZ) >= 500, 3 * NS_PER_S, 0)
    case = case_of(
        sent("joints", JOINTS, grid() - back, grid()),
        sent("tool", POSE, grid() - back - 5 * MS, grid()),
        sent("imu", IMU, grid() - 2 * MS, grid()),
    )
    for name in ("timing.not_monotonic", "timing.clock_step"):
        assert len(failed(case, name)) == 1


@pytest.mark.parametrize("ahead_ms", [20, 3_600_000])
def test_a_clock_that_is_ahead_shows_once(ahead_ms):
    case = case_of(
        sent("imu", IMU, grid() + ahead_ms * MS, grid()),
        sent("tf/imu", POSE, grid(25) + ahead_ms * MS, grid(25)),
        sent("joints", JOINTS, grid() - 2 * MS, grid()),
    )
    (found,) = failed(case, "timing.stamped_ahead")
    assert found.about.stream == "imu"
    assert found.at_s <= SECONDS  # by its arrival, not hours after the end


def test_clocks_that_drift_alike_show_once_and_opposite_ones_twice():
    drift = (grid() - START) // 1000
    rest = (sent("joints", JOINTS, grid() - 2 * MS, grid()),)
    alike = (sent("imu", IMU, grid() - drift, grid()), sent("tool", POSE, grid() - drift - MS, grid()))
    apart = (sent("imu", IMU, grid() - drift, grid()), sent("tool", POSE, grid() + drift - 40 * MS, grid()))
    assert [len(failed(case_of(*rest, *two), "timing.clock_drift")) for two in (alike, apart)] == [1, 2]


def test_arrival_times_that_waver_show_once():
    wavering = grid() + np.where(np.arange(SECONDS * HZ) % 9 == 0, 18 * MS, 0)
    case = case_of(sent("joints", JOINTS, None, wavering), sent("tool", POSE, None, wavering + MS))
    assert len(failed(case, "timing.jitter")) == 1


def test_what_rests_on_an_assumption_does_not_hide_a_fault():
    times = np.delete(grid(), slice(400, 430))
    worse = np.delete(grid(), slice(398, 432))
    assumed = replace(sent("cmd", POSE, worse), notes={"assumed rate": "by the topic"})
    (found,) = failed(case_of(assumed, sent("joints", JOINTS, times)), "timing.longest_gap")
    assert found.about.stream == "joints"


def test_two_programs_that_write_in_turn_are_no_fault_of_one_clock():
    own = grid() - 2 * MS
    own[1::2] -= 30 * MS  # the second program's messages take longer
    (turns,) = measure_by_subject("timing.not_monotonic", case_of(sent("joints", JOINTS, own, grid()))).values()
    assert turns.value > 100
    assert not failed(case_of(sent("joints", JOINTS, own, grid())), "timing.not_monotonic")
    rare = grid() - 2 * MS
    rare[100::200] -= 30 * MS
    assert failed(case_of(sent("joints", JOINTS, rare, grid())), "timing.not_monotonic")
    named = replace(sent("joints", JOINTS, rare, grid()), notes={SENDERS: "2"})
    assert not failed(case_of(named), "timing.not_monotonic")


def test_streams_that_stand_still_together_are_one_finding():
    way = np.cumsum(np.random.default_rng(1).normal(size=(SECONDS * HZ, 2)), axis=0) * 0.02
    held = way.copy()
    held[300:400] = held[300]
    case = case_of(
        sent("joints", JOINTS, grid(), values=way, columns=("a", "b")),
        sent("tool", POSE, grid(), values=held),
        sent("tool_twin", POSE, grid(), values=held * 2),
    )
    assert len(failed(case, "integrity.frozen")) == 1


def test_a_constant_velocity_alone_is_no_limit():
    count = SECONDS * HZ
    speed = np.where((np.arange(count) >= 200) & (np.arange(count) < 400), 0.5, np.sin(np.arange(count) / 9) * 0.4)
    way = sent("joints", JOINTS, grid(), values=np.linspace(0, 4, count)[:, None])
    rate = replace(sent("joints/velocity", StreamKind.JOINT_VELOCITY, grid(), values=speed[:, None]), unit="rad/s")
    assert not failed(case_of(way, rate), "motion.saturated")
    assert failed(case_of(way, rate, protocol="own"), "motion.saturated")


def still_end(slow):
    """Return a fast gripper that rests after a second, and a joint that goes on slowly or not at all."""
    count = SECONDS * HZ
    gripper = np.where(np.arange(count) < HZ, np.arange(count) * 4.0, HZ * 4.0)
    joint = np.concatenate([np.linspace(0, 30, HZ), np.linspace(30, 30 + slow, count - HZ)])
    return replace(sent("state", JOINTS, grid(), values=np.column_stack([gripper, joint])), unit="")


@pytest.mark.parametrize(("slow", "expected"), [(40.0, 0), (0.5, 1)])
def test_slow_motion_of_unknown_unit_is_not_called_stillness(slow, expected):
    assert len(failed(case_of(still_end(slow)), "motion.idle_tail")) == expected


def test_time_without_samples_is_not_called_stillness():
    late = grid()[10 * HZ :]
    still = np.zeros((SECONDS * HZ, 1))
    case = case_of(
        replace(sent("gripper", StreamKind.GRIPPER, grid(), values=still), unit="m"), sent("joints", JOINTS, late)
    )
    assert measure_by_subject("motion.idle_head", case)[""].value < 1


def test_rough_motion_fails_only_under_a_protocol():
    trembling = sent("joints", JOINTS, grid(), values=(np.arange(SECONDS * HZ) % 4 // 2 * 0.1)[:, None])
    assert not failed(case_of(trembling), "motion.roughness")
    assert failed(case_of(trembling, protocol="own"), "motion.roughness")
