"""A fixed camera is told from one that rides on the robot, whatever the light and however large the gripper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.geometry.still_view import shrink_to_grey
from fieldloop.geometry.view_stays import measure_view_similarity

WORLD = np.random.default_rng(0).integers(30, 200, (40, 60)).repeat(5, 0).repeat(5, 1)
GRIPPER = np.random.default_rng(1).integers(30, 200, (6, 16)).repeat(5, 0).repeat(5, 1)


def frames(riding, gain=1.0, offset=0.0, noise=2.0):
    """Six moments of a window into a drawn world: a dark arm crosses it, or it rides along with a gripper in sight."""
    rng, found = np.random.default_rng(2), []
    for n in range(6):
        top, left = (9 * n, 17 * n) if riding else (20, 30)
        picture = WORLD[top : top + 60, left : left + 80].astype(float)
        if riding:
            picture[30:] = GRIPPER[:, :80]
            picture[30:, :30] = WORLD[top + 30 : top + 60, left : left + 30]
        else:
            picture[:, 13 * n : 13 * n + 8] = 20
        lit = gain * picture + offset + rng.normal(0, noise, picture.shape)
        found.append(np.clip(lit, 0, 255).astype(np.uint8))
    return found


@settings(max_examples=8, deadline=None)
@given(st.floats(0.4, 1.2), st.floats(0, 15))
def test_the_light_does_not_matter(gain, offset):
    assert measure_view_similarity(frames(riding=False, gain=gain, offset=offset)) > 0.8
    assert measure_view_similarity(frames(riding=True, gain=gain, offset=offset)) < 0.3


@pytest.mark.parametrize("level", [0, 100, 255])
def test_where_nothing_shows_there_is_no_answer(level):
    assert np.isnan(measure_view_similarity([np.full((60, 80), level, np.uint8)] * 4))


def test_one_moment_is_no_answer():
    assert np.isnan(measure_view_similarity(frames(riding=False)[:1]))
    assert np.isnan(measure_view_similarity([]))


def test_a_small_picture_is_grey_whatever_the_frame_is():
    colours = np.dstack([np.full((90, 320), level, np.uint8) for level in (100, 150, 200)])
    assert shrink_to_grey(colours).shape == (45, 160)
    assert shrink_to_grey(colours)[0, 0] == round(0.299 * 100 + 0.587 * 150 + 0.114 * 200)
    assert shrink_to_grey(np.full((40, 50), np.nan)).max() == 0
    assert shrink_to_grey(np.full((40, 50), 1e6)).min() == 255
    assert shrink_to_grey(np.full((1, 4000), 7, np.uint8)).shape == (1, 160)
