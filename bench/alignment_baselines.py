"""What others would do: how much the picture changes set against how fast the joints move, as two scalar signals.

Both baselines are given the half-frame fix: a change of picture is set against the joints' way between the same two
stamps, so that neither is half a frame early.
"""

import numpy as np
from numpy.typing import NDArray

from bench.alignment_cases import Seen
from fieldloop.check.content_lag.path import KEPT_HZ

LAGS_S = np.arange(-0.25, 0.2501, 0.005)
BAND_HZ = (0.1, 5.0)
"""Where motion lives: GCC-PHAT weighs every frequency alike, so those without motion are left out for it."""


def cross_correlation(one: Seen) -> float:
    """Return the lag (s) at which picture change and joint speed correlate best, between samples too."""
    change = _centred(one.change)
    return _highest(np.array([float(change @ _centred(_speed(one, lag))) for lag in LAGS_S]))


def gcc_phat(one: Seen) -> float:
    """Return the lag (s) by generalised cross-correlation with phase transform."""
    change, speed = _centred(one.change), _centred(_speed(one, 0.0))
    hz = 1e9 / float(np.median(np.diff(one.frames_ns)))
    window, size = np.hanning(len(change)), 4 * len(change)
    cross = np.fft.rfft(speed * window, size) * np.fft.rfft(change * window, size).conj()
    frequency = np.fft.rfftfreq(size, 1 / hz)
    band = (frequency > BAND_HZ[0]) & (frequency < BAND_HZ[1])
    phase = np.where(band, cross / (np.abs(cross) + 1e-12), 0)
    return _highest(np.array([float((phase * np.exp(2j * np.pi * frequency * lag)).real.sum()) for lag in LAGS_S]))


def _speed(one: Seen, lag_s: float) -> NDArray[np.float64]:
    joints, begin_ns = one.kept["joints"], int(one.kept["joints_begin_ns"])
    grid = begin_ns / 1e9 - one.frames_ns[0] / 1e9 + np.arange(len(joints)) / KEPT_HZ
    at = (one.frames_ns - one.frames_ns[0]) / 1e9 + lag_s
    way = np.column_stack([np.interp(at, grid, column) for column in joints.T])
    return np.asarray(np.linalg.norm(np.diff(way, axis=0), axis=1))


def _centred(signal: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = signal - signal.mean()
    return np.asarray(centred / max(float(np.linalg.norm(centred)), 1e-12))


def _highest(curve: NDArray[np.float64]) -> float:
    """Read the highest place off a parabola through the best three."""
    best = int(np.clip(curve.argmax(), 1, len(curve) - 2))
    before, at, behind = curve[best - 1 : best + 2]
    bend = before - 2 * at + behind
    return float(LAGS_S[best] + (0.5 * (before - behind) / bend if bend < 0 else 0.0) * (LAGS_S[1] - LAGS_S[0]))
