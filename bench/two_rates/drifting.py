"""How often equal versions are called different if the conditions change while they are compared: simulated."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.stats.sequential import Boundary, Scenes

Rates = NDArray[np.float64]


def simulate_false_verdicts(boundary: Boundary, rates: Rates, spread: float, runs: int, seed: int) -> list[bool]:
    """Return for each run whether the candidate was called better; `rates` is the rate of both, pair by pair.

    A `spread` above 0 makes scenes easier or harder for both: their rates are drawn around it (beta distribution).
    """
    rng = np.random.default_rng(seed)
    chance = np.broadcast_to(rates, (runs, boundary.max_pairs))
    if spread:
        strength = 1 / spread**2 - 1
        chance = rng.beta(chance * strength, (1 - chance) * strength)
    first, second = (rng.random(chance.shape) < chance for _ in range(2))
    lead = np.cumsum(first.astype(int) - second, axis=1)
    s = np.cumsum(first.astype(int) + second if boundary.scenes is Scenes.UNPAIRED else first != second, axis=1)
    going, better = np.ones(runs, dtype=bool), np.zeros(runs, dtype=bool)
    for pairs, leads in enumerate(boundary.list_leads()):
        ended = going & (np.abs(lead[:, pairs]) >= leads[s[:, pairs]])
        better |= ended & (lead[:, pairs] > 0)
        going &= ~ended
    return [bool(one) for one in better]
