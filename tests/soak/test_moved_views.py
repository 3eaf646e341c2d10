"""Over hundreds of pairs of episodes, a camera that stood still raises no alarm, and one that moved always does."""

import itertools

import numpy as np
import pytest
from tests.check.floor_views import floor_view

from fieldloop.check.batch.view import read_view_rules
from fieldloop.check.batch.view_jumps import Stood, compare_views
from fieldloop.protocol import default_protocol

pytestmark = pytest.mark.soak
SITES = ("lab", "leipzig", "gdansk")


def verdicts(pairs):
    return [compare_views(pair, read_view_rules(default_protocol()))[0].stood for pair in pairs]


@pytest.mark.parametrize("site", SITES)
def test_no_alarm_over_a_hundred_pairs_of_a_camera_that_stood_still(site):
    views = [floor_view(site, n) for n in range(20)]
    pairs = list(itertools.combinations(views, 2))
    chosen = np.random.default_rng(1).permutation(len(pairs))[:100]
    answers = verdicts([pairs[n] for n in chosen])
    assert answers.count(Stood.JUMPED) == 0
    assert answers.count(Stood.STILL) >= 98


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize(
    "motion",
    [
        {"turn_deg": (1, 0, 0)},
        {"turn_deg": (0, 1, 0)},
        {"turn_deg": (0, 0, 1)},
        {"shift_m": (0.01, 0, 0)},
        {"shift_m": (0, 0.01, 0)},
    ],
    ids=["tilt", "pan", "roll", "ahead", "aside"],
)
def test_a_degree_or_a_centimetre_is_found_in_every_light(site, motion):
    pairs = [(floor_view(site, n), floor_view(site, 40 + n, **motion)) for n in range(12)]
    assert verdicts(pairs).count(Stood.JUMPED) == 12
