"""How often logs that bear the map out are said to contradict it: never more often than the setting promises."""

import numpy as np
import pytest
from tests.audit.maps import FULL, SKUS, attempts

from fieldloop.audit import compare_map_with_logs, parse_deployment_map
from fieldloop.audit.claim import compute_claim_band
from fieldloop.model.finding import Status
from fieldloop.protocol import default_operations
from fieldloop.stats.binomial import compute_wilson_interval
from fieldloop.stats.clustered import estimate_level_shares
from fieldloop.stats.multiple import adjust_by_holm

SETTINGS = default_operations()["audit"]
ALPHA, DAYS = SETTINGS.number("alpha"), int(SETTINGS.number("min_days"))
CLAIMED = np.array([0.5, 0.3, 0.12, 0.05, 0.03])
AT_THE_EDGE = np.array([0.45, 0.3, 0.17, 0.05, 0.03])
"""The worst truth that is still tolerated: two levels are as far off as may be."""


def alarm(rng, truth, days, per_day, alike):
    """Is any level called contradicted in one made-up world?"""
    of_day = rng.dirichlet(truth * (1 / alike - 1), days) if alike else np.tile(truth, (days, 1))
    counts = np.array([rng.multinomial(per_day, p) for p in of_day], dtype=float)
    level = 1.0 - ALPHA / len(truth)
    bands = [compute_claim_band(share, SETTINGS) for share in CLAIMED]
    chances = [
        x.compute_chance_beyond(*b, level) for x, b in zip(estimate_level_shares(counts, 10.0), bands, strict=True)
    ]
    return bool(adjust_by_holm(chances).min() <= ALPHA)


@pytest.mark.parametrize("alike", [0.0, 0.05, 0.3])
@pytest.mark.parametrize(("days", "per_day"), [(DAYS, 20), (DAYS, 300), (15, 30), (60, 300)])
def test_false_alarms_stay_below_the_level_at_the_edge_of_what_is_tolerated(days, per_day, alike):
    rng = np.random.default_rng([days, per_day, int(100 * alike)])
    worlds = 150
    alarms = sum(alarm(rng, AT_THE_EDGE, days, per_day, alike) for _ in range(worlds))
    assert compute_wilson_interval(alarms, worlds)[0] <= ALPHA, f"{alarms} of {worlds}"


def test_a_difference_worth_knowing_is_found_in_a_month():
    rng = np.random.default_rng(7)
    moved = np.array([0.3, 0.3, 0.32, 0.05, 0.03])
    assert sum(alarm(rng, moved, 30, 100, 0.05) for _ in range(50)) >= 45


def test_the_whole_comparison_keeps_quiet_about_a_true_map():
    deployment = parse_deployment_map(FULL, SKUS, SETTINGS)
    rng = np.random.default_rng(3)
    for _ in range(20):
        outcomes = attempts(rng, {"front": 0.7, "back": 0.3}, days=6, per_day=30, alike=0.1)
        assert all(c.status is not Status.FAILED for c in compare_map_with_logs(deployment, (), SETTINGS, outcomes))
