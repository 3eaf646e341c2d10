"""Rows that are far from the samples they are made of: across a silence every rule goes on, so it must be said."""

import numpy as np

from fieldloop.model.stream import NS_PER_S, Stream
from fieldloop.release.writers.grid import Rule, Times, away_ns

PERIODS = 3
"""Of a signal's own median period: so far apart its samples may come before a row between them is a guess."""

NS_PER_MS = 1e6


def tolerance_ns(stream: Stream, hz: float) -> float:
    """How far may a row be from its samples? One period of the grid; for a signal three of its own where they last."""
    period_ns = NS_PER_S / hz
    steps = np.diff(np.sort(stream.times_ns))
    steps = steps[steps > 0]
    if stream.pictures is not None or not len(steps):
        return period_ns
    return max(period_ns, PERIODS * float(np.median(steps)))


def far_rows(stream: Stream, grid_ns: Times, rule: Rule, hz: float) -> str:
    """Count the rows made of samples beyond the tolerance, and say how far the worst is; '' where there is none."""
    if rule is Rule.AS_RECORDED:
        return ""  # but for rounding it is at the moment itself
    away, most = away_ns(stream, grid_ns, rule), tolerance_ns(stream, hz)
    if not (count := int((away > most).sum())):
        return ""
    said = (
        f"{count} of {len(grid_ns)} rows of {stream.name} ({rule.value}) are made of samples more than "
        f"{_lasting(most)} away, at worst {_lasting(float(away.max()))}"
    )
    if stream.times_ns.min() > grid_ns[-1] or stream.times_ns.max() < grid_ns[0]:
        return f"{said}: it shares no moment with the frames ({stream.clock.value} clock)"
    return said


def _lasting(ns: float) -> str:
    return f"{ns / NS_PER_S:.4g} s" if ns >= NS_PER_S else f"{ns / NS_PER_MS:.4g} ms"
