"""One step of the walk over (s, d), under one rate in both arms given s, and under any chances of a pair."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fieldloop.stats.sequential.boundary import Boundary, Floats, Scenes


class Look(NamedTuple):
    """The walk after so many pairs: rows are s, columns are d from −reach to reach."""

    pairs: int
    chances: Floats


class Pair(NamedTuple):
    """Chances of one pair: both arms fail, only the candidate succeeds, only the other does, both succeed."""

    neither: float
    only_candidate: float
    only_other: float
    both: float


def walk_given_counts(boundary: Boundary, reach: int) -> Iterator[Look]:
    """Yield, look by look, the chance of d given s if both arms have the same rate; callers zero what has ended."""
    chances = np.zeros((boundary.steps * boundary.max_pairs + 1, 2 * reach + 1))
    chances[0, reach] = 1.0
    step = _step_unpaired if boundary.scenes is Scenes.UNPAIRED else _step_paired
    for pairs in range(1, boundary.max_pairs + 1):
        rows = boundary.steps * pairs + 1
        chances[:rows] = step(pairs, chances[:rows])
        yield Look(pairs, chances[:rows])


def walk_with_chances(boundary: Boundary, pair: Pair, reach: int) -> Iterator[Look]:
    """Yield, look by look, the chance of (s, d) for these chances of a pair; callers zero what has ended."""
    chances = np.zeros((boundary.steps * boundary.max_pairs + 1, 2 * reach + 1))
    chances[0, reach] = 1.0
    paired = boundary.scenes is Scenes.PAIRED
    stays = pair.neither + pair.both if paired else pair.neither
    for pairs in range(1, boundary.max_pairs + 1):
        before = chances[: boundary.steps * pairs + 1]
        after = stays * before
        after[1:, 1:] += pair.only_candidate * before[:-1, :-1]
        after[1:, :-1] += pair.only_other * before[:-1, 1:]
        if not paired:
            after[2:] += pair.both * before[:-2]
        chances[: boundary.steps * pairs + 1] = after
        yield Look(pairs, chances[: boundary.steps * pairs + 1])


def _step_unpaired(pairs: int, before: Floats) -> Floats:
    """Step given s successes in both arms: the last pair had 0, 1 or 2 of them, hypergeometrically."""
    trials, s = 2 * pairs, np.arange(2 * pairs + 1, dtype=float)[:, None]
    every = trials * (trials - 1)
    after = (trials - s) * (trials - s - 1) / every * before
    one = (s * (trials - s) / every)[1:]
    after[1:, 1:] += one * before[:-1, :-1]
    after[1:, :-1] += one * before[:-1, 1:]
    after[2:] += (s * (s - 1) / every)[2:] * before[:-2]
    return np.asarray(after)


def _step_paired(pairs: int, before: Floats) -> Floats:
    """Step given s pairs with different results: the last pair was one of them with chance s/t, either way alike."""
    s = np.arange(pairs + 1, dtype=float)[:, None]
    after = (1 - s / pairs) * before
    half = (s / (2 * pairs))[1:]
    after[1:, 1:] += half * before[:-1, :-1]
    after[1:, :-1] += half * before[:-1, 1:]
    return np.asarray(after)
