"""Which faults a world has: every cause and every pair of causes equally often, in an order that has no pattern."""

from itertools import combinations

import numpy as np

from fieldloop.model.diagnosis import Gap

PLANTED = tuple(gap for gap in Gap if gap is not Gap.UNKNOWN)
NOTHING_WORLDS, WORLDS_A_CAUSE, WORLDS_A_PAIR = 48, 12, 4


def _turns() -> tuple[tuple[Gap, ...], ...]:
    pairs = [pair for pair in combinations(PLANTED, 2) for _ in range(WORLDS_A_PAIR)]
    alone = [(gap,) for gap in PLANTED for _ in range(WORLDS_A_CAUSE)]
    every: list[tuple[Gap, ...]] = [*pairs, *alone, *[() for _ in range(NOTHING_WORLDS)]]
    return tuple(every[i] for i in np.random.default_rng(0).permutation(len(every)))


TURNS = _turns()
"""One full round: this many consecutive seeds contain each cause, each pair and nothing exactly as often as planned."""


def faults_of(seed: int) -> tuple[Gap, ...]:
    """Return the faults of the world of a seed.

    >>> len(TURNS), max(len(faults_of(seed)) for seed in range(256)), sum(not faults_of(seed) for seed in range(256))
    (256, 2, 48)
    """
    return TURNS[seed % len(TURNS)]
