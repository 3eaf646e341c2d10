"""Over many planted lenses and clouds: stated errors are the true ones, and a healthy set raises no alarm."""

import numpy as np
import pytest
from tests.calibrate.board_views import BOARD, CAMERA, looks
from tests.calibrate.test_camera_pair_depth import compared

from fieldloop.calibrate.intrinsics import Lens, calibrate_intrinsics
from fieldloop.calibrate.intrinsics.lens import fit_lens
from fieldloop.calibrate.intrinsics.rejection import reject_worst_pictures
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol

pytestmark = pytest.mark.soak
SIZE = (CAMERA.width, CAMERA.height)


def four(matrix):
    return np.array(matrix)[[0, 1, 0, 1], [0, 1, 2, 2]]


def test_the_stated_deviations_are_the_true_ones():
    off = []
    for seed in range(60):
        fitted = fit_lens([v.sighting for v in looks(100 + seed)], SIZE, Lens.PLUMB_BOB)
        off.append((four(fitted.matrix) - four(CAMERA.matrix)) / fitted.deviations)
    assert 0.85 < np.sqrt(np.mean(np.square(off))) < 1.15


def test_healthy_views_are_never_left_out():
    for seed in range(30):
        assert not reject_worst_pictures(
            [v.sighting for v in looks(200 + seed)], SIZE, Lens.PLUMB_BOB, 2.0, min_error_px=0.0
        ).rejected


def test_no_other_lens_is_proposed_where_it_gives_nothing():
    results = [calibrate_intrinsics(looks(300 + seed), BOARD, default_protocol()) for seed in range(12)]
    assert "calibrate.better_lens" not in {advice.code for result in results for advice in result.advice}


def test_a_good_pair_of_clouds_raises_no_alarm():
    results = [compared(seed) for seed in range(20)]
    assert {r.status for r in results} == {Status.PASSED}
    assert max(r.off_mm for r in results) < 0.3
