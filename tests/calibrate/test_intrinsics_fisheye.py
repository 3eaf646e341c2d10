"""A fisheye states no deviations of its own: they are found by leaving pictures out, and never taken for small."""

from dataclasses import replace

import numpy as np
from tests.calibrate.board_views import BOARD, FISHEYE, frontal_looks, looks

from fieldloop.calibrate.intrinsics import Lens, calibrate_intrinsics
from fieldloop.calibrate.intrinsics.held_out import HeldOut, measure_held_out_error
from fieldloop.calibrate.intrinsics.judge import _list_reservations
from fieldloop.calibrate.intrinsics.lens import fit_lens
from fieldloop.calibrate.intrinsics.rejection import reject_worst_pictures
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol

SIZE = (FISHEYE.width, FISHEYE.height)
PROTOCOL = default_protocol()


def sifted(views):
    return reject_worst_pictures([v.sighting for v in views], SIZE, Lens.FISHEYE, 2.0, 0.05)


def test_deviations_by_folds_are_the_true_ones():
    off = []
    for seed in range(6):
        views = [v.sighting for v in looks(seed, camera=FISHEYE)]
        tried, fitted = measure_held_out_error(views, SIZE, Lens.FISHEYE, 5), fit_lens(views, SIZE, Lens.FISHEYE)
        off.append((np.diag(fitted.matrix)[:2] - np.diag(FISHEYE.matrix)[:2]) / tried.focal_deviations)
    assert 0.4 < np.sqrt(np.mean(np.square(off))) < 2.0


def test_a_good_fisheye_passes_and_an_uncertain_one_does_not():
    views = looks(13, camera=FISHEYE)
    assert calibrate_intrinsics(views, BOARD, PROTOCOL, lens=Lens.FISHEYE).status is Status.PASSED
    kept = sifted(views)
    unknown = HeldOut(np.ones(12), np.ones(12))
    assert _list_reservations(views, kept, unknown, BOARD, PROTOCOL)[0].code == "calibrate.focal_unknown"
    assert _list_reservations(views, kept, None, BOARD, PROTOCOL)[0].code == "calibrate.focal_unknown"
    wandering = replace(unknown, focal_px=np.array([[250.0, 251], [245, 246], [255, 256]]))
    assert _list_reservations(views, kept, wandering, BOARD, PROTOCOL)[0].code == "calibrate.focal_uncertain"


def test_boards_that_never_lean_do_not_pass_as_a_fisheye():
    assert calibrate_intrinsics(frontal_looks(1), BOARD, PROTOCOL, lens=Lens.FISHEYE).status is not Status.PASSED
