"""Vision finds a coloured patch where it was painted."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.train import scaling
from fieldloop.train.vision import Vision, extract_features, find_item_area

EYE = Vision((120, 160), (60, 80), 0.2)


def painted(row, column, high=10, wide=20, colour=(200, 60, 40), gain=1.0):
    picture = np.full((1, 120, 160, 3), 120, dtype=float)
    picture[0, row - high // 2 : row + high // 2, column - wide // 2 : column + wide // 2] = colour
    depth = np.full((1, 60, 80), 1.0, dtype=np.float32)
    depth[0, (row - high // 2) // 2 : (row + high // 2) // 2, (column - wide // 2) // 2 : (column + wide // 2) // 2] = (
        0.9
    )
    return (picture * gain).astype(np.uint8), depth


def test_place_direction_and_depth_of_a_patch():
    salient, _ = extract_features(EYE, *painted(60, 80))
    u, v, level, slant, long, short, _, distance = salient[0, :8]
    assert (u, v) == pytest.approx((0.0, 0.0), abs=0.02)
    assert level > 0.4  # longer along the columns
    assert slant == pytest.approx(0.0, abs=1e-6)
    assert long > 0.05 > short
    assert distance == pytest.approx(0.9, abs=0.01)
    moved, _ = extract_features(EYE, *painted(40, 120))
    assert moved[0, 0] == pytest.approx(0.5, abs=0.03)
    assert moved[0, 1] < -0.2


def test_half_the_light_is_nearly_the_same_scene():
    bright, _ = extract_features(EYE, *painted(50, 70))
    dim, _ = extract_features(EYE, *painted(50, 70, gain=0.5))
    assert np.allclose(bright[0, :5], dim[0, :5], atol=0.02)


@pytest.mark.parametrize("tint", [(1.08, 0.98, 0.78), (0.86, 0.98, 1.1)])
def test_the_colour_of_the_lamp_moves_nothing(tint):
    picture, depth = painted(50, 70)
    tinted = np.clip(picture * np.array(tint), 0, 255).astype(np.uint8)
    white, coloured = (extract_features(EYE, seen, depth)[0][0] for seen in (picture, tinted))
    assert np.allclose(white[:8], coloured[:8], atol=0.03)


def test_a_smaller_coloured_thing_elsewhere_moves_nothing():
    picture, depth = painted(50, 50)
    with_other = picture.copy()
    with_other[0, 90:96, 120:128] = (40, 160, 60)
    alone, beside = (extract_features(EYE, seen, depth)[0][0] for seen in (picture, with_other))
    assert np.allclose(alone[:8], beside[:8], atol=0.03)


def test_items_are_sought_where_they_were_shown():
    shown = [painted(40 + 5 * i, 40 + 4 * i) for i in range(6)]
    place = find_item_area(EYE, *(np.concatenate(part) for part in zip(*shown, strict=True)), margin=0.15)
    picture, depth = painted(50, 50, high=6, wide=8)
    picture[0, 20:44, 120:150] = (40, 160, 60)
    found = extract_features(replace(EYE, place=place), picture, depth)[0][0]
    assert found[0] == pytest.approx(-0.37, abs=0.03)


def test_depth_without_return_is_left_out():
    picture, depth = painted(60, 80)
    depth[0, 28:30] = np.nan
    salient, context = extract_features(EYE, picture, depth)
    assert salient[0, 7] == pytest.approx(0.9, abs=0.02)
    assert np.isfinite(context).all()


def test_a_picture_without_colour_is_still_finite():
    salient, context = extract_features(
        EYE, np.zeros((1, 120, 160, 3), np.uint8), np.full((1, 60, 80), np.nan, np.float32)
    )
    assert np.isfinite(salient).all()
    assert np.isfinite(context).all()


@pytest.mark.parametrize(("picture", "depth"), [((100, 160), (60, 80)), ((120, 160), (30, 80)), ((60, 80), (30, 40))])
def test_sizes_that_do_not_fit_are_refused(picture, depth):
    with pytest.raises(BadInput, match="pixels"):
        Vision(picture, depth, 0.2)


def test_scaling_centres_scales_and_clips():
    rng = np.random.default_rng(0)
    salient, context = rng.normal(5, 2, (200, 10)), rng.normal(1, 0.5, (200, 64))
    scale = scaling.fit_scaling(salient, context, 6)
    inputs = scale(salient, context)
    assert inputs.shape == (200, 16)
    assert np.allclose(inputs[:, :10].mean(axis=0), 0, atol=0.02)
    assert np.abs(scale(salient + 1000, context)).max() == scaling.CLIP


def test_what_never_varied_does_not_shout_when_it_does():
    salient, context = np.random.default_rng(0).normal(size=(50, 10)), np.full((50, 64), 0.5)
    scale = scaling.fit_scaling(salient, context, 3)
    assert np.abs(scale(salient, context + 0.01)[:, 10:]).max() < 1.0
