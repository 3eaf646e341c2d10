"""Numbers that are codes: a person, a type or a flag written as 0, 1, 2 … has levels, not a size."""

from collections.abc import Sequence

import numpy as np

from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section


def find_coded_facts(outcomes: Sequence[Outcome], settings: Section) -> frozenset[str]:
    """Return facts that are few whole numbers from 0 or 1, each frequent enough to be a condition."""
    seen: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in outcome.facts:
            seen.setdefault(name, []).append(value)
    return frozenset(name for name, values in seen.items() if _is_coded(values, settings))


def _is_coded(values: Sequence[float], settings: Section) -> bool:
    levels, often = np.unique(values, return_counts=True)
    few = len(levels) <= settings.number("code_levels") and often.min() >= settings.number("min_slice_episodes")
    whole = bool(np.isfinite(levels).all()) and bool(np.all(levels == np.round(levels)))
    return few and whole and levels[0] in (0.0, 1.0) and levels[-1] <= settings.number("code_levels")
