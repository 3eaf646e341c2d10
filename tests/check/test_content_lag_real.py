"""Time from content on real video: a clock set wrong by a known amount is found again, or the answer is refused."""

import functools

import pytest

from fieldloop.check.content_lag import collect_lag_evidence, estimate_pooled_lag, read_content_lag_settings
from fieldloop.ingest import open_log
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import default_protocol
from fieldloop.testing.shared import find_shared_data

NUMBERS = read_content_lag_settings(default_protocol())


@functools.cache
def kept_of(name):
    folder = find_shared_data(name)
    if folder is None:
        pytest.skip(f"The shared real data {name} are not on this machine.")
    taken = []
    for recording in open_log(folder).recordings:
        camera = next(s for s in recording.streams.values() if s.kind is StreamKind.RGB)
        taken.append(collect_lag_evidence(camera, list(recording.streams.values()), NUMBERS))
    return taken


def shifted(kept, by_ms):
    return {**kept, "stamps_ns": kept["stamps_ns"] - round(by_ms * 1e6)}


@pytest.mark.parametrize("by_ms", [20.0, -45.0])
def test_a_shift_of_real_pictures_is_found_again(by_ms):
    for kept in kept_of("lerobot-v21-g1"):
        was, now = estimate_pooled_lag([kept], NUMBERS), estimate_pooled_lag([shifted(kept, by_ms)], NUMBERS)
        assert (now.lag_s - was.lag_s) * 1e3 == pytest.approx(by_ms, abs=4.0)
        assert was.has_estimate == now.has_estimate


def test_real_episodes_whose_lags_differ_are_not_pooled():
    assert estimate_pooled_lag(kept_of("lerobot-v21-g1"), NUMBERS).refused.code == "check.lags_differ"


@pytest.mark.soak
def test_a_simulated_humanoid_whose_episodes_disagree_is_refused():
    assert not estimate_pooled_lag(kept_of("lerobot-v20-gr1"), NUMBERS).has_estimate
