"""What a stream says of itself."""

import numpy as np
import pytest

from fieldloop.model.stream import ClockKind, Stream, StreamKind


@pytest.mark.parametrize(
    ("clock", "declared", "hz"),
    [
        (ClockKind.HEADER, None, 20.0),
        (ClockKind.CONTAINER, None, 20.0),
        (ClockKind.SYNTHETIC, None, None),  # the steps were only counted
        (ClockKind.SYNTHETIC, 30.0, 30.0),
        (ClockKind.LOG, 30.0, 30.0),
    ],
)
def test_a_rate_is_declared_or_measured_never_made_up(clock, declared, hz):
    stream = Stream("a", StreamKind.OTHER, "", {clock: np.arange(10) * 50_000_000}, nominal_hz=declared)
    assert stream.hz == hz


def test_one_sample_has_no_rate():
    assert Stream("a", StreamKind.OTHER, "", {ClockKind.LOG: np.zeros(1, np.int64)}).hz is None


def stamped(times):
    return Stream("s", StreamKind.OTHER, "", {ClockKind.LOG: np.asarray(times, np.int64)}, np.zeros((len(times), 1)))


def test_stamps_out_of_order_do_not_change_the_rate():
    times = np.arange(100) * 10_000_000
    swapped = times.reshape(-1, 2)[:, ::-1].ravel()
    assert stamped(swapped).hz == stamped(times).hz == pytest.approx(100)


def test_bursts_have_no_rate():
    burst = np.concatenate([start + np.arange(4) * 600_000 for start in (0, 10**9, 19 * 10**8)])
    assert stamped(burst).hz is None
    third_lost = (np.arange(200) * 10_000_000)[np.random.default_rng(0).random(200) < 0.66]
    assert stamped(third_lost).hz == pytest.approx(100, rel=0.01)
