"""Numbers that are codes: a person, a type or a flag written as 0, 1, 2 … has levels, not a size."""

from collections.abc import Iterable, Sequence

import numpy as np

from fieldloop.diagnose.inference.columns import Floats
from fieldloop.model.outcome_columns import OutcomeColumns
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section


def find_coded_facts(sides: Iterable[Sequence[Outcome]], settings: Section) -> frozenset[str]:
    """Return facts that are few whole numbers from 0 or 1, each frequent enough to be a condition."""
    seen: dict[str, list[Floats]] = {}
    for side in sides:
        for name, values in _facts(side).items():
            seen.setdefault(name, []).append(values)
    return frozenset(name for name, values in seen.items() if _is_coded(np.concatenate(values), settings))


def _facts(outcomes: Sequence[Outcome]) -> dict[str, Floats]:
    """Return the values of each fact that is logged."""
    if isinstance(outcomes, OutcomeColumns):
        columns = {name: values[np.isfinite(values)] for name, values in outcomes.facts.items()}
        return {name: values for name, values in columns.items() if len(values)}
    seen: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in outcome.facts:
            seen.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in seen.items()}


def _is_coded(values: Floats, settings: Section) -> bool:
    levels, often = np.unique(values, return_counts=True)
    few = len(levels) <= settings.number("code_levels") and often.min() >= settings.number("min_slice_episodes")
    whole = bool(np.isfinite(levels).all()) and bool(np.all(levels == np.round(levels)))
    return few and whole and levels[0] in (0.0, 1.0) and levels[-1] <= settings.number("code_levels")
