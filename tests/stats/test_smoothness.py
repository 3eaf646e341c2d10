"""Spectral arc length against the integral of a spectrum that is known, and its independence of size and duration."""

import numpy as np
import pytest
from scipy.integrate import quad

from fieldloop.stats.smoothness import compute_spectral_arc_length

HZ, HIGHEST_HZ, SHARE = 200.0, 10.0, 0.05


def bell(width_s, height=1.0, long_s=8.0):
    times = np.arange(0, long_s, 1 / HZ)
    return height * np.exp(-(((times - long_s / 2) / width_s) ** 2))


@pytest.mark.parametrize("width_s", [0.05, 0.2, 0.5])
def test_a_bell_has_the_arc_length_of_its_gaussian_spectrum(width_s):
    """The spectrum of exp(−(t/w)²) is exp(−(π f w)²); it ends at a twentieth, or at 10 Hz."""
    last = min(HIGHEST_HZ, np.sqrt(-np.log(SHARE)) / (np.pi * width_s))

    def rate(f):
        return np.hypot(1 / last, 2 * (np.pi * width_s) ** 2 * f * np.exp(-((np.pi * f * width_s) ** 2)))

    expected = -quad(rate, 0, last)[0]
    assert compute_spectral_arc_length(bell(width_s), HZ, HIGHEST_HZ, SHARE) == pytest.approx(expected, rel=0.01)


def test_a_larger_movement_is_as_smooth():
    small, large = (compute_spectral_arc_length(bell(0.3, height), HZ, HIGHEST_HZ, SHARE) for height in (1.0, 40.0))
    assert small == pytest.approx(large)


def test_a_movement_in_two_parts_and_a_shaky_one_are_less_smooth():
    times = np.arange(0, 8, 1 / HZ)
    whole = compute_spectral_arc_length(bell(0.3), HZ, HIGHEST_HZ, SHARE)
    halves = np.exp(-(((times - 3) / 0.3) ** 2)) + np.exp(-(((times - 5) / 0.3) ** 2))
    shaky = bell(0.3) * (1 + 0.5 * np.sin(2 * np.pi * 6 * times))
    for worse in (halves, shaky):
        assert compute_spectral_arc_length(worse, HZ, HIGHEST_HZ, SHARE) < whole - 0.1


@pytest.mark.parametrize("speeds", [np.zeros(50), np.ones(1), np.array([0.0, np.nan, 1.0, 0.0])])
def test_nothing_moved_or_a_sample_missing_is_no_number(speeds):
    assert np.isnan(compute_spectral_arc_length(speeds, HZ, HIGHEST_HZ, SHARE))
