"""What is gathered from a recording is the grasp that was made and the scene that was seen."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Recording
from fieldloop.model.release import StratumShare
from fieldloop.train.samples import gather_samples

BENCH = Stratum.of(site="lab", tier="high", bin="front", lighting="bright")


@pytest.fixture(scope="module")
def shown(floor):
    made = (floor.demonstrate(BENCH, "op-cedar", floor.make_random_generator("gather", i), 10**18) for i in range(20))
    return next(each for each in made if each.verdict.succeeded)


@pytest.fixture(scope="module")
def phases(shown):
    episode = shown.recording.episode.id
    return [Annotation(episode, "phase", name, begin, end, "truth") for name, begin, end in shown.truth.phases]


def test_the_grasp_is_the_one_that_was_driven(shown, phases):
    [sample] = gather_samples([shown.recording], phases).samples
    grasp = shown.verdict.path.grasp
    made = np.array([grasp.x, grasp.y, grasp.z, grasp.yaw_rad, grasp.width_m, grasp.force_n])
    assert np.allclose(sample.grasp[:3], made[:3], atol=0.001)
    assert sample.grasp[3] == pytest.approx(made[3], abs=0.005)
    assert sample.grasp[4] == pytest.approx(made[4], abs=0.0005)
    assert sample.grasp[5] == pytest.approx(made[5], rel=0.03)


def test_boundaries_two_frames_off_change_little(shown, phases):
    [exact] = gather_samples([shown.recording], phases).samples
    for shift in (-66_000_000, 66_000_000):
        late = [replace(a, start_ns=a.start_ns + shift, end_ns=a.end_ns + shift) for a in phases]
        [sample] = gather_samples([shown.recording], late).samples
        assert np.allclose(sample.grasp[:2], exact.grasp[:2], atol=0.002)
        assert sample.grasp[2] == pytest.approx(exact.grasp[2], abs=0.004)
        assert sample.grasp[5] == pytest.approx(exact.grasp[5], rel=0.1)


def test_pictures_come_from_before_the_arm_moves(shown, phases):
    [sample] = gather_samples([shown.recording], phases, frames=4).samples
    assert sample.pictures.shape == (4, 120, 160, 3)
    assert sample.depths.shape == (4, 60, 80)
    [first] = shown.recording.streams["camera/overhead"].pictures.frames([0])
    for picture in sample.pictures:  # the same still scene but for noise
        assert np.abs(picture.astype(int) - first).mean() < 4.0


def test_an_episode_counts_as_much_as_its_stratum(shown, phases):
    shares = [StratumShare(Stratum.of(site="lab"), 0.5, 0.5, 2.5)]
    [sample] = gather_samples([shown.recording], phases, shares).samples
    assert sample.weight == 2.5
    [other] = gather_samples([shown.recording], phases, [StratumShare(Stratum.of(site="mars"), 1, 1, 9.0)]).samples
    assert other.weight == 1.0


def without(recording, *names):
    return Recording(recording.episode, {n: s for n, s in recording.streams.items() if n not in names})


def test_what_gives_no_sample_says_why(shown, phases):
    recording = shown.recording
    failed = replace(recording, episode=replace(recording.episode, succeeded=False))
    cases = [
        (failed, phases, "failed"),
        (without(recording, "tool"), phases, "no stream tool"),
        (without(recording, "depth/overhead", "gripper"), phases, "depth/overhead, gripper"),
        (recording, [], "approach and grasp not annotated"),
        (recording, [a for a in phases if a.label != "grasp"], "grasp not annotated"),
        (recording, [replace(a, start_ns=0, end_ns=1) if a.label == "grasp" else a for a in phases], "no sample"),
    ]
    for case, annotations, why in cases:
        gathered = gather_samples([case], annotations)
        assert gathered.samples == ()
        [(episode, reason)] = gathered.skipped
        assert episode == recording.episode.id
        assert why in reason


def test_nothing_in_nothing_out():
    assert gather_samples([], []).samples == ()
