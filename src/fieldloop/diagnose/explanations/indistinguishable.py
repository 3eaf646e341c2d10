"""Explanations with the same rows: the data cannot separate them, so they are one cause."""

import numpy as np

from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.inference.columns import Floats
from fieldloop.diagnose.inference.sets import FittedSet, Sets

ELSEWHERE = (Kind.FAULT, Kind.EVERYWHERE, Kind.GROWTH)
"""Kinds that affect everything or were measured apart from the outcomes: their rows do not identify them."""


def similarity(sets: Sets, member: int) -> Floats:
    """Correlate the production rows of each explanation with those of this one."""
    return sets.similarity(member)


def same_rows(sets: Sets, member: int) -> set[int]:
    """Return it and all explanations that have its rows."""
    if sets.explanations[member].kind in ELSEWHERE:
        return {member}
    same = np.flatnonzero(similarity(sets, member) >= sets.settings.number("confounded_overlap")).tolist()
    return {member, *(at for at in same if sets.explanations[at].kind not in ELSEWHERE)}


def group_by_same_rows(sets: Sets, fitted: FittedSet) -> dict[int, tuple[int, ...]]:
    """Group members of a set by rows, the one with the highest prior first, each with those that share its rows."""
    groups: dict[int, tuple[int, ...]] = {}
    left = sorted(fitted.members, key=lambda m: (-sets.prior[m], m))
    while left:
        same = same_rows(sets, left[0])
        groups[left[0]] = tuple(m for m in left if m in same)
        left = [m for m in left if m not in same]
    return groups
