"""How far a motion repeats itself. The model's errors then repeat too, and the interval does not cover them."""

import numpy as np
from numpy.typing import NDArray


def find_highest_autocorrelation(speeds: NDArray[np.floating]) -> float:
    """Return the highest correlation of a motion (rows by joints) with itself some time later, up to half its length.

    Delays before the first zero of the autocorrelation do not count: neighbours are always alike.

    >>> turning = np.linspace(0, 20 * np.pi, 1000)
    >>> round(find_highest_autocorrelation(np.column_stack([np.sin(turning), np.cos(turning)])), 2)
    1.0
    """
    moved = np.asarray(speeds, np.float64) - np.mean(speeds, axis=0)
    count = len(moved)
    spectrum = np.abs(np.fft.rfft(moved, 2 * count, axis=0)) ** 2
    shared = np.fft.irfft(spectrum.sum(axis=1))[: count // 2]
    energy = np.concatenate([[0.0], np.cumsum((moved**2).sum(axis=1))])
    later = np.arange(len(shared))
    both = np.sqrt(energy[count - later] * (energy[-1] - energy[later]))
    alike = shared / np.maximum(both, 1e-12)
    apart = np.flatnonzero(alike <= 0.0)
    return float(alike[apart[0] :].max()) if len(apart) else 0.0
