"""A healthy demonstration keeps every limit of the shipped protocol that it can be judged by."""

import itertools

import numpy as np
import pytest

from fieldloop.geometry import chain as kin
from fieldloop.geometry import transforms as tf
from fieldloop.model.condition import Stratum
from fieldloop.model.stream import ClockKind, FrameSource, StreamKind
from fieldloop.model.taxonomy import PHASES
from fieldloop.protocol import default_protocol
from fieldloop.simulate.arm import arm
from fieldloop.simulate.arm.controller import Grasp, Style, plan_pick_path
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.frames import Logged
from fieldloop.simulate.arm.operators import OPERATORS, choose_grasp_and_style
from fieldloop.simulate.arm.physics import simulate_pick
from fieldloop.simulate.arm.recording import add_true_phases, record_attempt

BENCH = Stratum.of(site="lab", tier="high", bin="front", lighting="bright")
START_NS = 1_700_000_000_000_000_000
STYLE = Style()
LIMITS = default_protocol().limits
NAMES = {
    "camera/overhead", "camera/wrist", "depth/overhead", "joints", "joints/velocity", "tool", "gripper",
    "gripper/effort", "force", "imu", "action",
}  # fmt: skip


@pytest.fixture(scope="module")
def streams(demonstration):
    return demonstration.recording.streams


def values(stream, phase, demonstration):
    _, begin, end = next(row for row in demonstration.truth.phases if row[0] == phase)
    inside = (stream.times_ns >= begin) & (stream.times_ns < end)
    return stream.values[inside]


def test_all_streams_are_there_with_three_clocks_that_never_run_backwards(streams):
    assert set(streams) == NAMES
    for stream in streams.values():
        clocks = [stream.clocks[kind] for kind in (ClockKind.HEADER, ClockKind.PUBLISH, ClockKind.LOG)]
        assert stream.clock is ClockKind.HEADER
        assert all((np.diff(clock) >= 0).all() for clock in clocks)
        assert (clocks[0] < clocks[1]).all()
        assert (clocks[1] < clocks[2]).all()


def test_streams_stay_together_within_the_protocol(streams):
    for first, second in itertools.combinations(streams.values(), 2):
        slow, fast = sorted((first, second), key=len)
        nearest = np.abs(fast.times_ns[None, :] - slow.times_ns[:, None]).min(axis=1)
        assert LIMITS["timing.stream_offset"].admits(np.percentile(nearest, 99) / 1e6), (slow.name, fast.name)


def test_no_stream_misses_a_beat(streams):
    for stream in streams.values():
        steps = np.diff(stream.times_ns) * stream.hz / 1e9
        assert LIMITS["timing.longest_gap"].admits(steps.max() - 1)
        assert np.std(steps) < 0.1


def test_pre_roll_motion_and_post_roll_are_long_enough(demonstration, streams):
    begin, end = demonstration.truth.phases[0][1], demonstration.truth.phases[-1][2]
    joints = streams["joints"].times_ns
    assert LIMITS["adherence.pre_roll"].admits((begin - joints[0]) / 1e9)
    assert LIMITS["adherence.duration"].admits((end - begin) / 1e9)
    assert LIMITS["adherence.post_roll"].admits((joints[-1] - end) / 1e9)


def test_nothing_moves_before_the_first_and_after_the_last_phase(demonstration, streams):
    stream = streams["joints/velocity"]
    outside = (stream.times_ns < demonstration.truth.phases[0][1]) | (
        stream.times_ns > demonstration.truth.phases[-1][2]
    )
    assert np.abs(stream.values[outside]).max() < 0.02
    assert np.abs(stream.values[~outside]).max() > 0.3


def test_phases_are_all_there_in_order_without_gaps(demonstration):
    phases = demonstration.truth.phases
    assert tuple(name for name, _, _ in phases) == PHASES
    assert all(one[2] == two[1] for one, two in itertools.pairwise(phases))


def test_the_grip_is_in_the_force_window_and_holds_the_item_s_width(demonstration, streams):
    pressed = values(streams["gripper/effort"], "lift", demonstration)
    assert all(LIMITS["force.window"].admits(force) for force in pressed.ravel())
    opening = values(streams["gripper"], "transport", demonstration)
    assert np.allclose(opening, demonstration.scene.item.width, atol=1e-3)


def test_the_wrist_feels_the_item_s_weight_only_while_it_is_carried(demonstration, streams):
    weight = demonstration.scene.item.mass_kg * 9.81
    carried = values(streams["force"], "transport", demonstration)[:, 2]
    assert carried.mean() == pytest.approx(weight, abs=0.3)
    assert abs(values(streams["force"], "retract", demonstration)[-40:, 2].mean()) < 0.3
    before = streams["force"].values[streams["force"].times_ns < demonstration.truth.phases[0][1]]
    assert abs(before[:, 2].mean()) < 0.05


