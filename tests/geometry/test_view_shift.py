"""Planted shifts, rolls and zooms are found to a fraction of a pixel, under another light and with other objects."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.geometry.still_view import compute_median_view
from fieldloop.geometry.view_shift import measure_view_shift


def scene():
    rng = np.random.default_rng(5)
    large = np.full((480, 640), 120, np.float32)
    for _ in range(40):
        (x, y), (w, h) = rng.integers(0, (600, 440)), rng.integers(20, 120, 2)
        cv2.rectangle(large, (int(x), int(y)), (int(x + w), int(y + h)), float(rng.uniform(30, 220)), -1)
    return large


def seen(shift=(0.0, 0.0), roll_deg=0.0, zoom=1.0, seed=0, noise=2.0):
    """Look at the scene through a window of 160 × 120 that was moved."""
    turn = cv2.getRotationMatrix2D((319.5, 239.5), -roll_deg, zoom)
    turn[:, 2] += 4 * np.array(shift)
    large = cv2.warpAffine(scene(), turn, (640, 480), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    small = cv2.resize(large, (160, 120), interpolation=cv2.INTER_AREA)
    return small + np.random.default_rng(seed).normal(0, noise, small.shape)


@settings(max_examples=6, deadline=None)
@given(st.floats(-6, 6), st.floats(-6, 6), st.floats(-2, 2), st.floats(0.98, 1.02))
def test_a_planted_motion_is_found(x, y, roll_deg, zoom):
    found = measure_view_shift(seen(), seen((x, y), roll_deg, zoom, seed=1))
    np.testing.assert_allclose(found.shift_px, (x, y), atol=0.2)
    assert np.degrees(found.roll_rad) == pytest.approx(roll_deg, abs=0.15)
    assert found.zoom == pytest.approx(zoom, abs=0.004)


def test_light_and_objects_do_not_matter():
    before, after = seen(), seen(seed=1)
    after[40:70, 60:100] = 200  # something new
    ramp = np.linspace(0.4, 0.9, 160)
    found = measure_view_shift(before, after * ramp + 15)
    assert found.off_px < 0.25
    assert found.agreement > 0.6


def test_a_far_turn_is_found():
    found = measure_view_shift(seen(), seen((30.0, -12.0), seed=1))
    np.testing.assert_allclose(found.shift_px, (30, -12), atol=0.3)


@pytest.mark.parametrize("level", [0.0, 100.0, np.nan])
def test_an_empty_picture_shows_nothing(level):
    found = measure_view_shift(np.full((60, 80), level), np.full((60, 80), level))
    assert (found.texture, found.agreement, found.seen) == (0.0, 0.0, 0.0)
    assert found.deviation_px == np.inf


def test_noise_alone_is_seen_through():
    rng = np.random.default_rng(2)
    found = measure_view_shift(rng.normal(100, 20, (120, 160)), rng.normal(100, 20, (120, 160)))
    assert found.agreement < 0.3
    assert found.seen < 2


@pytest.mark.parametrize(
    ("first", "second"), [((60, 80), (80, 60)), ((60, 80, 3), (60, 80, 3)), ((10, 10), (10, 10)), ((0, 0), (0, 0))]
)
def test_what_is_no_pair_of_views_is_refused(first, second):
    with pytest.raises(BadInput):
        measure_view_shift(np.zeros(first), np.zeros(second))


def test_the_still_view_forgets_what_moves():
    frames = [np.full((240, 320, 3), 80, np.uint8) for _ in range(8)]
    for n, frame in enumerate(frames):
        frame[:, 40 * n : 40 * n + 40] = 255
    view = compute_median_view(frames)
    assert view.shape == (120, 160)
    assert (view == 80).all()
    with pytest.raises(BadInput, match="at least one frame"):
        compute_median_view([])
