"""What the checks say about public recordings."""

import numpy as np
import pytest

from fieldloop.check import CHECKS, Case
from fieldloop.ingest import open_log
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.shared import find_shared_data

HUMANOID, SIMULATED = "lerobot-v21-g1", "lerobot-v20-gr1"
CAMERAS = {HUMANOID: "camera/cam_high", SIMULATED: "camera/ego_view"}


@pytest.fixture(scope="module", params=[HUMANOID, SIMULATED])
def real(request):
    folder = find_shared_data(request.param)
    if folder is None:
        pytest.skip(f"the shared data set {request.param} is not on this machine")
    return request.param, Case(next(iter(open_log(folder).recordings)))


def test_the_humanoid_s_camera_is_read_twice_as_often_as_it_delivers(real):
    name, case = real
    share = measure_by_subject("vision.repeated_frames", case)[CAMERAS[name]].value
    assert 0.3 < share < 0.55 if name == HUMANOID else share == 0


def test_the_simulated_table_begins_a_frame_after_its_video(real):
    name, case = real
    apart = measure_by_subject("timing.camera_clock", case)[CAMERAS[name]]
    assert apart.value == pytest.approx(50.0 if name == SIMULATED else 0.0, abs=0.01)
    assert (apart.fix is not None) == (name == SIMULATED)


@pytest.mark.parametrize("check", ["covered", "black_or_blown", "overexposed", "frozen_frames", "undecodable"])
def test_nothing_else_is_held_against_these_cameras(real, check):
    name, case = real
    limit = case.protocol.limits[f"vision.{check}"]
    assert limit.admits(measure_by_subject(f"vision.{check}", case)[CAMERAS[name]].value)


def test_no_number_that_was_sensed_is_held_against_them(real):
    _, case = real
    for name in CHECKS:
        if name.startswith("integrity.") and not case.find_missing_input(CHECKS[name].needs):
            limit = case.protocol.limits[name]
            bad = [m for m in CHECKS[name].look(case) if np.isfinite(m.value) and not limit.admits(m.value)]
            assert bad == []
