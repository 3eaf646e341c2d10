"""Report rows that are far from their samples: resampling rules also bridge long gaps."""

import numpy as np

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import NS_PER_S, Stream
from fieldloop.release.writers.grid import Rule, Times, sample_distance_ns

PERIODS = 3
"""Of a signal's own median period: so far apart its samples may come before a row between them is a guess."""


def tolerance_ns(stream: Stream, hz: float) -> float:
    """How far may a row be from its samples? One period of the grid; for a signal three of its own where they last."""
    period_ns = NS_PER_S / hz
    steps = np.diff(np.sort(stream.times_ns))
    steps = steps[steps > 0]
    if stream.pictures is not None or not len(steps):
        return period_ns
    return max(period_ns, PERIODS * float(np.median(steps)))


def far_rows(stream: Stream, grid_ns: Times, rule: Rule, hz: float) -> Note | None:
    """Count the rows made from samples beyond the tolerance, and how far the worst is; None where there are none."""
    if rule is Rule.AS_RECORDED:
        return None  # but for rounding it is at the moment itself
    away, most = sample_distance_ns(stream, grid_ns, rule), tolerance_ns(stream, hz)
    if not (count := int((away > most).sum())):
        return None
    apart = bool(stream.times_ns.min() > grid_ns[-1] or stream.times_ns.max() < grid_ns[0])
    return note(
        "release.rows_far_from_samples", about=Subject(stream.name), rows=count, total=len(grid_ns), rule=rule.value,
        tolerance_s=most / NS_PER_S, worst_s=float(away.max()) / NS_PER_S,
        clock_apart=stream.clock.value if apart else None,
    )  # fmt: skip
