"""A camera that was moved is caught by its own pictures; other light, objects and arms raise no alarm."""

from dataclasses import replace

import numpy as np
import pytest
from tests.calibrate.floor_views import FOCAL_PX, floor_view

from fieldloop.calibrate.moved import EpisodeView, moved
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol


@pytest.fixture(scope="module")
def still():
    return [floor_view("leipzig", n) for n in range(7)]


def judged(views, **options):
    return moved(views, default_protocol(), focal_px=FOCAL_PX, **options)


def failed(answers):
    return [a.episode for a in answers if a.status is Status.FAILED]


def test_light_and_objects_raise_no_alarm(still):
    answers = judged(still)
    assert [a.status for a in answers] == [Status.PASSED] * 6
    assert max(a.off_px for a in answers) < 0.45


@pytest.mark.parametrize(
    "motion",
    [{"turn_deg": (1, 0, 0)}, {"turn_deg": (0, 0, 1)}, {"shift_m": (0, 0.01, 0)}],
    ids=["tilt", "roll", "aside"],
)
def test_a_degree_or_a_centimetre_is_found_at_the_episode_where_it_happened(still, motion):
    after = [floor_view("leipzig", n, **motion) for n in (20, 21)]
    answers = judged([*still[:2], *after])
    assert failed(answers) == ["leipzig 20"]
    assert answers[-1].status is Status.PASSED  # it stays where it was moved to


def test_the_angle_is_about_right(still):
    pan = judged([*still[:2], floor_view("leipzig", 22, turn_deg=(0, 1, 0))])[-1]
    assert pan.turn_deg == pytest.approx(1, abs=0.15)
    roll = judged([*still[:2], floor_view("leipzig", 22, turn_deg=(0, 0, 1))])[-1]
    assert abs(roll.roll_deg) == pytest.approx(1, abs=0.25)


def test_a_camera_may_be_moved_if_it_is_calibrated_again(still):
    after = floor_view("leipzig", 20, turn_deg=(0, 2, 0))
    assert failed(judged([*still[:3], after])) == ["leipzig 20"]
    assert failed(judged([*still[:3], after], calibrated_ns=[10])) == []


def test_a_slow_slip_shows_against_the_first_views(still):
    slipping = [floor_view("leipzig", 30 + n, turn_deg=(0, 0.16 * n, 0)) for n in range(1, 4)]
    assert failed(judged([*still[:3], *slipping]))


@pytest.mark.parametrize(
    ("picture", "noise"),
    [
        (np.zeros((120, 160)), 2),
        (np.full((120, 160), 100), 2),
        (np.full((120, 160), 100), 15),
        (np.tile(np.linspace(50, 150, 160), (120, 1)), 2),
        (np.tile(np.where(np.arange(160) < 80, 60, 140), (120, 1)), 2),
    ],
    ids=["dark", "flat", "grain", "ramp", "one edge"],
)
def test_featureless_views_cannot_tell(picture, noise):
    rng = np.random.default_rng(1)
    noisy = [np.clip(picture + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8) for _ in range(3)]
    answers = judged([EpisodeView(str(n), n, view) for n, view in enumerate(noisy)])
    assert [a.status for a in answers] == [Status.CANNOT_TELL] * 2


def test_a_covered_lens_is_no_jump_and_spoils_nothing(still):
    covered = replace(still[3], picture=np.zeros((120, 160), np.uint8))
    answers = judged([*still[:3], covered, *still[4:6]])
    assert [a.status for a in answers][2:] == [Status.CANNOT_TELL, Status.PASSED, Status.PASSED]


def test_a_view_of_another_place_is_a_jump_once_it_stays(still):
    elsewhere = [replace(v, picture=np.roll(v.picture, 70, axis=0)[::-1].copy()) for v in still[4:7]]
    answers = judged([*still[:3], *elsewhere])
    assert [a.status for a in answers][2:] == [Status.CANNOT_TELL, Status.FAILED, Status.PASSED]


def test_another_picture_size_cannot_tell(still):
    small = replace(still[2], picture=still[2].picture[::2, ::2].copy())
    answers = judged([*still[:2], small])
    assert answers[-1].status is Status.CANNOT_TELL
    assert "another size" in answers[-1].message


def test_no_view_and_one_view_have_no_answer(still):
    assert judged([]) == judged(still[:1]) == ()
