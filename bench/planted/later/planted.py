"""One planted world of the later family as it is kept, in the same form as those of the first."""

import gzip
import pickle
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.planted import planted as first
from bench.planted import truth, written
from bench.planted.later.played import Later
from bench.planted.later.twists import fault_of
from bench.planted.planted import Planted, stamp
from bench.planted.played import Sizes
from bench.planted.written import Records
from bench.planted.wrongs import together
from fieldloop.model.diagnosis import Lag

SOURCES = (*first.SOURCES, "bench/planted/later/*.py")
"""What a world of this family depends on."""


def planted(seed: int, sizes: Sizes | None = None, folder: Path | None = None) -> Planted:
    """Play the world of a seed, or take it from a folder where the same code has left it."""
    file = folder / f"{seed}-{stamp(SOURCES, sizes or Sizes())}.world" if folder else None
    if file and file.exists():
        made = pickle.loads(gzip.decompress(file.read_bytes()))
        assert isinstance(made, Planted)
        return made
    began = time.process_time()
    played = Later(seed, fault_of(seed), sizes)
    made = Planted(
        seed,
        tuple(wrong.gap for wrong in played.wrongs),
        tuple(wrong.way for wrong in played.wrongs),
        truth.truth(played),
        records(played, np.random.default_rng([seed, 815])),
        time.process_time() - began,
    )
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_bytes(gzip.compress(pickle.dumps(made), 1))
        part.rename(file)  # whole or not at all: a run may be killed
    return made


def records(played: Later, rng: np.random.Generator) -> Records:
    """Write a world down as the first family does; where only one site's cameras lag, other rigs show no lag."""
    made, lag_ms = written.records(played, rng), 1e3 * together(played.wrongs).camera_lag_s
    lagging = played.twist.only.get("site")
    lags = tuple(lag if lagging in (None, lag.rig) else _less(lag, lag_ms) for lag in made.lags)
    return replace(made, lags=lags)


def _less(lag: Lag, by_ms: float) -> Lag:
    return replace(lag, lag_ms=lag.lag_ms - by_ms, low_ms=lag.low_ms - by_ms, high_ms=lag.high_ms - by_ms)