def test_the_inertial_sensor_feels_gravity_at_rest_and_motion_between(demonstration, streams):
    imu = streams["imu"]
    rest = imu.values[imu.times_ns < demonstration.truth.phases[0][1]]
    assert np.allclose(rest.mean(axis=0), [0, 0, -9.81, 0, 0, 0], atol=0.05)
    assert values(imu, "lift", demonstration)[:, 2].min() < -11.0


def test_commands_lead_the_joints_by_the_controller_s_lag(streams):
    joints, action = streams["joints"], streams["action"]
    lag_ns = 50_000_000
    inside = (action.times_ns > joints.times_ns[0]) & (action.times_ns + lag_ns < joints.times_ns[-1])
    for joint in range(6):
        later = np.interp(action.times_ns[inside] + lag_ns, joints.times_ns, joints.values[:, joint])
        assert np.allclose(later, action.values[inside, joint], atol=2e-3)


def test_tool_is_the_forward_kinematics_of_the_joints(streams):
    expected = tf.pose_from_matrix(kin.compute_tool_pose(arm.make_arm_chain(), streams["joints"].values))
    assert np.allclose(streams["tool"].values, expected)
    assert np.allclose(np.linalg.norm(streams["tool"].values[:, 3:], axis=1), 1.0)


def test_joints_stay_within_limits_and_no_joint_teleports(streams):
    angles, stamps = streams["joints"].values, streams["joints"].times_ns
    assert (angles > arm.make_arm_chain().low_rad).all()
    assert (angles < arm.make_arm_chain().high_rad).all()
    speed = np.abs(np.diff(angles, axis=0)) / (np.diff(stamps)[:, None] / 1e9)
    assert LIMITS["motion.teleport"].admits(speed.max())


def test_pictures_are_sources_of_frames_of_the_right_kind(streams):
    colour, depth = streams["camera/overhead"], streams["depth/overhead"]
    assert isinstance(colour.pictures, FrameSource)
    assert (colour.kind, depth.kind) == (StreamKind.RGB, StreamKind.DEPTH)
    picture, metres = next(colour.pictures.frames([0])), next(depth.pictures.frames([0]))
    assert (picture.dtype, picture.shape) == (np.uint8, (120, 160, 3))
    assert (metres.dtype, metres.shape) == (np.float32, (60, 80))
    assert 0.7 < np.nanmedian(metres) < 1.2
    assert 40 < picture.mean() < 215


def test_frames_are_drawn_from_the_logged_joints(streams):
    source = streams["camera/overhead"].pictures
    middle = len(source) // 2
    [seen] = source.frames([middle])
    logged = source.logged
    frozen = Logged(
        logged.joint_times_s, np.repeat(logged.joints_rad[:1], len(logged.joints_rad), axis=0),
        logged.gripper_times_s, logged.opening_m,
    )  # fmt: skip
    [other] = type(source)(source.eye, source.times_s, frozen, source.track, False).frames([middle])
    differs = np.abs(seen.astype(int) - other.astype(int)).max(axis=2) > 30
    assert differs.mean() > 0.01


def test_the_same_frame_is_drawn_alike_every_time_and_no_two_are_identical(streams):
    source = streams["camera/wrist"].pictures
    first, again, second = *source.frames([3]), *source.frames([3]), *source.frames([4])
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


def test_the_item_is_seen_in_the_tote_at_the_end(demonstration, streams):
    source = streams["camera/overhead"].pictures
    x, y, floor, _ = demonstration.verdict.rest
    eye = source.eye
    pixel = eye.camera.project(
        tf.transform_points(eye._camera_from_base, np.array([x, y, floor + demonstration.scene.item.height]))
    )
    before, after = source.frames([0, len(source) - 1])
    column, row = np.round(pixel).astype(int)
    chroma = [np.ptp(frame[row, column].astype(int)) for frame in (before, after)]
    assert chroma[1] > chroma[0] + 20


def test_a_held_item_follows_the_tool_and_lies_where_physics_says(demonstration):
    track = demonstration.recording.streams["camera/overhead"].pictures.track
    verdict = demonstration.verdict
    path, item = verdict.path, demonstration.scene.item
    for phase in ("lift", "transport", "place"):
        at = path.find_step_index(sum(path.phases[phase]) / 2)
        tool = arm.make_tool_pose(path.xyz[at], path.yaw_rad[at])
        pose = track.locate_item(float(path.times_s[at]), tool)
        along = np.array([np.cos(path.yaw_rad[at]), np.sin(path.yaw_rad[at])]) * verdict.grip.along_m
        assert np.allclose(pose[:2, 3], path.xyz[at, :2] + along)
        assert np.isclose(pose[2, 3], item.bottom + item.height / 2 + path.xyz[at, 2] - path.grasp.z)
        assert np.allclose(pose[:3, 2], [0, 0, 1], atol=1e-9)
    assert np.allclose(track.locate_item(1e3, tool)[:3, 3], [*verdict.rest[:2], verdict.rest[2] + item.height / 2])
    assert np.allclose(track.locate_item(0.0, tool)[:2, 3], [item.x, item.y])


