"""Which level of the fingers is closed: what an item that blocks or presses them shows, before any rule of thumb."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from fieldloop.annotate.limbs import Limb
from fieldloop.annotate.motion import Floats

Rest = tuple[int, int, bool]
"""Where the fingers rest, from one grid index to another, and whether at their high level."""


def list_rests(limb: Limb, moves: Sequence[tuple[int, int, float]], numbers: Mapping[str, float]) -> list[Rest]:
    """Return the stretches between movements of the fingers; a movement is its begin, its end and its signed travel."""
    if not moves:
        return []
    last = len(limb.speed) - 1
    ends = [(0, 0, -moves[0][2]), *moves, (last, last, 0.0)]
    least = numbers["hold_min_s"] * limb.hz
    return [(a[1], b[0], a[2] > 0) for a, b in pairwise(ends) if b[0] - a[1] >= least]


def weigh_levels(limb: Limb, rests: Sequence[Rest], numbers: Mapping[str, float]) -> float:
    """Return from -1 to 1 how much shows that a high value is open; 0 where nothing does.

    An item keeps closed fingers from going where they were sent, while open fingers arrive. Closed fingers press.
    """
    votes = [_weigh_gap(limb.gap, rests, numbers), _weigh_effort(limb.effort, rests, numbers)]
    cast = [vote for vote in votes if vote]
    return float(np.mean(cast)) if cast else 0.0


def _weigh_gap(gap: Floats | None, rests: Sequence[Rest], numbers: Mapping[str, float]) -> float:
    """Compare the levels by how far the fingers stay from their command; both, or none, show nothing."""
    if gap is None:
        return 0.0
    low, high = _list_medians(gap, rests, high=False), _list_medians(gap, rests, high=True)
    if not low or not high:
        return 0.0
    held = numbers["gap_held"]
    blocked_low, blocked_high = max(low) >= held, min(high) <= -held
    arrives_low, arrives_high = max(map(abs, low)) < held, max(map(abs, high)) < held
    return float(blocked_low and arrives_high) - float(blocked_high and arrives_low)


def _weigh_effort(effort: Floats | None, rests: Sequence[Rest], numbers: Mapping[str, float]) -> float:
    if effort is None:
        return 0.0
    low, high = _list_medians(effort, rests, high=False), _list_medians(effort, rests, high=True)
    if not low or not high:
        return 0.0
    times = numbers["closed_presses_times"]
    return float(max(low) > times * max(high)) - float(max(high) > times * max(low))


def _list_medians(values: Floats, rests: Sequence[Rest], *, high: bool) -> list[float]:
    return [float(np.median(values[a:b])) for a, b, is_high in rests if is_high is high]


def is_held_from_start(limb: Limb, opened_at: float, numbers: Mapping[str, float], *, high_is_open: bool) -> bool:
    """Report whether something shows that an item was held before the fingers moved for the first time.

    Fingers that are merely shut at the beginning hold nothing: they must be kept apart, or from their command.
    """
    until = int(opened_at)
    if limb.opening is None or until < numbers["hold_min_s"] * limb.hz:
        return False
    if limb.shut is not None:
        inside = float(np.median((limb.opening if high_is_open else 1 - limb.opening)[:until]))
        return inside >= (limb.shut if high_is_open else 1 - limb.shut) + numbers["shut_share"]
    if limb.gap is None:
        return False
    return float(np.median((limb.gap if high_is_open else -limb.gap)[:until])) >= numbers["gap_held"]
