"""Values and pictures with a planted fault, and healthy ones that look like it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check import CHECKS, Batch, Case
from fieldloop.check.episode.follow import NotComparable, lag_between
from fieldloop.check.episode.movement import movement
from fieldloop.check.episode.pictures import scan
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.protocol import parse_protocol
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.injuries.injury import change_episode, change_stream, change_values
from fieldloop.testing.injuries.vision import freeze_frames
from fieldloop.testing.synthetic import ATTEMPT_S, POST_S, PRE_S, Pictures, healthy_case, with_streams


def answer(check, case):
    return {m.subject: m for m in CHECKS[check].look(case)}


def signal(name, kind, values, hz=50.0, unit="rad", delay_s=0.0, columns=()):
    values = np.asarray(values, float).reshape(len(values), -1)
    times = ((np.arange(len(values)) / hz + delay_s) * NS_PER_S).round().astype(np.int64)
    return Stream(name, kind, unit, {ClockKind.HEADER: times}, values, columns=columns)


def case_of(*streams):
    return Case(Recording(Episode("id", "name", "test"), {s.name: s for s in streams}))


# ── movement


def test_movement_is_found_between_its_ends():
    moved = movement(healthy_case())
    assert moved.onset_ns - moved.start_ns == pytest.approx(PRE_S * NS_PER_S, abs=0.3 * NS_PER_S)
    assert moved.end_ns - moved.offset_ns == pytest.approx(POST_S * NS_PER_S, abs=0.3 * NS_PER_S)
    assert moved.onset_ns - moved.start_ns >= PRE_S * NS_PER_S  # a still second is never cut short
    assert moved.end_ns - moved.offset_ns >= (POST_S - 0.02) * NS_PER_S


def test_noise_is_no_movement():
    noise = np.random.default_rng(0).normal(0, 3e-4, (500, 3))
    assert movement(case_of(signal("joints", StreamKind.JOINT_POSITION, noise))) is None


def test_a_gripper_that_closes_is_movement_too():
    still = signal("joints", StreamKind.JOINT_POSITION, np.zeros((500, 1)))
    closing = np.interp(np.arange(500), [200, 250], [0.08, 0.02])
    moved = movement(case_of(still, signal("gripper", StreamKind.GRIPPER, closing, unit="m")))
    assert 3.9 < (moved.onset_ns - moved.start_ns) / NS_PER_S < 4.2


def test_duration_pre_and_post_roll_are_what_was_planted():
    case = healthy_case()
    assert answer("adherence.pre_roll", case)[""].value == pytest.approx(PRE_S, abs=0.3)
    assert answer("adherence.duration", case)[""].value == pytest.approx(ATTEMPT_S, abs=0.6)
    assert answer("adherence.post_roll", case)[""].value == pytest.approx(POST_S, abs=0.3)


def test_an_episode_that_names_no_protocol_is_held_to_none():
    case = change_episode(healthy_case(), protocol="", operator="", site="")
    for name in ("adherence.duration", "adherence.pre_roll", "adherence.operator_recorded", "metadata.missing_fields"):
        (found,) = CHECKS[name].look(case)
        assert found.cannot_tell
        assert np.isnan(found.value)


# ── frozen


def test_a_sensor_that_repeats_itself_at_rest_is_not_dead():
    def rest(values):
        values[:150] = values[0]  # the first 1.25 s: before anything moves

    case = change_values(healthy_case(), "joints", rest)
    assert answer("integrity.frozen", case)["joints"].value < 0.1


@pytest.mark.parametrize("seconds", [0.6, 1.0])
def test_a_dead_sensor_is_found_where_it_died(seconds):
    def die(values):
        values[500 : 500 + int(seconds * 120)] = values[500]

    found = answer("integrity.frozen", change_values(healthy_case(), "joints", die))["joints"]
    assert found.value == pytest.approx(seconds, abs=0.05)
    assert found.place == "at 4.17 s"


def test_a_gripper_and_commands_may_rest():
    assert not {"gripper", "action"} & answer("integrity.frozen", healthy_case()).keys()


def test_without_another_witness_nobody_knows():
    case = case_of(signal("joints", StreamKind.JOINT_POSITION, np.zeros((200, 2))))
    assert answer("integrity.frozen", case)["joints"].cannot_tell


def test_fields_that_are_never_set_are_not_broken_readings():
    values = np.column_stack([np.full(50, np.nan), np.arange(50.0)])
    case = case_of(signal("battery", StreamKind.OTHER, values))
    assert answer("integrity.not_finite", case)["battery"].value == 0


# ── motion


def test_a_joint_jump_is_told_with_its_speed_and_name():
    def jump(values):
        values[400:, 2] += 1.5

    found = answer("motion.teleport", change_values(healthy_case(), "joints", jump))["joints"]
    assert found.value == pytest.approx(1.5 * 120, rel=0.02)
    assert found.place == "at 3.33 s in joint_3"


def test_two_stamps_too_close_are_not_a_jump():
    case = healthy_case()
    times = np.array(case.recording.streams["joints"].times_ns)
    times[500] = times[499] + 1000
    found = answer("motion.teleport", change_stream(case, "joints", clocks={ClockKind.HEADER: times}))
    assert found["joints"].value < 3


def test_joints_without_a_unit_cannot_be_judged_in_radians():
    case = change_stream(healthy_case(), "joints", unit="")
    for name in ("motion.teleport", "motion.joint_limit"):
        assert answer(name, case)["joints"].cannot_tell


@settings(max_examples=25, deadline=None)
@given(st.floats(-0.6, 0.6), st.integers(0, 50))
def test_the_lag_is_found_below_a_sample(lag_s, seed):
    random = np.random.default_rng(seed)
    steps = np.cumsum(random.normal(size=(600, 3)), axis=0)
    smooth = np.apply_along_axis(lambda x: np.convolve(x, np.hanning(21) / 10, "same"), 0, steps)
    action = signal("action", StreamKind.ACTION, smooth)
    joints = signal("joints", StreamKind.JOINT_POSITION, smooth, delay_s=lag_s)
    found, agreement = lag_between(action, joints, 1.0)
    assert found == pytest.approx(lag_s, abs=0.011)  # half a sample at 50 Hz
    assert agreement > 0.9


def test_commands_of_other_joints_do_not_pair():
    action = signal("action", StreamKind.ACTION, np.zeros((100, 2)))
    joints = signal("joints", StreamKind.JOINT_POSITION, np.zeros((100, 3)))
    with pytest.raises(NotComparable, match="2 commands do not pair with 3 joints"):
        lag_between(action, joints, 1.0)


def test_commands_that_have_nothing_to_do_with_the_motion_tell_no_lag():
    random = np.random.default_rng(3)
    action, joints = (np.cumsum(random.normal(0, 0.05, (500, 4)), axis=0) for _ in range(2))
    case = case_of(signal("action", StreamKind.ACTION, action), signal("joints", StreamKind.JOINT_POSITION, joints))
    (found,) = CHECKS["motion.action_follows_state"].look(case)
    assert "agree too little" in found.cannot_tell


def test_an_arm_at_rest_tells_no_lag():
    still = np.zeros((200, 2))
    case = case_of(signal("action", StreamKind.ACTION, still), signal("joints", StreamKind.JOINT_POSITION, still))
    (found,) = CHECKS["motion.action_follows_state"].look(case)
    assert found.cannot_tell == "nothing moves in this recording."


# ── force


def test_held_and_peak_force_are_told_apart():
    def squeeze(values):
        values[520] = 31.0

    found = answer("force.window", change_values(healthy_case(), "gripper/effort", squeeze))
    assert found["gripper/effort"].value == pytest.approx(12, abs=0.2)
    assert found["gripper/effort peak"].value == 31.0
    assert found["gripper/effort peak"].place == "at 4.33 s"


def test_nothing_gripped_is_no_force_to_judge():
    def let_go(values):
        values[:] = 0.1

    found = answer("force.window", change_values(healthy_case(), "gripper/effort", let_go))
    assert found["gripper/effort"].cannot_tell == "nothing was gripped."


def test_a_failed_grasp_is_kept_not_held_to_the_window():
    case = change_episode(INJURIES["force.window"].hurt(healthy_case()), succeeded=False)
    (found,) = CHECKS["force.window"].look(case)
    assert "failures are kept" in found.cannot_tell


# ── vision


def test_a_still_scene_is_no_frozen_camera():
    case = healthy_case()
    pictures = case.recording.streams["camera/wrist"].pictures
    places = list(pictures.places)
    places[:40] = [places[0]] * 40  # before anything moves
    case = change_stream(case, "camera/wrist", pictures=replace(pictures, places=tuple(places)))
    assert answer("vision.frozen_frames", case)["camera/wrist"].value < 0.2


def test_a_frozen_camera_is_found_with_its_moment():
    found = answer("vision.frozen_frames", freeze_frames(healthy_case()))["camera/wrist"]
    assert found.value == pytest.approx(14 / 30, abs=0.05)
    assert found.place == "at 3.00 s"


def test_without_joints_a_still_picture_cannot_be_told_from_a_frozen_one():
    case = healthy_case()
    alone = with_streams(case.recording, {n: None for n in case.recording.streams if n != "camera/wrist"})
    (found,) = CHECKS["vision.frozen_frames"].look(replace(case, recording=alone, _kept={}))
    assert "no joint" in found.cannot_tell


def test_long_recordings_are_looked_at_evenly():
    protocol = parse_protocol("[episode.max_scanned_frames]\nvalue = 100")
    case = replace(healthy_case(), protocol=protocol)
    seen = scan(case, case.recording.streams["camera/wrist"])
    assert len(seen.indices) == 100
    assert seen.stride == 3


def test_frames_are_decoded_once_for_all_checks():
    class Counting:
        def __init__(self, inner):
            self.inner, self.size, self.decoded = inner, inner.size, 0

        def __len__(self):
            return len(self.inner)

        def frames(self, indices=None):
            for frame in self.inner.frames(indices):
                self.decoded += 1
                yield frame

    counting = Counting(Pictures(tuple(np.linspace(0, 1, 300).tolist())))
    case = change_stream(healthy_case(), "camera/wrist", pictures=counting)
    for name in ("vision.frozen_frames", "vision.black_or_blown", "vision.undecodable"):
        list(CHECKS[name].look(case))
    assert counting.decoded == 300


# ── many episodes


def test_an_unknown_operator_may_be_anybody():
    episodes = tuple(Episode(str(i), f"e{i}", "x", operator="a" if i < 6 else "") for i in range(10))
    from fieldloop.check import BATCH_CHECKS

    (share,) = BATCH_CHECKS["batch.operator_share"].look(Batch(episodes))
    assert share.value == 0.6  # too much whoever did the others
    assert share.cannot_tell == "4 of 10 episodes do not say who demonstrated."
