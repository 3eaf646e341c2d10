"""Which cause the world of a seed has: one round of forty, in an order without a pattern."""

import numpy as np

from bench.logistic_worlds import data_faults, faults

NOTHING, NOTHING_BESIDE, MIX, TWO = "nothing", "nothing, decoys", "mix", "two"
UNLOGGED = "unlogged"
PLANTS = {
    "new condition": faults.plant_new_condition,
    "season": faults.plant_season,
    "wear": faults.plant_wear,
    "wear, not logged": faults.plant_unlogged_wear,
    "latency": faults.plant_latency,
    "annotators": data_faults.plant_annotators,
    "judge": data_faults.plant_judge,
    "lag": data_faults.plant_lag,
    "lag of one rig": data_faults.plant_lag_of_one_rig,
    UNLOGGED: faults.plant_unlogged,
}
GROUPS = (
    ("new condition", "season"),
    ("wear", "wear, not logged"),
    ("latency",),
    ("annotators", "judge"),
    ("lag", "lag of one rig"),
)
"""Two causes of one world come from two of these, so that their names differ."""
ROUND = {
    "new condition": 6, "season": 3, "wear": 2, "wear, not logged": 2, "latency": 3, "annotators": 2, "judge": 2,
    "lag": 2, "lag of one rig": 2, TWO: 5, UNLOGGED: 3, MIX: 2, NOTHING: 3, NOTHING_BESIDE: 3,
}  # fmt: skip
"""How often each kind comes in a round of forty."""


def _turns() -> tuple[str, ...]:
    every = [kind for kind, times in ROUND.items() for _ in range(times)]
    return tuple(every[k] for k in np.random.default_rng(14).permutation(len(every)))


TURNS = _turns()


def kind_of(seed: int) -> str:
    """Return the kind of the world of a seed.

    >>> len(TURNS), sum(kind_of(seed) == "two" for seed in range(40))
    (40, 5)
    """
    return TURNS[seed % len(TURNS)]


def draw_plants(kind: str, rng: np.random.Generator) -> tuple[str, ...]:
    """Return the causes of a kind of world."""
    if kind == TWO:
        first, second = rng.choice(len(GROUPS), 2, replace=False)
        # what has a place of its own is planted last, when the mix of sites is settled
        return tuple(sorted((str(rng.choice(GROUPS[k])) for k in (first, second)), key=list(PLANTS).index))
    return (kind,) if kind in PLANTS else ()
