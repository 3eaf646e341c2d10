"""Explanations with the same rows: the data cannot tell which of them it is, so that together they are one cause."""

import numpy as np

from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.sets import Sets, Told
from fieldloop.diagnose.table import Floats

ELSEWHERE = (Kind.FAULT, Kind.EVERYWHERE, Kind.GROWTH)
"""These are about everything, or were measured apart from the outcomes: rows do not say what they are."""


def likeness(sets: Sets, member: int) -> Floats:
    """How nearly each explanation has the rows of this one, in production: the baseline's are another question."""
    return np.asarray(sets.produced.T @ sets.produced[:, member])


def twins(sets: Sets, member: int) -> set[int]:
    """It, and all that have its rows."""
    if sets.options[member].kind in ELSEWHERE:
        return {member}
    same = np.flatnonzero(likeness(sets, member) >= sets.settings.number("confounded_overlap")).tolist()
    return {member, *(at for at in same if sets.options[at].kind not in ELSEWHERE)}


def distinct(sets: Sets, told: Told) -> dict[int, tuple[int, ...]]:
    """Members of a set with rows of their own, the likeliest beforehand first, each with those that have them too."""
    found: dict[int, tuple[int, ...]] = {}
    left = sorted(told.members, key=lambda m: (-sets.prior[m], m))
    while left:
        same = twins(sets, left[0])
        found[left[0]] = tuple(m for m in left if m in same)
        left = [m for m in left if m not in same]
    return found
