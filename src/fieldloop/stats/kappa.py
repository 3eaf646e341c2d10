"""Agreement of two raters beyond chance: Cohen's kappa."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

Label = TypeVar("Label", bound=Hashable)


def compute_cohens_kappa(pairs: Mapping[tuple[Label, Label], int]) -> float:
    """Return the agreement beyond chance of paired labels, counted (Cohen 1960).

    NaN without pairs, or where both used a single label throughout, so that they could not disagree.

    >>> pairs = {("a", "a"): 20, ("a", "b"): 5, ("b", "a"): 10, ("b", "b"): 15}
    >>> round(compute_cohens_kappa(pairs), 4)
    0.4
    """
    total = sum(pairs.values())
    if not total:
        return float("nan")
    ours, theirs = Counter[Label](), Counter[Label]()
    for (a, b), n in pairs.items():
        ours[a] += n
        theirs[b] += n
    seen = sum(n for (a, b), n in pairs.items() if a == b) / total
    chance = sum(ours[label] * theirs[label] for label in ours) / total**2
    return (seen - chance) / (1 - chance) if chance < 1 else float("nan")
