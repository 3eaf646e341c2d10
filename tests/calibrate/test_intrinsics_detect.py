"""Corners in drawn pictures are found where they truly are, in one order, and nothing is found where nothing is."""

import numpy as np
import pytest

from fieldloop.calibrate.intrinsics import (
    convert_to_grey,
    detect_board,
    find_board_in_picture,
    find_shown_board,
    parse_board,
)
from fieldloop.calibrate.intrinsics.board_size import find_larger_board
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.testing.boards import Exposure, Lensed, draw_board_poses, project_board_corners, render_board_pictures

MATRIX = np.array([[260.0, 0, 160], [0, 261, 119], [0, 0, 1]])
CAMERA = Lensed(320, 240, MATRIX, np.array([-0.2, 0.05, 0.001, 0.0, 0.0]))
BOARD = parse_board("checkerboard:7x4:30mm")
CHARUCO = parse_board("charuco:5x4:50mm:35mm:DICT_4X4_50")
QUICK = Exposure(samples=2)


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(1)
    poses = draw_board_poses(BOARD, CAMERA, rng, 6)
    return poses, render_board_pictures(BOARD, CAMERA, poses, rng, QUICK)


def test_corners_are_where_they_truly_are(drawn):
    errors = []
    for pose, picture in zip(*drawn, strict=True):
        found = detect_board(picture, BOARD)
        assert found is not None
        errors.append(found.pixels - project_board_corners(BOARD, CAMERA, pose))
    assert np.sqrt(np.mean(np.sum(np.concatenate(errors) ** 2, axis=1))) < 0.15


def test_a_board_seen_upside_down_is_counted_from_the_same_end(drawn):
    _, pictures = drawn
    upright, turned = detect_board(pictures[0], BOARD), detect_board(pictures[0][::-1, ::-1], BOARD)
    np.testing.assert_allclose(turned.pixels, [319, 239] - upright.pixels, atol=0.3)


def test_a_part_of_a_larger_board_is_distinguished_from_a_board(drawn):
    _, pictures = drawn
    smaller = parse_board("checkerboard:6x4:30mm")
    wholes = [
        one.whole
        for n, picture in enumerate(pictures)
        if (one := find_board_in_picture(picture, smaller, str(n))).whole
    ]
    assert str(find_larger_board(wholes or [(7, 4)], smaller)) == "checkerboard:7x4:30mm"
    assert find_larger_board([find_board_in_picture(picture, BOARD, "").whole for picture in pictures], BOARD) is None


def test_the_board_that_pictures_show_is_proposed(drawn):
    _, pictures = drawn
    shown, count = find_shown_board([convert_to_grey(p) for p in pictures[:3]], parse_board("checkerboard:11x8:30mm"))
    assert (str(shown), count) == ("checkerboard:7x4:30mm", 3)


def test_charuco_corners_keep_their_numbers_where_a_part_is_hidden():
    rng = np.random.default_rng(2)
    poses = [tf.make_transform(tf.rotation_from_vector([0.3, 0.2, 0.1]), [-0.08, -0.06, 0.32])]
    picture = render_board_pictures(CHARUCO, CAMERA, poses, rng, QUICK)[0]
    whole = detect_board(picture, CHARUCO)
    truth = project_board_corners(CHARUCO, CAMERA, poses[0])
    assert np.abs(whole.pixels - truth[whole.corner_ids]).max() < 0.5
    left = int(truth[:, 0].min()) + 15
    picture[:, :left] = 90
    part = detect_board(picture, CHARUCO)
    assert 6 <= len(part.corner_ids) < len(whole.corner_ids)
    assert np.abs(part.pixels - truth[part.corner_ids]).max() < 0.5
    swapped = parse_board("charuco:4x5:50mm:35mm:DICT_5X5_50")
    assert str(find_shown_board([picture], swapped)[0]).startswith("charuco:5x4:50mm:35mm:DICT_4X4_")


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((120, 160), np.uint8),
        np.full((120, 160), np.nan, np.float32),
        np.random.default_rng(0).integers(0, 255, (120, 160)).astype(np.uint8),
        np.full((3, 3), 7, np.uint8),
    ],
    ids=["black", "nan", "noise", "tiny"],
)
def test_nothing_is_found_where_nothing_is(picture):
    assert detect_board(picture, BOARD) is None
    assert detect_board(picture, CHARUCO) is None
    assert find_shown_board([convert_to_grey(picture)], BOARD) is None


def test_colour_and_depth_of_pixels_do_not_matter(drawn):
    _, pictures = drawn
    plain = detect_board(pictures[1], BOARD).pixels
    for other in (np.dstack([pictures[1]] * 3), pictures[1][..., None], pictures[1].astype(np.uint16) * 256):
        np.testing.assert_allclose(detect_board(other, BOARD).pixels, plain, atol=0.1)


@pytest.mark.parametrize("shape", [(0, 0), (5,), (4, 4, 7), (2, 2, 3, 1)])
def test_what_is_no_picture_is_refused(shape):
    with pytest.raises(BadInput, match="A picture is"):
        convert_to_grey(np.zeros(shape))
