"""Upright boxes touch exactly when they share a point."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.simulate.arm.boxes import Solid, compute_penetration, convert_to_uprights

PLACE = st.floats(-0.2, 0.2)
SIDE = st.floats(0.02, 0.3)
SOLID = st.builds(
    Solid, st.just("box"), st.tuples(PLACE, PLACE, PLACE), st.tuples(SIDE, SIDE, SIDE), st.floats(-3.2, 3.2)
)


def points_inside(solid, points):
    turned = points - np.array(solid.centre)
    cosine, sine = np.cos(solid.yaw_rad), np.sin(solid.yaw_rad)
    along = turned[:, 0] * cosine + turned[:, 1] * sine
    across = -turned[:, 0] * sine + turned[:, 1] * cosine
    local = np.stack([along, across, turned[:, 2]], axis=1)
    return (np.abs(local) <= np.array(solid.size) / 2).all(axis=1)


def points_of(solid, count=9):
    steps = np.linspace(-0.5, 0.5, count)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3) * np.array(solid.size)
    cosine, sine = np.cos(solid.yaw_rad), np.sin(solid.yaw_rad)
    x, y = grid[:, 0] * cosine - grid[:, 1] * sine, grid[:, 0] * sine + grid[:, 1] * cosine
    return np.stack([x, y, grid[:, 2]], axis=1) + np.array(solid.centre)


@given(SOLID, SOLID)
def test_a_shared_point_means_they_overlap(first, second):
    shared = points_inside(first, points_of(second)).any() or points_inside(second, points_of(first)).any()
    deep = compute_penetration(convert_to_uprights([first]), convert_to_uprights([second]))[0]
    if shared:
        assert deep >= -1e-9
    if deep < -1e-9:
        assert not shared


@given(SOLID, SOLID)
def test_who_touches_whom_does_not_matter(first, second):
    one, other = convert_to_uprights([first]), convert_to_uprights([second])
    assert np.isclose(compute_penetration(one, other)[0], compute_penetration(other, one)[0])


def test_every_box_of_one_set_meets_every_box_of_another():
    left = convert_to_uprights([Solid("a", (x, 0, 0), (1, 1, 1)) for x in (0.0, 5.0, 10.0)])
    right = convert_to_uprights([Solid("b", (x, 0, 0), (1, 1, 1)) for x in (0.5, 5.0)])
    deep = compute_penetration(left.insert_axis(-1), right)
    assert deep.shape == (3, 2)
    assert np.allclose(deep, [[0.5, -4.0], [-3.5, 1.0], [-8.5, -4.0]])
