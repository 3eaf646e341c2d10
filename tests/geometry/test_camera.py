"""A pinhole camera: what it projects it can place again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.geometry.camera import Pinhole

CAMERA = Pinhole.from_field_of_view(160, 120, 0.9)


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(0.05, 5.0))
def test_back_projecting_a_projection_returns_the_point(x, y, z):
    point = np.array([x, y, z])
    assert np.allclose(CAMERA.back_project(CAMERA.project(point), z), point, atol=1e-9)


def test_a_point_on_the_axis_meets_the_middle():
    assert np.allclose(CAMERA.project([0, 0, 2.0]), [79.5, 59.5])


def test_the_edge_of_the_field_of_view_meets_the_edge_of_the_picture():
    u, _ = CAMERA.project([np.tan(0.45), 0, 1.0])
    assert np.isclose(u, 159.5)


def test_nothing_behind_the_camera_is_seen():
    assert not CAMERA.sees(CAMERA.project([[0, 0, -1.0], [0, 0, 0.0]])).any()
    assert CAMERA.sees(CAMERA.project([[0, 0, 1.0]])).all()


def test_matrix_projects_alike():
    point = np.array([0.1, -0.05, 0.7])
    u, v, w = CAMERA.matrix @ point
    assert np.allclose(CAMERA.project(point), [u / w, v / w])
