"""The parts a timing truth stands on: shutter, lenses, prints, video; and that the two sets of rigs share nothing."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from bench import alignment_data
from bench.timing_truth import rigs, shutter
from bench.timing_truth.capture import Film
from bench.timing_truth.episode import chance
from bench.timing_truth.lens import Lens, optics
from bench.timing_truth.motions import motion
from bench.timing_truth.scenes import set_up
from bench.timing_truth.textures import TILE, Print, Prints
from bench.timing_truth.video import Codec, compress
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import UnknownName
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.camera import Pinhole
from fieldloop.simulate.arm import raster
from fieldloop.simulate.arm.boxes import Solid, convert_to_boxes
from fieldloop.testing import barcode

PLAIN_SEVEN = tuple("zyzyzyz")
"""The order of axes of almost every seven-joint arm that is sold; the pair of the report has it with other lengths."""
EVERY = [*rigs.DEVELOPMENT.values(), *rigs.REPORT.values()]


@given(
    exposure_s=st.floats(0.0, 0.03),
    readout_s=st.floats(-0.025, 0.025),
    height=st.integers(2, 40),
    pace=st.floats(0.0, 1e4),
)
def test_a_row_takes_a_whole_of_its_moments_and_their_mean_time_is_its_own(exposure_s, readout_s, height, pace):
    opening = shutter.opening(height, exposure_s, readout_s, shutter.spacing_s(pace))
    assert (opening.weights >= 0).all()
    assert np.allclose(opening.weights.sum(axis=1), 1.0)
    assert np.allclose(opening.weights @ opening.after_s, shutter.row_times_s(height, readout_s), atol=1e-9)
    steps = np.diff(opening.after_s)
    assert ((steps <= shutter.APART_S + 1e-9) | (steps * pace <= shutter.APART_PX + 1e-9) | (pace < 1.0)).all()


def test_a_row_takes_nothing_from_outside_its_exposure():
    opening = shutter.opening(24, 0.004, 0.020)
    away = np.abs(opening.after_s - shutter.row_times_s(24, 0.020)[:, None])
    apart = opening.after_s[1] - opening.after_s[0]
    assert not opening.weights[away > 0.002 + apart].any()
    assert opening.rows_of(0)[1] < opening.rows_of(len(opening.after_s) - 1)[1]


def test_brown_s_lens_is_opencv_s():
    x, y = np.meshgrid(np.linspace(-0.8, 0.8, 9), np.linspace(-0.6, 0.6, 7))
    bent = np.stack([x, y], axis=-1).reshape(-1, 1, 2)
    theirs = cv2.undistortPointsIter(
        bent, np.eye(3), np.array([-0.2, 0.03, 0, 0.0]), None, None, (cv2.TERM_CRITERIA_COUNT, 200, 0)
    )
    ours = np.stack(Lens("brown", 1.0, (-0.2, 0.03)).straight(x, y), axis=-1)
    assert np.allclose(ours.reshape(-1, 2), theirs[:, 0], atol=1e-6)


def test_the_fisheye_is_opencv_s():
    x, y = np.meshgrid(np.linspace(-0.8, 0.8, 9), np.linspace(-0.6, 0.6, 7))
    theirs = cv2.fisheye.undistortPoints(np.stack([x, y], axis=-1).reshape(-1, 1, 2), np.eye(3), np.zeros(4))
    ours = np.stack(Lens("equidistant", 1.0).straight(x, y), axis=-1)
    assert np.allclose(ours.reshape(-1, 2), theirs[:, 0], atol=1e-6)


def test_the_division_lens_undoes_its_own_bending():
    ideal = np.linspace(0.01, 1.0, 30)
    bend = -0.2
    bent = (1 - np.sqrt(1 - 4 * bend * ideal**2)) / (2 * bend * ideal)  # r = r' (1 + λ r²), solved for r
    straight, level = Lens("division", 1.0, (bend, 0.0)).straight(bent, np.zeros_like(bent))
    assert np.allclose(straight, ideal)
    assert not level.any()


@pytest.mark.parametrize("rig", EVERY, ids=lambda rig: rig.name)
def test_the_pinhole_picture_holds_all_that_each_lens_sees(rig):
    for view in rig.views.values():
        made = optics(view.lens, view.width, view.height, view.oversample)
        for at, last in ((made.columns, made.pinhole.width - 1), (made.rows, made.pinhole.height - 1)):
            assert np.isfinite(at).all()
            assert at.min() >= 0
            assert at.max() <= last
        assert made.pinhole.width * made.pinhole.height < 12 * view.width * view.height
        assert (np.diff(made.columns, axis=1) > 0).all()


def test_a_print_sticks_to_its_face():
    camera, pose = (
        Pinhole(80, 60, 70, 70, 39.5, 29.5),
        tf.make_transform(tf.make_rotation_about_axis("x", 2.7), [0.03, 0.3, 0.7]),
    )
    faces = raster.make_mesh(convert_to_boxes([Solid("box", (0.0, 0.05, 0.1), (0.5, 0.4, 0.2), 0.3)]))
    buffer = raster.make_blank_buffer(camera)
    camera_from_base = tf.invert_transform(pose)
    raster.draw_mesh(buffer, camera, camera_from_base, faces)
    prints = Prints([Print("plain", 10.0, 0.0)], np.random.default_rng(0))
    prints._sheet = np.tile(np.arange(TILE + 2, dtype=np.float32), (TILE + 2, 1))  # the value is the place along s
    slopes = prints.slopes(faces, np.zeros(len(faces), int), camera, camera_from_base)
    u, v = np.arange(80, dtype=np.float32), np.arange(60, dtype=np.float32)[:, None]
    found = prints.look_up(slopes, buffer.faces.astype(np.intp), buffer.keys, u, v) - 0.5
    rows, columns = np.nonzero(buffer.faces)
    points = tf.transform_points(
        pose, camera.back_project(np.stack([columns, rows], axis=1), 1 / buffer.nearness[rows, columns])
    )
    corner = faces.corners[buffer.faces[rows, columns] - 1]
    side = corner[:, 1] - corner[:, 0]
    along = ((points - corner[:, 0]) * side).sum(axis=1) / np.linalg.norm(side, axis=1) * TILE / 10.0
    expected = np.mod(along, TILE)
    apart = np.minimum(np.abs(found[rows, columns] - expected), 1.0)
    assert len(rows) > 1000
    assert np.quantile(apart, 0.98) < 0.05


@pytest.mark.parametrize("b_frames", [0, 2])
def test_compression_keeps_number_and_order_of_frames(b_frames):
    grey = np.full((48, 64, 3), 120, np.uint8)
    marked = [barcode.draw_barcode(grey, barcode.Mark(1, 2, i)) for i in range(50)]
    video = compress(marked, 30.0, Codec(20, 20, b_frames))
    assert len(video) == 50
    assert video.size == (64, 48)
    assert [barcode.read_barcode(picture).frame for picture in video.frames()] == list(range(50))
    assert [barcode.read_barcode(picture).frame for picture in video.frames([31, 7, 20])] == [7, 20, 31]
    assert video.data == compress(marked, 30.0, Codec(20, 20, b_frames)).data


def test_unknown_lenses_and_patterns_are_named():
    with pytest.raises(UnknownName, match="brown"):
        optics(Lens("brwn", 1.0), 8, 6, 1)
    with pytest.raises(UnknownName, match="bricks"):
        Prints([Print("brick", 1.0, 0.2)], np.random.default_rng(0))


def test_there_are_enough_rigs_of_enough_kinds():
    assert len(rigs.DEVELOPMENT) >= 6
    assert len(rigs.REPORT) >= 8
    for group in (rigs.DEVELOPMENT, rigs.REPORT):
        assert {6, 7} <= {len(rig.arm.limbs[0].chain.joints) for rig in group.values()}
        assert any(len(rig.arm.limbs) == 2 for rig in group.values())
        assert any(len(rig.arm.limbs[0].chain.joints) < 6 for rig in group.values())
        assert {"camera/wrist", "camera/external"} <= {name for rig in group.values() for name in rig.views}
        assert any(view.readout_s < 0 for rig in group.values() for view in rig.views.values())


@pytest.mark.parametrize(
    "trait",
    [
        lambda rig: {rig.name, rig.arm.name},
        lambda rig: {_lengths(limb) for limb in rig.arm.limbs},
        lambda rig: {tuple(joint.axis for joint in limb.chain.joints) for limb in rig.arm.limbs} - {PLAIN_SEVEN},
        lambda rig: set(rig.stage.fixtures),
        lambda rig: {print_.pattern for print_ in rig.stage.prints} - {"plain"},
        lambda rig: {view.lens.family for view in rig.views.values()},
        lambda rig: {view.lens for view in rig.views.values()},
        lambda rig: {view.mount.tobytes() for view in rig.views.values()},
        lambda rig: {rig.stage.sun},
        lambda rig: {rig.straight},
    ],
)
def test_report_rigs_share_nothing_with_development_rigs(trait):
    developed, reported = (
        set().union(*(trait(rig) for rig in group.values())) for group in (rigs.DEVELOPMENT, rigs.REPORT)
    )
    assert developed
    assert reported
    assert not developed & reported


def _lengths(limb):
    return np.round(np.linalg.norm([j.parent_from_joint[:3, 3] for j in limb.chain.joints], axis=1), 6).tobytes()


@pytest.mark.parametrize(
    ("name", "camera"),
    [
        ("seven-rolling", "camera/external"),
        ("seven-wrist", "camera/wrist"),
        ("planar-above", "camera/external"),
        ("hanging-bins", "camera/external"),
    ],
)
def test_drawing_only_what_changes_in_the_rows_that_take_it_changes_nothing(name, camera):
    rig = (rigs.DEVELOPMENT | rigs.REPORT)[name]
    view = replace(rig.views[camera], noise=0.0, flicker=0.0, soft_px=0.0)
    done = motion(rig.arm, "pick", 1.0, chance(rig, 0, "motion"), straight=rig.straight)
    film = Film(rig, view, set_up(rig.stage, rig.arm.rooms, chance(rig, 0, "scene")), done, 0)
    time = np.array([0.6])
    (drawn,) = film.pictures(time, np.array([view.exposure_s]))
    spacing = shutter.spacing_s(float(film._paces(time)[0]))
    opening = shutter.opening(view.height, view.exposure_s, view.readout_s, spacing)
    whole = sum(
        weights[:, None, None] * film.instant(0.6 + after)
        for after, weights in zip(opening.after_s, opening.weights.T, strict=True)
    )
    apart = np.abs(drawn + 0.5 - np.clip(whole, 0, 255))
    assert (apart > 0.51).sum() <= 20  # the rest is the cut to whole grey levels


@pytest.mark.parametrize("rig", EVERY, ids=lambda rig: rig.name)
def test_each_camera_sees_its_arm_move(rig):
    seconds = 2.0
    done = motion(rig.arm, "pick", seconds, chance(rig, 0, "motion"), straight=rig.straight)
    scene = set_up(rig.stage, rig.arm.rooms, chance(rig, 0, "scene"))
    for view in rig.views.values():
        film = Film(rig, view, scene, done, 0)
        shown = [film.instant(time) for time in np.linspace(0, seconds, 3)]
        assert 25 < np.mean(shown) < 200
        assert np.max(shown, axis=(0, 2, 3)).min() > 10  # no row and
        assert np.max(shown, axis=(0, 1, 3)).min() > 10  # no column is left out
        changed = np.abs(np.diff(shown, axis=0)).max(axis=(0, -1)) > 8
        assert changed.mean() > 0.03


def test_episodes_are_kept_under_the_name_of_their_generator(tmp_path):
    rig = next(iter(rigs.REPORT.values()))
    camera = next(iter(rig.views))
    made = [alignment_data.episode(rig, 1, folder=tmp_path, cameras=[camera], seconds=0.5) for _ in range(2)]
    assert len(list(tmp_path.iterdir())) == 1
    assert made[0].recording.streams.keys() == made[1].recording.streams.keys()
