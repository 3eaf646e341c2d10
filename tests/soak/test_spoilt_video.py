"""Public video that was spoilt on purpose: the checks find what was planted."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.check import Case
from fieldloop.ingest import open_log
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.shared import find_shared_data

pytestmark = pytest.mark.soak

HUMANOID, SIMULATED = "lerobot-v21-g1", "lerobot-v20-gr1"
CAMERAS = {HUMANOID: "camera/cam_high", SIMULATED: "camera/ego_view"}


@pytest.fixture(scope="module", params=[HUMANOID, SIMULATED])
def real(request):
    folder = find_shared_data(request.param)
    if folder is None:
        pytest.skip(f"the shared data set {request.param} is not on this machine")
    return request.param, Case(next(iter(open_log(folder).recordings)))


class Changed:
    """A video of which some frames are others, or changed."""

    def __init__(self, inner, order=None, change=None):
        self.inner, self.size, self.change = inner, inner.size, change
        self.order = list(range(len(inner))) if order is None else order

    def __len__(self):
        return len(self.order)

    def frames(self, indices=None):
        wanted = list(range(len(self)) if indices is None else indices)
        taken = [self.order[i] for i in wanted]
        kept = dict(zip(sorted(set(taken)), self.inner.frames(sorted(set(taken))), strict=True))
        for index, source in zip(wanted, taken, strict=True):
            yield self.change(index, kept[source]) if self.change else kept[source]


def spoilt(case, name, **how):
    stream = case.recording.streams[name]
    changed = replace(stream, pictures=Changed(stream.pictures, **how))
    streams = {**case.recording.streams, name: changed}
    return replace(case, recording=replace(case.recording, streams=streams), _kept={})


def test_a_freeze_planted_into_real_video_is_found(real):
    name, case = real
    count = len(case.recording.streams[CAMERAS[name]].pictures)
    order = [100 if 100 <= i < 130 else i for i in range(count)]
    hurt = spoilt(case, CAMERAS[name], order=order)
    rate = case.recording.streams[CAMERAS[name]].nominal_hz
    found = measure_by_subject("vision.frozen_frames", hurt)[CAMERAS[name]]
    assert found.value == pytest.approx(29 / rate, abs=0.15)
    assert found.at_s == pytest.approx(100 / rate, abs=0.01)


def test_a_lens_out_of_focus_is_found_in_real_video(real):
    import cv2

    name, case = real
    camera = CAMERAS[name]

    def blur(index, frame):
        return cv2.GaussianBlur(frame, (0, 0), 0.02 * frame.shape[1]) if 100 <= index < 140 else frame

    assert measure_by_subject("vision.sharpness", case)[camera].value > 0.5
    assert measure_by_subject("vision.sharpness", spoilt(case, camera, change=blur))[camera].value < 0.15


def test_a_hand_before_the_lens_is_found_in_real_video(real):
    name, case = real
    random = np.random.default_rng(0)

    def hide(index, frame):
        return random.normal(70, 1.5, frame.shape).astype(np.uint8) if 50 <= index < 80 else frame

    found = measure_by_subject("vision.covered", spoilt(case, CAMERAS[name], change=hide))[CAMERAS[name]]
    assert found.value == pytest.approx(30 / len(case.recording.streams[CAMERAS[name]]), abs=0.001)
