"""The rasteriser: nearest wins, depth is geometry, a thing is where projection says."""

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.camera import Pinhole
from fieldloop.simulate.arm import raster
from fieldloop.simulate.arm.boxes import Solid, convert_to_boxes

CAMERA = Pinhole.from_field_of_view(160, 120, 0.9)
LOOKING_DOWN = tf.invert_transform(tf.make_transform(np.array([[0, -1, 0], [-1, 0, 0], [0, 0, -1.0]]), [0, 0, 1.0]))


def drawn(*solids, camera_from_base=LOOKING_DOWN):
    buffer = raster.make_blank_buffer(CAMERA)
    raster.draw_mesh(buffer, CAMERA, camera_from_base, raster.make_mesh(convert_to_boxes(solids)))
    return buffer


def test_depth_of_a_flat_face_is_its_distance_everywhere():
    buffer = drawn(Solid("floor", (0, 0, -0.05), (3, 3, 0.1)))
    assert (buffer.faces > 0).all()
    assert np.allclose(1 / buffer.nearness, 1.0, atol=1e-4)


def test_depth_of_a_slanted_view_is_the_plane_s():
    tilted = tf.invert_transform(tf.make_transform(tf.make_rotation_about_axis("x", np.pi + 0.5), [0, 0.2, 1.0]))
    buffer = drawn(Solid("floor", (0, 0, -0.05), (8, 8, 0.1)), camera_from_base=tilted)
    v, u = np.mgrid[0:120, 0:160]
    rays = np.stack([(u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones(u.shape)], axis=-1)
    base = tf.invert_transform(tilted)
    down = rays @ base[:3, :3].T
    expected = base[2, 3] / -down[..., 2]
    seen = buffer.nearness > 0
    assert seen.mean() > 0.9
    assert np.allclose(1 / buffer.nearness[seen], expected[seen], rtol=1e-3)


def test_the_nearer_of_two_is_seen_in_whatever_order_they_are_drawn():
    low, high = Solid("low", (0, 0, 0.1), (0.4, 0.4, 0.2)), Solid("high", (0, 0, 0.4), (0.2, 0.2, 0.1))
    for pair in ((low, high), (high, low)):
        depth = 1 / drawn(*pair).nearness[60, 80]
        assert np.isclose(depth, 0.55, atol=1e-3)


def test_the_middle_of_what_is_drawn_is_the_projected_middle():
    solid = Solid("item", (0.12, -0.08, 0.03), (0.1, 0.05, 1e-4), 0.4)
    rows, columns = np.nonzero(drawn(solid).faces)
    expected = CAMERA.project(tf.transform_points(LOOKING_DOWN, np.array([0.12, -0.08, 0.03])))
    assert np.allclose([columns.mean(), rows.mean()], expected, atol=0.35)


def test_area_is_the_area_of_the_face():
    rows, _ = np.nonzero(drawn(Solid("sheet", (0, 0, 0), (0.4, 0.3, 1e-4))).faces)
    assert np.isclose(len(rows), 0.4 * 0.3 * CAMERA.fx**2, rtol=0.05)


def test_what_is_behind_the_camera_is_not_seen():
    assert not drawn(Solid("above", (0, 0, 1.5), (0.4, 0.4, 0.1))).keys.any()


def test_a_face_that_reaches_behind_the_camera_is_cut_not_dropped():
    level = tf.invert_transform(tf.make_transform(np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0.0]]), [0, 0, 0.3]))
    buffer = drawn(Solid("floor", (0, 0, -0.05), (10, 10, 0.1)), camera_from_base=level)
    assert (buffer.faces[100:] > 0).all()
    assert not buffer.faces[:50].any()


def test_too_many_boxes_are_refused_with_the_number():
    with pytest.raises(BadInput, match="85 boxes"):
        drawn(*[Solid("many", (0, 0, 0), (0.1, 0.1, 0.1))] * 100)


def test_a_face_turned_to_the_light_is_brighter():
    mesh = raster.make_mesh(convert_to_boxes([Solid("box", (0, 0, 0), (1, 1, 1), colour=(1, 1, 1))]))
    shades = mesh.compute_face_colours(np.array([0, 0, 1.0]), 0.4)[:, 0]
    assert shades[5] == pytest.approx(1.0)
    assert shades[4] == pytest.approx(0.4)
