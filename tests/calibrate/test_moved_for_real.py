"""BridgeData's camera was put up anew between some episodes and stood still between others; its pictures tell which."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.calibrate.moved import EpisodeView, moved
from fieldloop.geometry.still_view import still_view
from fieldloop.ingest import open_log
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol
from fieldloop.testing.shared import shared_data

REAL = shared_data("rlds-octo-bridge")
pytestmark = pytest.mark.skipif(REAL is None, reason="the BridgeData excerpt is not on this machine (shared data)")
STOOD_STILL = ((1, 2, 6, 7), (3, 8), (5, 9))
"""Episodes with the sink at the same place in the picture, sorted by eye."""


@pytest.fixture(scope="module")
def views():
    found = []
    for n, recording in zip(range(10), open_log(REAL).recordings, strict=False):
        pictures = recording.streams["camera/image_0"].pictures
        found.append(EpisodeView(str(n), n, still_view(pictures.frames(np.arange(0, len(pictures), 2)))))
    return found


@pytest.mark.parametrize("episodes", STOOD_STILL)
def test_a_camera_that_stood_still_raises_no_alarm(views, episodes):
    answers = moved([views[n] for n in episodes], default_protocol())
    assert {a.status for a in answers} == {Status.PASSED}
    assert max(a.off_px for a in answers) < 0.15


@pytest.mark.parametrize(("before", "after"), [(1, 3), (1, 5), (2, 9), (3, 5), (7, 8), (6, 9), (0, 1)])
def test_a_camera_put_up_anew_never_passes(views, before, after):
    (answer,) = moved([views[before], views[after]], default_protocol())
    assert answer.status is not Status.PASSED


def test_where_both_placements_share_enough_it_is_a_jump(views):
    order = [replace(views[n], at_ns=at) for at, n in enumerate((1, 6, 5, 9))]
    answers = moved(order, default_protocol())
    assert [a.status for a in answers] == [Status.PASSED, Status.FAILED, Status.PASSED]
