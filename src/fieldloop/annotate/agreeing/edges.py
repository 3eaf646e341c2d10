"""Who differs: pairs of authors that are clearly beyond a limit, and the authors who explain all such pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fieldloop.stats.segments.segment_arrays import Floats

Couple = tuple[int, int]
FEWEST_TO_CHOOSE = 3
"""With two authors it stays open which of them differs."""


@dataclass(frozen=True, slots=True)
class Blame:
    """Which authors explain every pair beyond the limit; `all_differ` where no minority does."""

    authors: tuple[int, ...] = ()
    all_differ: bool = False
    open_between: Couple | None = None


def is_clearly_beyond(sums: Floats, counts: Floats, limit: float, alpha: float, least_episodes: int) -> bool:
    """Is a ratio of sums above a limit beyond doubt? Episodes are the units, as errors within one are alike.

    >>> is_clearly_beyond(np.full(20, 5.0), np.full(20, 1.0), 3.0, 0.01, 5)
    True
    >>> is_clearly_beyond(np.array([9.0, 0, 1, 6, 0]), np.ones(5), 3.0, 0.01, 5)
    False
    """
    from scipy.special import stdtrit

    used = counts > 0
    many = int(used.sum())
    if many < max(least_episodes, 2):
        return False
    sums, counts = sums[used], counts[used]
    ratio = sums.sum() / counts.sum()
    spread = np.sqrt(((sums - ratio * counts) ** 2).sum() * many / (many - 1)) / counts.sum()
    return bool(ratio - float(stdtrit(many - 1, 1 - alpha)) * spread > limit)


def find_blame(beyond: Mapping[Couple, bool]) -> Blame:
    """Find the fewest authors who explain all pairs beyond the limit; a majority must agree without them.

    An author differs who differs from every other author there is evidence with, and from at least two.

    >>> find_blame({(0, 1): False, (0, 2): True, (1, 2): True}).authors
    (2,)
    >>> find_blame({(0, 1): True, (0, 2): True, (1, 2): True}).all_differ
    True
    >>> find_blame({(0, 1): True}).open_between
    (0, 1)
    >>> find_blame({(0, 1): False, (0, 2): True, (1, 2): False})
    Blame(authors=(), all_differ=False, open_between=None)
    """
    authors = sorted({author for couple in beyond for author in couple})
    bad = {couple for couple, is_beyond in beyond.items() if is_beyond}
    if not bad:
        return Blame()
    if len(authors) < FEWEST_TO_CHOOSE:
        return Blame(open_between=next(iter(bad)))
    for many in range(1, (len(authors) - 1) // 2 + 1):
        for accused in combinations(authors, many):
            if all(set(accused) & set(couple) for couple in bad) and _are_apart_from_all_others(accused, beyond):
                return Blame(accused)
    return Blame(all_differ=2 * len(bad) > len(beyond))


def _are_apart_from_all_others(accused: tuple[int, ...], beyond: Mapping[Couple, bool]) -> bool:
    for author in accused:
        others = [b for couple, b in beyond.items() if author in couple and not set(couple) <= set(accused)]
        if len(others) < FEWEST_TO_CHOOSE - 1 or not all(others):
            return False
    return True
