"""The lag between a camera and the joints, estimated from content: right within its interval, or refused."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check.content_lag import (
    collect_lag_evidence,
    estimate_lag_drift,
    estimate_lag_step,
    estimate_lags_by_cross_validation,
    estimate_pooled_lag,
    read_content_lag_settings,
)
from fieldloop.protocol import default_protocol
from fieldloop.testing.panning import CAMERA, drop_frames_silently, record_panning_camera

NUMBERS = read_content_lag_settings(default_protocol())
STEP = default_protocol().limits["alignment.content_step"]


def kept_of(recording):
    return collect_lag_evidence(recording.streams[CAMERA], list(recording.streams.values()), NUMBERS)


@functools.cache
def kept(seed, lag_ms=0.0, speed=1.0):
    return kept_of(record_panning_camera(seed, lag_ms=lag_ms, speed=speed))


def shifted(evidence_of_one, by_ms):
    """The same evidence with the camera's clock set wrong by so much."""
    return {**evidence_of_one, "stamps_ns": evidence_of_one["stamps_ns"] - round(by_ms * 1e6)}


@pytest.mark.parametrize("lag_ms", [0.0, 40.0, -17.0])
def test_one_episode_tells_its_lag_within_a_millisecond(lag_ms):
    found = estimate_pooled_lag([kept(1, lag_ms)], NUMBERS)
    assert found.has_estimate
    assert found.low_s * 1e3 <= lag_ms <= found.high_s * 1e3
    assert found.lag_s * 1e3 == pytest.approx(lag_ms, abs=1.0)
    assert (found.high_s - found.low_s) < 0.004


@settings(max_examples=5, deadline=None)
@given(by_ms=st.floats(-150, 150))
def test_a_clock_set_wrong_is_reported_as_such(by_ms):
    was, now = estimate_pooled_lag([kept(1)], NUMBERS), estimate_pooled_lag([shifted(kept(1), by_ms)], NUMBERS)
    assert now.has_estimate
    assert (now.lag_s - was.lag_s) * 1e3 == pytest.approx(by_ms, abs=0.5)


def test_a_pool_tells_the_lag_that_its_episodes_share():
    together = estimate_pooled_lag([kept(seed, 12.0) for seed in range(2, 6)], NUMBERS)
    assert together.episodes == 4
    assert together.low_s <= 0.012 <= together.high_s
    assert together.high_s - together.low_s < 0.002


def test_each_episode_is_judged_by_what_the_others_taught():
    episodes = [*(kept(seed, 12.0) for seed in range(2, 6)), shifted(kept(6, 12.0), 8.0)]
    lags = [
        answer.lag_s * 1e3 for answer in estimate_lags_by_cross_validation(episodes, NUMBERS) if answer.has_estimate
    ]
    assert lags == pytest.approx([12.0, 12.0, 12.0, 12.0, 20.0], abs=1.5)


def test_episodes_that_disagree_give_no_lag_of_the_rig():
    episodes = [kept(seed, 12.0) for seed in range(2, 5)] + [shifted(kept(seed, 12.0), 52.0) for seed in (5, 6)]
    refused = estimate_pooled_lag(episodes, NUMBERS).refused
    assert refused.code == "check.lags_differ"
    assert all(isinstance(lag_ms, float) for lag_ms in refused["lags_ms"])
    assert all(answer.refused for answer in estimate_lags_by_cross_validation(episodes, NUMBERS))


@pytest.mark.parametrize(
    ("speed", "why"),
    [(0.0, "check.lag_little_explained"), (0.1, "check.lag_motion_too_slow"), (0.3, "check.lag_motion_too_slow")],
)
def test_still_and_slow_scenes_are_refused(speed, why):
    assert estimate_pooled_lag([kept(1, 20.0, speed)], NUMBERS).refused.code == why


def test_joints_of_another_episode_are_refused():
    mixed = {**kept(1), "joints": kept(2)["joints"], "joints_begin_ns": kept(2)["joints_begin_ns"]}
    assert not estimate_pooled_lag([mixed], NUMBERS).has_estimate


def test_a_lag_beyond_the_search_is_refused():
    assert not estimate_pooled_lag([shifted(kept(1), 320.0)], NUMBERS).has_estimate


@pytest.mark.parametrize("frames", [1, 2])
def test_frames_lost_without_a_trace_are_found(frames):
    found = estimate_lag_step(
        kept_of(drop_frames_silently(record_panning_camera(3), 180, frames)),
        NUMBERS,
        STEP.get_parameter("edge_s"),
        STEP.get_parameter("sd"),
    )
    assert not found.refused
    assert found.low_s <= frames / 30 <= found.high_s
    assert found.low_s > 0.01
    assert found.at_s == pytest.approx(6.0, abs=0.5)


def test_no_step_is_seen_where_there_is_none():
    found = estimate_lag_step(kept(1), NUMBERS, STEP.get_parameter("edge_s"), STEP.get_parameter("sd"))
    assert not found.refused
    assert found.low_s <= 0.0 <= found.high_s


@pytest.mark.parametrize("ppm", [0.0, 600.0])
def test_a_clock_that_runs_fast_is_reported(ppm):
    found = estimate_lag_drift([kept_of(record_panning_camera(4, seconds=25.0, drift_ppm=ppm))], NUMBERS)
    assert not found.refused
    assert found.low_ppm <= ppm <= found.high_ppm
    assert found.high_ppm - found.low_ppm < 300


def test_the_same_evidence_gives_the_same_answer_to_the_bit():
    assert estimate_pooled_lag([kept(1)], NUMBERS) == estimate_pooled_lag([kept(1)], NUMBERS)


def test_evidence_is_small_enough_to_keep():
    taken = kept(1)
    assert sum(array.nbytes for array in taken.values()) * 5 < 500_000  # a minute of five times 12 s
    assert {array.dtype for array in taken.values()} == {np.dtype(t) for t in ("f2", "i8", "f4")}