def test_same_seed_same_bits_another_seed_other_numbers():
    def made(seed):
        floor = Floor(seed)
        return floor.demonstrate(BENCH, "op-birch", floor.make_random_generator("again"), START_NS).recording

    first, again, other = made(11), made(11), made(12)
    assert first.episode == again.episode
    for name, stream in first.streams.items():
        assert np.array_equal(stream.times_ns, again.streams[name].times_ns)
        if stream.values is not None:
            assert np.array_equal(stream.values, again.streams[name].values)
            assert stream.values.sum() != other.streams[name].values.sum()
    frames = [next(r.streams["camera/overhead"].pictures.frames([7])) for r in (first, again, other)]
    assert np.array_equal(frames[0], frames[1])
    assert not np.array_equal(frames[0], frames[2])
    assert first.episode.id != other.episode.id


def test_facts_say_the_conditions_and_truth_only_when_asked(demonstration):
    episode = demonstration.recording.episode
    assert (episode.site, episode.robot, episode.operator) == ("lab", "arm-lab-1", "op-amber")
    assert episode.stratum == BENCH
    assert episode.simulated
    assert episode.succeeded
    for fact in ("sku", "lux", "temperature_c", "humidity_percent", "surface", "target_x", "approach"):
        assert episode.get_fact(fact)
    assert not any(name.startswith("truth_") for name, _ in episode.facts)
    annotated = add_true_phases(demonstration).episode
    begin, end = map(int, annotated.get_fact("truth_grasp").split())
    assert ("grasp", begin, end) in demonstration.truth.phases


@pytest.mark.parametrize(
    ("change", "failure"),
    [({"z": 0.09}, "collision"), ({"x": 0.66}, "grasp"), ({"force_n": 1.0}, "grasp"), ({"x": 1.5}, "timeout")],
)
def test_failed_attempts_are_recorded_and_labelled(floor, change, failure):
    scene = floor.draw_scene(BENCH, floor.make_random_generator("failed"))
    item = scene.item
    wanted = {"x": item.x, "y": item.y, "z": item.top - 0.03, "yaw_rad": item.yaw_rad, "width_m": item.width + 0.025}
    grasp = Grasp(**{**wanted, "force_n": 12.0, **change})
    verdict = simulate_pick(scene, plan_pick_path(grasp, STYLE, scene.site.bin_floor_m))
    shown = record_attempt(
        scene, verdict, floor.rig, START_NS, floor.make_random_generator("rec"), {"operator": "op-amber"}
    )
    episode = shown.recording.episode
    assert (episode.succeeded, episode.failure) == (False, failure)
    for stream in shown.recording.streams.values():
        if stream.values is not None:
            assert np.isfinite(stream.values).all()
    if failure == "collision":
        assert np.abs(shown.recording.streams["force"].values[:, 2]).max() > 15.0
    [last] = shown.recording.streams["camera/wrist"].pictures.frames(
        [-1 + len(shown.recording.streams["camera/wrist"])]
    )
    assert last.size


def test_a_slip_shows_in_effort_and_width(floor):
    scene = floor.draw_scene(BENCH, floor.make_random_generator("slip"))
    item = scene.item
    grasp = Grasp(item.x, item.y, item.top - 0.03, item.yaw_rad, item.width + 0.025, 1.0)
    verdict = simulate_pick(scene, plan_pick_path(grasp, STYLE, scene.site.bin_floor_m))
    assert verdict.reason == "slipped while lifted"
    shown = record_attempt(scene, verdict, floor.rig, START_NS, floor.make_random_generator("rec"), {})
    width = values(shown.recording.streams["gripper"], "place", shown)
    assert np.abs(width).max() < 1e-3


def test_operators_differ_and_most_succeed(floor):
    sides, tempos, good = set(), [], []
    for i in range(60):
        name = floor.list_operators()[i % 5]
        rng = floor.make_random_generator("people", i)
        scene = floor.draw_scene(BENCH, rng)

        grasp, style = choose_grasp_and_style(OPERATORS[name], scene.item, rng)
        good.append(simulate_pick(scene, plan_pick_path(grasp, style, scene.site.bin_floor_m)).succeeded)
        sides.add(np.sign(round(style.side_m, 2)))
        tempos.append(style.tempo)
    assert len(floor.list_operators()) >= 4
    assert {-1.0, 1.0} <= sides
    assert max(tempos) / min(tempos) > 1.15
    assert 0.85 < np.mean(good) <= 1.0
