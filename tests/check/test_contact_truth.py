"""When something was held, against what only the simulator knows."""

import numpy as np
import pytest

from fieldloop.check import Case
from fieldloop.check.signals.contact import find_longest_hold
from fieldloop.check.signals.movement import find_movement
from fieldloop.model.stream import NS_PER_S
from fieldloop.simulate.arm.floor import Floor
from fieldloop.testing.synthetic import START_NS, replace_streams


@pytest.fixture(scope="module")
def demonstrations():
    floor = Floor(3)
    mix, people = (*floor.make_lab_mix(), *floor.make_production_mix()), floor.list_operators()
    made = [
        floor.demonstrate(mix[k % len(mix)].stratum, people[k % len(people)], np.random.default_rng(k), START_NS)
        for k in range(10)
    ]
    return [one for one in made if one.recording.episode.succeeded]


def after_s(found_ns, truth_ns):
    return (found_ns - truth_ns) / NS_PER_S


@pytest.mark.parametrize("by", ["force", "width"])
def test_contact_and_release_are_near_the_truth(demonstrations, by):
    for one in demonstrations:
        recording = one.recording
        if by == "width":
            recording = replace_streams(recording, {"gripper/effort": None})
        found = find_longest_hold(Case(recording))
        contact_ns = one.truth.motion_ns + one.verdict.contact_s * NS_PER_S
        release_ns = next(begin for name, begin, _ in one.truth.phases if name == "release")
        assert abs(after_s(found.contact_ns, contact_ns)) < 0.1
        assert abs(after_s(found.release_ns, release_ns)) < 0.2
        assert found.grasps == 1


def test_movement_begins_and_ends_near_the_truth(demonstrations):
    for one in demonstrations:
        moved = find_movement(Case(one.recording))
        assert 0 <= after_s(moved.onset_ns, one.truth.motion_ns) < 0.15
        assert -0.15 < after_s(moved.offset_ns, one.truth.phases[-1][2]) <= 0
