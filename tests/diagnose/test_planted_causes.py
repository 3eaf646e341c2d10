"""Diagnosis on worlds whose causes were planted, and on worlds with nothing wrong."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import CAUSES, DAY, START, World, draw, explain, remarks, stated

from fieldloop.model.diagnosis import Gap
from fieldloop.model.finding import Status
from fieldloop.say import write_sentence


def test_planted_causes_are_named_first_with_their_share():
    right = []
    for seed, gap in list(enumerate(CAUSES))[::2]:  # the soak plants them all, alone and in pairs
        found = explain(draw(World((gap,), strength=2.5, episodes=600), 40 + seed))
        right.append(bool(found.causes) and found.causes[0].gap is gap and found.sum_gap_shares(gap) > 0.6)
        assert sum(c.share for c in found.causes) <= 1.0 + 1e-9  # the rest is unassigned
        for cause in found.causes:
            assert 0.0 <= cause.low <= cause.share <= cause.high <= 1.0
            assert write_sentence(cause.evidence)
            assert write_sentence(cause.fix)
    assert sum(right) >= len(right) - 1


@pytest.mark.parametrize("pair", [(Gap.ENVIRONMENT, Gap.HARDWARE), (Gap.TIMING, Gap.EDGE_CASES)])
def test_two_causes_at_once_are_both_named(pair):
    world = World(pair, strength=2.2, episodes=1200)
    found = explain(draw(world, 12))
    for gap in pair:
        assert found.sum_gap_shares(gap) == pytest.approx(world.truth[gap], abs=0.3)


def test_with_nothing_wrong_hardly_anything_is_called_wrong():
    found = [explain(draw(World(episodes=400), 100 + seed)) for seed in range(3)]
    assert sum(d.status is Status.FAILED for d in found) <= 1
    assert sum(d.status is Status.PASSED for d in found) >= 1


def test_what_changed_on_a_day_is_distinguished_from_what_was_never_covered():
    for changed in (True, False):
        world = World((Gap.ENVIRONMENT,), strength=2.5, changed=changed, steady=not changed)
        found = explain(draw(world, 3))
        cause = found.causes[0]
        assert cause.gap is Gap.ENVIRONMENT
        assert cause.never_covered is not changed
        if changed:
            assert abs(cause.since_ns - (START + world.since * DAY)) <= 3 * DAY
        else:
            assert cause.since_ns is None


def test_lags_that_were_measured_aligned_exclude_timing():
    evidence = draw(World((Gap.TIMING,), episodes=600), 7)
    straight = tuple(dataclasses.replace(lag, lag_ms=0.5, low_ms=-1.0, high_ms=2.0) for lag in evidence.lags)
    assert explain(evidence).causes[0].gap is Gap.TIMING
    assert explain(dataclasses.replace(evidence, lags=straight)).sum_gap_shares(Gap.TIMING) == 0.0


def test_chains_that_lose_precision_point_to_timing_though_lag_was_not_measured():
    found = explain(draw(World((Gap.TIMING,), measured=False, episodes=600), 7))
    assert found.causes[0].gap is Gap.TIMING
    assert stated(found.causes[0].evidence)[:2] == ["chain_loses_precision", "lag_not_verified"]
    assert remarks(found, "lag_not_measured")


def test_labels_that_were_not_compared_are_asked_for_not_guessed():
    evidence = draw(World((Gap.LABELS,), measured=False, episodes=600), 8)
    found = explain(evidence)
    assert found.sum_gap_shares(Gap.LABELS) == 0.0
    assert remarks(found, "agreement_not_measured")


def test_the_same_seed_gives_the_same_answer():
    evidence = draw(World((Gap.HARDWARE,), episodes=200, trials=200), 3)
    assert explain(evidence) == explain(evidence)


def test_the_three_parts_add_up_and_unseen_conditions_are_the_largest():
    found = explain(draw(World((Gap.ENVIRONMENT,), steady=True, strength=2.5, episodes=600), 5))
    assert found.mix_share + found.mechanism_share + found.unseen_share == pytest.approx(1.0)
    assert found.unseen_share == max(found.mix_share, found.mechanism_share, found.unseen_share)
    assert found.loss_low <= found.loss <= found.loss_high


def test_slices_and_failures_come_with_it():
    found = explain(draw(World((Gap.CONDITIONS,), strength=2.5, episodes=700), 6))
    assert found.slices
    assert all(s.observed < s.expected and s.doubt <= 0.2 for s in found.slices)
    assert len(found.failures) == 20
    assert all(len(f.asked) == 4 for f in found.failures)
    assert np.isfinite([s.expected for s in found.slices]).all()
