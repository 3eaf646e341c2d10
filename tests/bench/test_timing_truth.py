"""Timing truth: a frame stamped t shows the joints as the log has them at t + lag, and nothing else is true."""

from dataclasses import replace

import numpy as np
import pytest
from bench.timing_truth import MOTIONS, Step, make_episode, rigs
from bench.timing_truth.capture import Film
from bench.timing_truth.episode import START_NS, chance
from bench.timing_truth.motions import Motion
from bench.timing_truth.rig import JointSensor
from bench.timing_truth.scenes import set_up

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.stream import NS_PER_S, StreamKind

ELBOW = rigs.DEVELOPMENT["elbow-front"]
WRIST, EXTERNAL = "camera/wrist", "camera/external"


def ideal(rig, camera, *, latency_s=0.0, **view):
    """The rig with one small camera that adds nothing of its own, and joints that are sensed perfectly."""
    clean = {"noise": 0.0, "flicker": 0.0, "breathing": 0.0, "exposure_s": 0.001, "readout_s": 0.0}
    clean |= {"width": 96, "height": 72, "soft_px": 0.0}
    stage = replace(rig.stage, company=0.0)
    return replace(
        rig,
        stage=stage,
        views={camera: replace(rig.views[camera], **(clean | view))},
        joints=JointSensor(500.0, 30, 0.0, latency_s),
    )


def film_of_the_log(rig, camera, episode, seed):
    """A camera before the motion that the *log* tells, on the log's own clock."""
    joints, gripper = (episode.recording.streams[name] for name in ("joints", "gripper"))
    logged = Motion((joints.times_ns - START_NS) / NS_PER_S, joints.values, gripper.values)
    scene = set_up(rig.stage, rig.arm.rooms, chance(rig, seed, "scene"))
    film_seed = int(chance(rig, seed, f"{camera}/film").integers(2**31))
    return Film(rig, rig.views[camera], scene, logged, film_seed)


def stamps_s(episode, camera):
    return (episode.recording.streams[camera].times_ns - START_NS) / NS_PER_S


@pytest.mark.parametrize("camera", [WRIST, EXTERNAL])
@pytest.mark.parametrize(("lag_ms", "latency_s"), [(0.0, 0.0), (37.5, 0.008), (-80.0, 0.0)])
def test_a_frame_shows_the_logged_joints_of_its_stamp_plus_its_lag(camera, lag_ms, latency_s):
    rig = ideal(ELBOW, camera, latency_s=latency_s)
    episode = make_episode(rig, 5, motion="periodic", seconds=0.4, lag_ms=lag_ms, raw=True)
    film = film_of_the_log(rig, camera, episode, 5)
    stamps, lags = stamps_s(episode, camera), episode.truth[camera].lags_s
    pictures = list(episode.recording.streams[camera].pictures.frames())
    right, wrong = [], []
    for frame in (1, 6, 11):
        for shift, errors in ((0.0, right), (0.010, wrong)):
            shown = film.instant(stamps[frame] + lags[frame] + shift)
            errors.append(np.abs(pictures[frame].astype(float) + 0.5 - shown).mean())
    assert max(right) < 0.27  # whole grey levels alone make a quarter
    assert np.mean(wrong) > np.mean(right) + 0.1


SHIFTS_S = (-0.003, 0.0, 0.003)


@pytest.mark.parametrize("readout_s", [0.020, -0.020])
def test_each_row_shows_its_own_time(readout_s):
    rig = ideal(ELBOW, WRIST, readout_s=readout_s)
    episode = make_episode(rig, 5, motion="periodic", seconds=0.4, lag_ms=20.0, raw=True)
    film, truth = film_of_the_log(rig, WRIST, episode, 5), episode.truth[WRIST]
    time = stamps_s(episode, WRIST)[6] + truth.lags_s[6]
    picture = list(episode.recording.streams[WRIST].pictures.frames())[6].astype(float) + 0.5
    for rows in (range(2, 24, 5), range(26, 48, 5), range(50, 72, 5)):  # each third by itself
        errors = [
            sum(np.abs(picture[r] - film.instant(time + truth.row_lags_s[r] + shift)[r]).mean() for r in rows)
            for shift in SHIFTS_S
        ]
        assert np.argmin(errors) == 1


def test_a_long_exposure_is_the_mean_of_its_moments():
    rig = ideal(ELBOW, WRIST, exposure_s=0.020)
    episode = make_episode(rig, 5, motion="periodic", seconds=0.4, lag_ms=0.0, raw=True)
    film, time = film_of_the_log(rig, WRIST, episode, 5), stamps_s(episode, WRIST)[6]
    picture = list(episode.recording.streams[WRIST].pictures.frames())[6].astype(float) + 0.5
    errors = []
    for shift in SHIFTS_S:
        exposed = [film.instant(time + shift + after) for after in np.linspace(-0.010, 0.010, 21)]
        errors.append(np.abs(picture - np.mean(exposed, axis=0)).mean())
    assert np.argmin(errors) == 1
    assert errors[1] < np.abs(picture - film.instant(time)).mean()  # it is blurred


