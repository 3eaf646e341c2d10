"""How fast a tool turned: the angle between rotations, whatever sign or name their numbers have."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check.signals.signal import read_signal
from fieldloop.check.signals.turning import compute_angular_speed
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import parse_protocol
from fieldloop.testing.injuries.injury import change_stream, change_values
from fieldloop.testing.planted import make_case, make_stream, measure_by_subject
from fieldloop.testing.synthetic import PROTOCOL, make_healthy_case

POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
ASKS = """
[interface.vr.limits.turn_speed]
unit = "rad/s"
max = 1.0
why = "test"
source = { kind = "assumed", ref = "test" }
"""


def turned(case):
    return measure_by_subject(
        "adherence.speed_limit", replace(case, protocol=parse_protocol(PROTOCOL + ASKS), _kept={})
    )


def spinning(rad_s, count=200, hz=50.0):
    half = rad_s * np.arange(count) / hz / 2
    poses = np.zeros((count, 7))
    poses[:, 4], poses[:, 6] = np.sin(half), np.cos(half)
    return poses


def speed_of(poses, columns=POSE):
    pose = make_stream("tool", StreamKind.POSE, poses, unit="m", columns=columns)
    return compute_angular_speed(make_case(pose), read_signal(pose))


@settings(max_examples=25, deadline=None)
@given(st.floats(0.0, 5.0), st.lists(st.integers(0, 199), max_size=9))
def test_the_speed_is_the_one_planted_whatever_the_signs(rad_s, flipped):
    poses = spinning(rad_s)
    for row in flipped:
        poses[row:, 3:] *= -1
    _, fast = speed_of(poses)
    assert fast[1:-1] == pytest.approx(rad_s, rel=0.01, abs=1e-6)


def test_one_quaternion_of_the_other_sign_is_no_motion():
    def flip(values):
        values[600:, 3:] *= -1

    calm, flipped = (turned(case)["tool turning"] for case in (make_healthy_case(), _flipped(flip)))
    assert flipped.value == pytest.approx(calm.value, rel=1e-9)


def _flipped(flip):
    return change_values(make_healthy_case(), "tool", flip)


@pytest.mark.parametrize("names", [("roll", "pitch", "yaw", "grip"), ("a", "b", "c", "d")])
def test_other_numbers_are_not_taken_for_a_quaternion(names):
    case = change_stream(make_healthy_case(), "tool", columns=("x", "y", "z", *names))
    assert turned(case)["turn_speed"].cannot_tell.code == "check.no_tool_rotation"


@pytest.mark.parametrize("nothing", [np.nan, 0.0])
def test_what_is_no_rotation_turned_nothing(nothing):
    poses = spinning(1.0)
    poses[50:60, 3:] = nothing
    _, fast = speed_of(poses)
    assert np.isfinite(fast).all()
    assert fast.max() == pytest.approx(1.0, rel=0.01)
