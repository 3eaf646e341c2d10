"""What a reader assumed is never evidence against the data, and what is not understood does not pass."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import Batch, Case
from fieldloop.model.episode import Defect, Episode, Harm, Recording
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.protocol import default_protocol

ROWS = 200


class Frames:
    """Pictures of one grey level each."""

    size = (32, 24)

    def __init__(self, levels):
        self._levels = levels

    def __len__(self):
        return len(self._levels)

    def frames(self, indices=None):
        for index in range(len(self)) if indices is None else indices:
            picture = np.full((24, 32, 3), self._levels[index], np.uint8)
            if self._levels[index]:
                picture[:, ::2] += 90
            yield picture


def stream(name, kind, values=None, unit="", notes=None, clock=ClockKind.SYNTHETIC, pictures=None):
    times = np.arange(ROWS, dtype=np.int64) * (NS_PER_S // 20)
    return Stream(name, kind, unit, {clock: times}, values, pictures, nominal_hz=20.0, notes=notes or {})


def findings(*streams, defects=(), form="lerobot v3.0"):
    episode = Episode("a" * 64, "episode_000000", form, start_ns=0, end_ns=ROWS * NS_PER_S // 20)
    case = Case(Recording(episode, {one.name: one for one in streams}, tuple(defects)), default_protocol())
    return check.judge_measurements(check.measure_episode(case), default_protocol(), named=True)


def status(found, name, stream=""):
    return {one.status for one in found if one.check == name and (not stream or one.about.stream == stream)}


def wander(columns=3, seed=0):
    return np.cumsum(np.random.default_rng(seed).normal(0, 0.01, (ROWS, columns)), axis=0)


@pytest.mark.parametrize(("notes", "expected"), [({}, Status.FAILED), ({"unit": "assumed"}, Status.CANNOT_TELL)])
def test_a_jump_fails_only_where_the_unit_is_known(notes, expected):
    values = wander()
    values[100:] += 3.0
    found = findings(stream("joints", StreamKind.JOINT_POSITION, values, "rad", notes))
    assert status(found, "motion.teleport") == {expected}


def test_a_jump_of_an_assumed_joint_cannot_fail():
    values = wander()
    values[100:] += 3.0
    notes = {ASSUMPTION_NOTES[StreamFact.MEANING]: "the columns are unnamed"}
    found = findings(stream("joints", StreamKind.JOINT_POSITION, values, "rad", notes))
    assert status(found, "motion.teleport") == {Status.CANNOT_TELL}


@pytest.mark.parametrize(
    ("harm", "readable", "described"),
    [
        (Harm.LOST, Status.FAILED, Status.PASSED),
        (Harm.MISLEADS, Status.PASSED, Status.FAILED),
        (Harm.HARMLESS, Status.PASSED, Status.CANNOT_TELL),
    ],
)
def test_a_defect_is_judged_by_its_harm(harm, readable, described):
    defect = Defect("joints", "", note("ingest.column_type_differs", declared="float32", found="float64"), harm)
    found = findings(stream("joints", StreamKind.JOINT_POSITION, wander(), "rad"), defects=[defect])
    assert status(found, "integrity.readable") == {readable}
    assert described in status(found, "integrity.described")
    assert not any(one.counts for one in found if one.check == "integrity.described") or harm is Harm.MISLEADS


def test_a_state_of_unknown_meaning_does_not_pass():
    states, actions = stream("states", StreamKind.OTHER, wander(9)), stream("actions", StreamKind.ACTION, wander())
    assert status(findings(states, actions), "integrity.readable") == {Status.CANNOT_TELL}
    joints = stream("joints", StreamKind.JOINT_POSITION, wander(), "rad")
    assert status(findings(states, actions, joints), "integrity.readable") == {Status.PASSED}


def test_a_dataset_without_episodes_still_reports_its_defects():
    defects = (Defect("data", "", note("ingest.no_episode")),)
    batch = Batch((), defects)
    found = check.judge_measurements(check.measure_batch(batch), default_protocol(), named=True)
    assert status(found, "corpus.defects") == {Status.FAILED}


def test_stillness_is_not_known_from_commands_alone():
    values = wander()
    values[40:] = values[40]
    actions = stream("actions", StreamKind.ACTION, values, clock=ClockKind.HEADER)
    assert status(findings(actions), "motion.idle_tail") == {Status.CANNOT_TELL}
    joints = replace(actions, name="joints", kind=StreamKind.JOINT_POSITION, unit="rad")
    assert status(findings(joints), "motion.idle_tail") == {Status.FAILED}


def test_degrees_that_wrap_are_not_stillness():
    turning = (np.arange(ROWS) * 2.0 + 200.0) % 360.0 - 180.0
    found = findings(stream("joints", StreamKind.JOINT_POSITION, turning[:, None], clock=ClockKind.HEADER))
    assert status(found, "motion.idle_head") | status(found, "motion.idle_tail") == {Status.PASSED}


@pytest.mark.parametrize(("form", "expected"), [("rlds", Status.CANNOT_TELL), ("mcap", Status.FAILED)])
def test_a_black_camera_beside_another_is_filled_in_by_a_converter(form, expected):
    black = stream("camera/a", StreamKind.RGB, pictures=Frames([0] * ROWS), unit="8-bit")
    shows = stream("camera/b", StreamKind.RGB, pictures=Frames([100] * ROWS), unit="8-bit")
    assert status(findings(black, shows, form=form), "vision.black_or_blown", "camera/a") == {expected}
    assert status(findings(black, form=form), "vision.black_or_blown", "camera/a") == {Status.FAILED}


def disobeyed(unit):
    """Return an arm of which one joint moves away from its constant command."""
    moves, commands = wander(), wander(seed=1)
    moves[:, 0], commands[:, 0] = np.linspace(0, 2, ROWS), 0.0
    joints = stream("joints", StreamKind.JOINT_POSITION, moves, unit, clock=ClockKind.HEADER)
    action = stream("action", StreamKind.ACTION, commands, unit, clock=ClockKind.HEADER)
    return tuple(replace(one, columns=("a", "b", "c")) for one in (joints, action))


@pytest.mark.parametrize(("unit", "expected"), [("rad", Status.FAILED), ("", Status.CANNOT_TELL)])
def test_a_constant_command_fails_only_where_the_unit_is_known(unit, expected):
    assert status(findings(*disobeyed(unit)), "motion.constant_action") == {expected}


def test_a_constant_command_is_not_a_copy_of_its_state():
    moves = wander()
    moves[:, 0] = 0.0
    moves[0, 0] = 1.0  # one glitch before the joint rests at its command
    commands = wander(seed=1)
    commands[:, 0] = 0.0
    joints = stream("joints", StreamKind.JOINT_POSITION, moves, "rad", clock=ClockKind.HEADER)
    copies = replace(joints, name="action", kind=StreamKind.ACTION)
    assert status(findings(joints, replace(copies, values=commands)), "motion.action_copies_state") == {Status.PASSED}
    assert status(findings(joints, copies), "motion.action_copies_state") == {Status.FAILED}


@pytest.mark.parametrize(
    ("pace", "origin_s", "expected"),
    [
        (1.0, 0.0, Status.PASSED),
        (1.005, 0.0, Status.FAILED),
        (0.3, 0.0, Status.CANNOT_TELL),
        (1.005, 1e7, Status.CANNOT_TELL),
    ],
)
def test_a_lone_clock_of_another_time_does_not_drift(pace, origin_s, expected):
    imu = stream("imu", StreamKind.IMU, wander(), clock=ClockKind.HEADER)
    arrived = (imu.times_ns * pace + (origin_s + 0.01) * NS_PER_S).astype(np.int64)
    found = findings(replace(imu, clocks={ClockKind.HEADER: imu.times_ns, ClockKind.LOG: arrived}))
    assert status(found, "timing.clock_drift") == {expected}


def irregular(intervals_ms):
    times = np.cumsum(np.asarray(intervals_ms) * 1e6).astype(np.int64)
    return Stream("imu", StreamKind.IMU, "", {ClockKind.HEADER: times}, np.zeros((len(times), 1)))


@pytest.mark.parametrize(
    ("intervals_ms", "expected"),
    [
        (np.resize([7.0, 7.0, 17.0], 300), Status.CANNOT_TELL),  # bursts: nothing shows that a sample is missing
        (np.resize([10.0, 10.0, 30.0], 300), Status.FAILED),  # two of five samples are missing
        ([10.0] * 100 + [1234.0] + [10.0] * 100, Status.FAILED),  # one long gap
        ([10.0] * 200, Status.PASSED),
    ],
)
def test_a_stream_in_bursts_misses_no_samples(intervals_ms, expected):
    assert status(findings(irregular(intervals_ms)), "timing.longest_gap") == {expected}


@pytest.mark.parametrize(("period_ms", "expected"), [(5.0, Status.CANNOT_TELL), (20.0, Status.FAILED)])
def test_jitter_below_the_offset_allowed_between_streams_does_not_fail(period_ms, expected):
    found = findings(irregular(np.resize([1.0, 0.2, 1.0, 1.0], 400) * period_ms))
    assert status(found, "timing.jitter") == {expected}


def joints_named(values, *columns, unit="rad"):
    times = np.arange(ROWS, dtype=np.int64) * (NS_PER_S // 20)
    return Stream("joints", StreamKind.JOINT_POSITION, unit, {ClockKind.HEADER: times}, values, columns=columns)


def test_a_wheel_has_no_limit_of_reach_or_pace():
    turning = np.column_stack([np.arange(ROWS) * 4.0, wander(1)])
    named = findings(joints_named(turning, "front_left_wheel", "arm_1"))
    assert status(named, "motion.joint_limit") | status(named, "motion.teleport") == {Status.PASSED}
    alone = findings(joints_named(turning[:, :1], "front_left_wheel"))
    assert status(alone, "motion.joint_limit") | status(alone, "motion.teleport") == {Status.CANNOT_TELL}
    assert status(findings(joints_named(turning, "elbow", "arm_1")), "motion.joint_limit") == {Status.FAILED}


def test_a_log_of_commands_alone_does_not_pass():
    commands = stream("cmd_vel", StreamKind.ACTION, wander(), clock=ClockKind.LOG)
    found = findings(commands)
    assert status(found, "integrity.readable") == {Status.CANNOT_TELL}
    assert {one.reason.code for one in found if one.check == "integrity.readable"} == {"check.no_sensor"}


def test_an_episode_of_one_sample_does_not_pass():
    times = np.zeros(1, np.int64)
    one = Stream("joints", StreamKind.JOINT_POSITION, "rad", {ClockKind.HEADER: times}, np.zeros((1, 7)))
    found = findings(one)
    assert {one.reason.code for one in found if one.check == "integrity.readable"} == {"check.one_sample"}


def test_the_rate_of_repeated_stamps_and_of_bursts_counts_samples_over_time():
    ticks = np.repeat(np.arange(ROWS // 10, dtype=np.int64) * 10_000_000, 10)  # 1000 Hz on a clock that ticks at 100
    assert Stream("imu", StreamKind.IMU, "", {ClockKind.HEADER: ticks}, wander()).hz == pytest.approx(1000, rel=0.06)
    bursts = np.cumsum(np.resize([6_600_000, 6_600_000, 17_000_000], ROWS)).astype(np.int64)
    imu = replace(stream("imu", StreamKind.IMU, wander()), clocks={ClockKind.HEADER: bursts}, nominal_hz=None)
    assert imu.hz == pytest.approx(99, rel=0.06)
    found = findings(replace(imu, nominal_hz=99.0))
    assert status(found, "timing.rate") == {Status.PASSED}
    assert Status.FAILED not in status(found, "timing.longest_gap")


def test_a_lone_stream_in_simulated_time_does_not_drift():
    arrival = 10**18 + np.arange(ROWS, dtype=np.int64) * (NS_PER_S // 20)
    header = 21_600_000_000 + ((arrival - arrival[0]) * 0.28).astype(np.int64)
    clocks = {ClockKind.HEADER: header, ClockKind.LOG: arrival}
    sensor = replace(stream("imu", StreamKind.IMU, wander()), clocks=clocks, nominal_hz=None)
    assert Status.FAILED not in status(findings(sensor), "timing.clock_drift")


def test_a_constant_command_is_neither_a_copy_of_a_trembling_joint_nor_dead():
    columns = ("shoulder.pos", "elbow.pos")
    trembling = np.where(np.arange(ROWS) % 7 == 0, 90.11, 90.0)
    state = joints_named(np.column_stack([trembling, 40 * wander(1)[:, 0]]), *columns, unit="")
    action = replace(
        state,
        name="action",
        kind=StreamKind.ACTION,
        values=np.column_stack([np.full(ROWS, 90.0), 40 * wander(1, 1)[:, 0]]),
    )
    found = findings(state, action)
    assert Status.FAILED not in status(found, "motion.action_copies_state") | status(found, "motion.constant_action")