def test_the_same_arguments_give_the_same_bits_and_another_seed_others():
    rig = rigs.DEVELOPMENT["pair-bench"]
    first, again, other = (make_episode(rig, seed, seconds=0.4, cameras=[WRIST]) for seed in (1, 1, 2))
    assert first.recording.streams[WRIST].pictures.data == again.recording.streams[WRIST].pictures.data
    assert first.recording.episode.id == again.recording.episode.id != other.recording.episode.id
    assert (first.recording.streams["joints"].values == again.recording.streams["joints"].values).all()
    assert first.truth[WRIST].lag_ms == again.truth[WRIST].lag_ms != other.truth[WRIST].lag_ms


def test_a_camera_does_not_depend_on_who_else_films():
    rig = rigs.DEVELOPMENT["elbow-front"]
    both, alone = make_episode(rig, 1, seconds=0.2), make_episode(rig, 1, seconds=0.2, cameras=[WRIST])
    assert both.recording.streams[WRIST].pictures.data == alone.recording.streams[WRIST].pictures.data
    assert set(both.recording.streams) == {"joints", "gripper", WRIST, EXTERNAL}
    assert both.recording.streams["joints"].kind is StreamKind.JOINT_POSITION


def test_drift_jitter_and_lost_frames_are_in_the_truth_of_every_frame():
    rig = ideal(ELBOW, WRIST, width=32, height=24)
    plain = make_episode(rig, 4, seconds=1.0, lag_ms=10.0, raw=True)
    drifting = make_episode(rig, 4, seconds=1.0, lag_ms=10.0, drift_ppm=500.0, raw=True)
    lossy = make_episode(rig, 4, seconds=1.0, lag_ms=10.0, step=Step(0.5, 3), raw=True)
    shaky = make_episode(rig, 4, seconds=1.0, lag_ms=10.0, jitter_ms=2.0, raw=True)
    assert np.allclose(plain.truth[WRIST].lags_s, 0.010)
    assert np.ptp(drifting.truth[WRIST].lags_s) == pytest.approx(500e-6 * 29 / 30)
    assert drifting.truth[WRIST].mean_ms == pytest.approx(10.0)
    truth, stamps = lossy.truth[WRIST], lossy.recording.streams[WRIST].times_ns
    assert len(stamps) == len(lossy.recording.streams[WRIST].pictures) == 27
    assert np.allclose(np.diff(stamps) / NS_PER_S, 1 / 30)  # the stamps hide the gap
    assert np.allclose(truth.lags_s[: truth.step_at_frame], 0.010)
    assert np.allclose(truth.lags_s[truth.step_at_frame :], 0.110)
    assert truth.step_ms == pytest.approx(100.0)
    assert np.std(shaky.truth[WRIST].lags_s) == pytest.approx(0.002, rel=0.4)
    assert (np.diff(shaky.recording.streams[WRIST].times_ns) > 0).all()
    moved = (shaky.recording.streams[WRIST].times_ns - plain.recording.streams[WRIST].times_ns) / NS_PER_S
    assert np.allclose(moved, 0.010 - shaky.truth[WRIST].lags_s, atol=1e-8)


def test_where_in_a_wandering_exposure_the_stamp_is_taken_is_part_of_the_truth():
    view = {"breathing": 0.5, "exposure_s": 0.016, "width": 32, "height": 24, "hz": 5.0}
    for stamped, slope in (("start", 0.5), ("middle", 0.0), ("end", -0.5)):
        rig = ideal(ELBOW, WRIST, stamped=stamped, **view)
        truth = make_episode(rig, 4, seconds=4.0, lag_ms=0.0, raw=True).truth[WRIST]
        assert np.allclose(truth.lags_s, slope * (truth.exposures_s - truth.exposures_s.mean()))
        assert np.ptp(truth.exposures_s) > 0.002


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_motion_is_as_quick_as_it_is_called(motion):
    from fieldloop.geometry import chain as kin

    episode = make_episode(ideal(ELBOW, WRIST), 3, motion=motion, cameras=[])
    tool = kin.compute_tool_pose(ELBOW.arm.limbs[0].chain, episode.recording.streams["joints"].values)[:, :3, 3]
    speed = np.linalg.norm(np.diff(tool, axis=0), axis=1).sum() / 13.0
    low, high = {"still": (0.0, 1e-3), "slow3": (0.015, 0.03), "slow6": (0.03, 0.06), "slow10": (0.05, 0.10)}.get(
        motion, (0.05, 0.8)
    )
    assert low <= speed <= high * 1.05
    for name, fastest in (("joints", 6.0), ("gripper", 0.7)):  # nothing jumps
        assert np.abs(np.diff(episode.recording.streams[name].values, axis=0)).max() * 500 < fastest


def test_what_cannot_be_made_is_refused_with_words():
    with pytest.raises(UnknownName, match="Did you mean 'pick'"):
        make_episode(ELBOW, 1, motion="pik")
    with pytest.raises(UnknownName, match="camera of elbow-front"):
        make_episode(ELBOW, 1, cameras=["camera/wrst"])
    with pytest.raises(BadInput, match="longer than 0 s"):
        make_episode(ELBOW, 1, seconds=0)
    with pytest.raises(BadInput, match="seeds count from 0"):
        make_episode(ELBOW, -1)
