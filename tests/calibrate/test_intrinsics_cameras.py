"""Two cameras in one folder are told apart; one camera never is, whatever its pictures are called."""

from dataclasses import replace

import numpy as np
import pytest
from tests.calibrate.board_views import BOARD, CAMERA, looks

from fieldloop.calibrate.intrinsics import Lens, calibrate_intrinsics
from fieldloop.calibrate.intrinsics.cameras import detect_several_cameras
from fieldloop.calibrate.intrinsics.rejection import reject_worst_pictures
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.protocol import default_protocol

SIZE = (CAMERA.width, CAMERA.height)


def named(views, pattern):
    names = [pattern.format(n) for n in range(len(views))]
    return [replace(v, name=n, sighting=replace(v.sighting, name=n)) for v, n in zip(views, names, strict=True)]


def two_cameras(seed, pattern, factor):
    matrix = CAMERA.matrix @ np.diag([factor, factor, 1]) + np.array([[0, 0, 8], [0, 0, -6], [0, 0, 0]])
    other = replace(CAMERA, matrix=matrix)
    first, second = looks(seed, noise_px=0.08), looks(seed + 1, noise_px=0.08, camera=other)
    return named(first, pattern.replace("SIDE", "left")) + named(second, pattern.replace("SIDE", "right"))


@pytest.mark.parametrize(
    ("pattern", "factor"), [("SIDE{:02}.png", 1.01), ("{:04}_SIDE.png", 1.01), ("SIDE/{:02}.png", 1.3)]
)
def test_two_cameras_are_distinguished_by_their_names(pattern, factor):
    result = calibrate_intrinsics(two_cameras(7, pattern, factor), BOARD, default_protocol())
    assert result.status is Status.CANNOT_TELL
    (several,) = [d for d in result.message.details if d.code == "calibrate.several_cameras"]
    assert several["cameras"] == 2
    assert "for 'left' and" in several["focal"]


def test_one_camera_is_one_whatever_its_pictures_are_called():
    told = [
        detect_several_cameras(
            [v.sighting for v in named(looks(300 + s), "left{:02}")[:6] + named(looks(300 + s), "right{:02}")[6:]],
            SIZE, Lens.PLUMB_BOB, default_protocol(),
        )
        for s in range(8)
    ]  # fmt: skip
    assert told == [None] * 8


def test_a_good_picture_is_not_left_out_for_being_worse_than_excellent_ones():
    soft, sharp = looks(11, count=16, noise_px=0.08), looks(11, count=16, noise_px=0.02)
    views = soft[:7] + sharp[7:]
    result = calibrate_intrinsics(views, BOARD, default_protocol())
    assert (result.status, result.images_rejected) == (Status.PASSED, ())
    assert reject_worst_pictures([v.sighting for v in views], SIZE, Lens.PLUMB_BOB, 2.0, min_error_px=0.0).rejected


def test_a_large_error_on_too_few_pictures_cannot_tell():
    result = calibrate_intrinsics(looks(3, count=5, noise_px=0.6), BOARD, default_protocol())
    assert result.status is Status.CANNOT_TELL
    assert note("calibrate.few_pictures", pictures=5, needed=10) in result.message.details
