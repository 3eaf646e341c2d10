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
