"""BridgeData's camera was put up anew between some episodes and stood still between others; its pictures tell which."""

import numpy as np
import pytest

from fieldloop.check import Case
from fieldloop.check.batch.view import read_view_rules
from fieldloop.check.batch.view_jumps import Stood, View, compare_views
from fieldloop.check.imprint.view import imprint_camera_views
from fieldloop.check.imprinting import take_imprint_with
from fieldloop.ingest import open_log
from fieldloop.protocol import default_protocol
from fieldloop.testing.shared import find_shared_data

REAL = find_shared_data("rlds-octo-bridge")
pytestmark = pytest.mark.skipif(REAL is None, reason="the BridgeData excerpt is not on this machine (shared data)")
RULES = read_view_rules(default_protocol())
STOOD_STILL = ((1, 2, 6, 7), (3, 8), (5, 9))
"""Episodes with the sink at the same place in the picture, sorted by eye."""


@pytest.fixture(scope="module")
def imprints():
    return [
        take_imprint_with([imprint_camera_views], Case(r))
        for _, r in zip(range(10), open_log(REAL).recordings, strict=False)
    ]


@pytest.fixture(scope="module")
def views(imprints):
    return [View(str(n), n, one.get("view/camera/image_0/picture")) for n, one in enumerate(imprints)]


def test_its_cameras_stand_still_within_an_episode(imprints):
    stays = [one.get(f"view/camera/image_{n}/stays")[0] for one in imprints for n in range(3)]
    assert min(stays) > 0.9
    assert np.isnan(imprints[0].get("view/camera/image_3/stays")[0])  # black throughout


@pytest.mark.parametrize("episodes", STOOD_STILL)
def test_a_camera_that_stood_still_raises_no_alarm(views, episodes):
    found = compare_views([views[n] for n in episodes], RULES)
    assert {one.stood for one in found} == {Stood.STILL}
    assert max(one.off for one in found) < 0.0025


@pytest.mark.parametrize(("before", "after"), [(1, 3), (1, 5), (2, 9), (3, 5), (7, 8), (6, 9), (0, 1)])
def test_a_camera_put_up_anew_never_passes(views, before, after):
    (found,) = compare_views([views[before], views[after]], RULES)
    assert found.stood is not Stood.STILL


def test_where_both_placements_share_enough_it_is_a_jump(views):
    found = compare_views([views[n] for n in (1, 2, 5, 9)], RULES)
    assert [one.stood for one in found] == [Stood.STILL, Stood.JUMPED, Stood.STILL]
