"""Spectral arc length: how smooth a movement is, by the spectrum of its speed (SPARC, Balasubramanian et al. 2015)."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FINE = 4
"""The spectrum is read on a grid this many powers of two finer than the samples give it."""


def compute_spectral_arc_length(speeds: Floats, rate_hz: float, highest_hz: float, least_share: float) -> float:
    """Return the negative length of the speed's normalised spectrum: the nearer to 0, the smoother.

    The spectrum counts up to `highest_hz`, or to the last frequency below that holds `least_share` of the largest. NaN
    where nothing moved or a sample is missing.

    >>> time_s = np.arange(0, 2, 0.01)
    >>> smooth = np.exp(-(((time_s - 1) / 0.2) ** 2))
    >>> shaky = smooth * (1 + 0.5 * np.sin(2 * np.pi * 6 * time_s))
    >>> compute_spectral_arc_length(smooth, 100, 10, 0.05) > compute_spectral_arc_length(shaky, 100, 10, 0.05)
    True
    """
    if len(speeds) < 2 or not np.isfinite(speeds).all() or not float(np.abs(speeds).sum()):  # noqa: PLR2004 - a line
        return float("nan")
    points = 2 ** (int(np.ceil(np.log2(len(speeds)))) + FINE)
    spectrum = np.abs(np.fft.rfft(speeds, points))
    spectrum = spectrum / spectrum.max()
    frequencies = np.arange(len(spectrum)) * rate_hz / points
    strong = np.flatnonzero((frequencies <= highest_hz) & (spectrum >= least_share))
    last = int(strong[-1])
    if not last:
        return -0.0
    steps = np.diff(frequencies[: last + 1]) / frequencies[last]
    return -float(np.hypot(steps, np.diff(spectrum[: last + 1])).sum())
