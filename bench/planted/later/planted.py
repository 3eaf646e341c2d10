"""One planted world of the later family as it is cached, in the form of the first family."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.planted import planted as first
from bench.planted import written
from bench.planted.later.played import Later
from bench.planted.later.twists import fault_of
from bench.planted.planted import Planted, kept, recorded, stamp
from bench.planted.played import Sizes
from bench.planted.written import Records
from bench.planted.wrongs import together
from fieldloop.model.diagnosis import Lag

SOURCES = (*first.SOURCES, "bench/planted/later/*.py")
"""Files that a world of this family depends on."""


def planted(seed: int, sizes: Sizes | None = None, folder: Path | None = None) -> Planted:
    """Run the world of a seed, or read it from a folder where the same code has left it."""
    file = folder / f"{seed}-{stamp(SOURCES, sizes or Sizes())}.world" if folder else None
    return kept(file, lambda: recorded(Later(seed, fault_of(seed), sizes), records))


def records(played: Later, rng: np.random.Generator) -> Records:
    """Record a world as the first family does; where only one site's cameras lag, other rigs show no lag."""
    made, lag_ms = written.records(played, rng), 1e3 * together(played.wrongs).camera_lag_s
    lagging = played.twist.only.get("site")
    lags = tuple(lag if lagging in (None, lag.rig) else _less(lag, lag_ms) for lag in made.lags)
    return replace(made, lags=lags)


def _less(lag: Lag, by_ms: float) -> Lag:
    return replace(lag, lag_ms=lag.lag_ms - by_ms, low_ms=lag.low_ms - by_ms, high_ms=lag.high_ms - by_ms)
