"""A camera that was moved is caught by its own pictures; other light, objects and arms raise no alarm."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from tests.check.floor_views import floor_view

from fieldloop.check.batch.view import read_view_rules
from fieldloop.check.batch.view_jumps import Stood, View, compare_views
from fieldloop.protocol import default_protocol

RULES = read_view_rules(default_protocol())
STILL, JUMPED, ELSEWHERE, UNSURE = Stood.STILL, Stood.JUMPED, Stood.ELSEWHERE, Stood.UNSURE


@pytest.fixture(scope="module")
def still():
    return [floor_view("leipzig", n) for n in range(6)]


@pytest.fixture(scope="module")
def coarse(still):
    """The same at half the size: quicker where only the order of events is asked about."""
    return [replace(view, picture=cv2.resize(view.picture, (80, 60), interpolation=cv2.INTER_AREA)) for view in still]


def answers(views, calibrated_ns=()):
    return [one.stood for one in compare_views(views, RULES, calibrated_ns)]


def test_light_and_objects_raise_no_alarm(still):
    found = compare_views(still, RULES)
    assert [one.stood for one in found] == [STILL] * 5
    assert max(one.off for one in found) * 160 < 0.45


@pytest.mark.parametrize(
    "motion",
    [{"turn_deg": (1, 0, 0)}, {"turn_deg": (0, 0, 1)}, {"shift_m": (0, 0.01, 0)}],
    ids=["tilt", "roll", "aside"],
)
def test_a_degree_or_a_centimetre_is_found_at_the_episode_where_it_happened(still, motion):
    after = [floor_view("leipzig", n, **motion) for n in (20, 21)]
    found = compare_views([*still[:2], *after], RULES)
    assert [one.stood for one in found] == [STILL, JUMPED, STILL]  # it stays where it was moved to
    assert (found[1].last.episode, found[1].view.episode) == ("leipzig 1", "leipzig 20")


def test_a_turn_by_a_degree_is_as_far_as_the_lens_says(still):
    pan = compare_views([still[0], floor_view("leipzig", 22, turn_deg=(0, 1, 0))], RULES)[0]
    focal_px = 179.0
    assert pan.off * 160 == pytest.approx(focal_px * np.radians(1), rel=0.15)


def test_a_camera_may_be_moved_if_it_is_calibrated_again(still):
    after = floor_view("leipzig", 20, turn_deg=(1, 0, 0))
    assert answers([*still[:2], after]) == [STILL, JUMPED]
    assert answers([*still[:2], after], calibrated_ns=[10]) == [STILL]


def test_a_slow_slip_shows_against_the_first_views(still):
    slipping = [floor_view("leipzig", 30 + n, turn_deg=(0, 0.16 * n, 0)) for n in range(1, 4)]
    assert JUMPED in answers([*still[:3], *slipping])


@pytest.mark.parametrize(
    ("picture", "noise"),
    [
        (np.zeros((60, 80)), 2),
        (np.full((60, 80), 100), 2),
        (np.full((60, 80), 100), 15),
        (np.tile(np.linspace(50, 150, 80), (60, 1)), 2),
        (np.tile(np.where(np.arange(80) < 40, 60, 140), (60, 1)), 2),
    ],
    ids=["dark", "flat", "grain", "ramp", "one edge"],
)
def test_featureless_views_cannot_tell(picture, noise):
    rng = np.random.default_rng(1)
    noisy = [np.clip(picture + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8) for _ in range(3)]
    assert answers([View(str(n), n, view) for n, view in enumerate(noisy)]) == [UNSURE] * 2


def test_a_covered_lens_is_no_jump_and_spoils_nothing(coarse):
    covered = replace(coarse[3], picture=np.zeros((60, 80), np.uint8))
    assert answers([*coarse[:2], covered, *coarse[4:6]]) == [STILL, UNSURE, STILL, STILL]
    assert answers([covered, *coarse[:3]]) == [UNSURE, UNSURE, STILL]


def test_another_view_that_stays_is_reported_but_called_no_jump(coarse):
    elsewhere = [replace(v, picture=np.roll(v.picture, 70, axis=0)[::-1].copy()) for v in coarse[3:6]]
    found = compare_views([*coarse[:2], *elsewhere], RULES)
    assert [one.stood for one in found] == [STILL, UNSURE, ELSEWHERE, STILL]
    assert (found[2].last.episode, found[2].view.episode) == ("leipzig 1", "leipzig 3")


def test_another_picture_size_cannot_tell(coarse):
    small = replace(coarse[2], picture=coarse[2].picture[::2, ::2].copy())
    found = compare_views([*coarse[:2], small], RULES)
    assert found[-1].stood is UNSURE
    assert found[-1].why.code == "check.other_picture_size"


def test_no_view_and_one_view_have_no_answer(coarse):
    assert compare_views([], RULES) == compare_views(coarse[:1], RULES) == ()
