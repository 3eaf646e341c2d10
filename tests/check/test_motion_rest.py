"""Idle ends with their trim, smoothness without length, actuators at their limit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop import check
from fieldloop.check import Case
from fieldloop.check.signals.movement import find_movement
from fieldloop.model.fix import FixKind
from fieldloop.model.stream import NS_PER_S, StreamKind
from fieldloop.protocol import parse_protocol
from fieldloop.say.findings import write_finding
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.injuries.injury import change_values
from fieldloop.testing.planted import make_case, make_smooth_motion, make_stream, measure_by_subject
from fieldloop.testing.synthetic import get_healthy_protocol, make_healthy_case, make_healthy_recording

JOINTS, VELOCITY, EFFORT = StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT


@settings(max_examples=20, deadline=None)
@given(st.floats(0.0, 20.0), st.floats(0.0, 20.0))
def test_a_trim_keeps_the_motion_and_what_the_protocol_asks_for(before_s, after_s):
    still = (np.zeros((round(before_s * 50), 2)), np.zeros((round(after_s * 50), 2)))
    way = np.column_stack([np.sin(np.arange(300) / 20), np.sin(np.arange(300) / 30)])
    case = make_case(make_stream("joints", JOINTS, np.concatenate([still[0] + way[0], way, still[1] + way[-1]])))
    head, tail = (
        measure_by_subject("motion.idle_head", case)[""],
        measure_by_subject("motion.idle_tail", case)[""],
    )
    assert head.value == pytest.approx(before_s, abs=0.2)
    assert tail.value == pytest.approx(after_s, abs=0.2)
    moved = find_movement(case)
    if head.fix:
        assert head.fix.kind is FixKind.TRIM
        assert moved.onset_ns - head.fix.start_ns == NS_PER_S  # adherence.pre_roll asks for one second
        assert head.fix.end_ns is None
    if tail.fix:
        assert tail.fix.end_ns - moved.offset_ns == 2 * NS_PER_S
    assert (head.fix is None) == (head.value <= 1.0)
    assert (tail.fix is None) == (tail.value <= 2.0)


def test_a_trimmed_episode_keeps_its_protocol():
    case = INJURIES["motion.idle_head"].hurt(make_healthy_case())
    (found,) = [
        f
        for f in check.judge_measurements(check.measure_episode(case, pixels=False), case.protocol, named=True)
        if f.check == "motion.idle_head"
    ]
    trimmed = {
        name: replace(
            stream,
            clocks={kind: times[stream.times_ns >= found.fix.start_ns] for kind, times in stream.clocks.items()},
            values=stream.values[stream.times_ns >= found.fix.start_ns],
        )
        for name, stream in case.recording.streams.items()
    }
    again = Case(replace(case.recording, streams=trimmed), case.protocol)
    assert measure_by_subject("adherence.pre_roll", again)[""].value >= 1.0
    assert measure_by_subject("motion.idle_head", again)[""].value == pytest.approx(1.0, abs=0.05)


def test_a_longer_pre_roll_in_the_protocol_is_kept_by_the_trim():
    asks = parse_protocol("[check.adherence.pre_roll]\nmin = 3.0")
    case = replace(INJURIES["motion.idle_head"].hurt(make_healthy_case()), protocol=asks, _kept={})
    fix = measure_by_subject("motion.idle_head", case)[""].fix
    assert find_movement(case).onset_ns - fix.start_ns == 3 * NS_PER_S


# ── roughness


@pytest.mark.parametrize("hertz", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("size", [0.1, 1.0])
def test_a_motion_of_one_frequency_has_that_roughness(hertz, size):
    swing = size * np.sin(2 * np.pi * hertz * np.arange(1200) / 120)
    case = make_case(make_stream("joints", JOINTS, swing, hz=120))
    assert measure_by_subject("motion.roughness", case)["joints"].value == pytest.approx(2 * np.pi * hertz, rel=0.1)


def rank_correlation(one, other):
    ranks = [np.argsort(np.argsort(values)) for values in (one, other)]
    return np.corrcoef(*ranks)[0, 1]


def test_scores_of_motion_do_not_measure_an_episodes_length():
    random = np.random.default_rng(11)
    lengths = random.uniform(4, 25, 40)
    cases = [make_case(make_stream("joints", JOINTS, make_smooth_motion(random, seconds))) for seconds in lengths]
    kept = [check.take_imprint(case, pixels=False).arrays for case in cases]
    scores = {
        name: [float(arrays[f"speed/{name}"][0]) for arrays in kept]
        for name in ("mean_rad_s", "peak_rad_s", "peaks_per_s", "roughness_per_s")
    }
    scores["check"] = [measure_by_subject("motion.roughness", case)["joints"].value for case in cases]
    for name, values in scores.items():
        assert abs(rank_correlation(lengths, values)) < 0.4, name  # 0.4 is one in a hundred by chance
    assert max(float(arrays["speed/pause_share"][0]) for arrays in kept) < 0.1


def test_a_stream_too_slow_to_show_tremor_is_not_judged_by_it():
    case = make_case(make_stream("joints", JOINTS, make_smooth_motion(np.random.default_rng(0), 40, hz=10), hz=10))
    assert measure_by_subject("motion.roughness", case)["joints"].cannot_tell.code == "check.sampled_too_slowly"


# ── saturation


def test_a_clipped_effort_is_found_with_its_joint():
    def clip(values):
        most = np.abs(values[:, 2]).max() / 3
        values[:, 2] = np.clip(values[:, 2], -most, most)

    case = change_values(make_healthy_case(), "joints/velocity", clip)
    found = measure_by_subject("motion.saturated", case)["joints/velocity"]
    assert found.value > 0.1
    assert found.place["column"] == "joint_3"


@pytest.mark.parametrize(("name", "held"), [("elbow", True), ("gripper_left_joint", False), ("r_finger_1", False)])
def test_a_gripper_may_hold_with_all_its_effort(name, held):
    way = np.linspace(0, 4, 400)
    effort = np.where((np.arange(400) >= 100) & (np.arange(400) < 300), 50.0, np.sin(np.arange(400)))
    efforts = make_stream("joints/effort", EFFORT, effort, unit="N·m", columns=(name,))
    found = measure_by_subject("motion.saturated", make_case(make_stream("joints", JOINTS, way), efforts))
    assert (found["joints/effort"].value > 0.5) is held


@pytest.mark.parametrize("kind", [VELOCITY, EFFORT])
def test_a_signal_that_rests_or_goes_one_way_is_at_no_rail(kind):
    way = np.concatenate([np.zeros(100), np.linspace(0, 2, 200), np.full(100, 2.0)])
    rate = np.where((np.arange(400) >= 100) & (np.arange(400) < 300), 0.5 + 0.1 * np.sin(np.arange(400)), 0.0)
    case = make_case(make_stream("joints", JOINTS, way), make_stream("rate", kind, -rate, unit="rad/s"))
    assert measure_by_subject("motion.saturated", case)["rate"].value < 0.05


# ── false alarms


@pytest.mark.parametrize("seed", range(12))
def test_healthy_attempts_raise_no_alarm(seed):
    case = make_healthy_case(recording=make_healthy_recording(seed=100 + seed))
    subjects = ("motion", "force", "adherence", "throughput")
    findings = check.judge_measurements(check.measure_episode(case, pixels=False), get_healthy_protocol(), named=True)
    assert [write_finding(f) for f in findings if f.check.split(".")[0] in subjects and f.status != "passed"] == []
