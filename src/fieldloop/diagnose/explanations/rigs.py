"""Which attempts a rig's lag belongs to: those at the site, or by the robot, that the rig is called by."""

from collections.abc import Sequence

import numpy as np

from fieldloop.diagnose.explanations.dose import lag_points, log_odds_of_points
from fieldloop.diagnose.inference.table import Floats, Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Lag
from fieldloop.protocol import Section

PLACES = ("robot", "site")
"""Factors whose levels rigs are called by, the closer one first."""
TINY = 1e-9  # keeps a division by zero apart


def strength_by_rig(table: Table, lags: Sequence[Lag], late: Sequence[Lag], settings: Section) -> Floats:
    """Return how strongly late frames act in each row, 1 where they are latest.

    A row whose own rig was measured has that rig's lag. Others have the lag of the demonstrations on average.
    """
    effect = {lag.rig: 0.0 for lag in lags}
    for lag in late:
        effect[lag.rig] = max(effect[lag.rig], log_odds_of_points(lag_points(lag.lag_ms, settings), settings))
    most = max(*effect.values(), TINY)
    episodes = {rig: sum(lag.episodes for lag in lags if lag.rig == rig) for rig in effect}
    average = sum(effect[rig] * count for rig, count in episodes.items()) / max(sum(episodes.values()), 1)
    strength = np.full(len(table), average / most)
    for factor in reversed(PLACES):
        for rig, one in effect.items():
            if Condition(factor, rig) in table.factors.get(factor, ()):
                strength[table.indicators([Condition(factor, rig)])[:, 0] > 0.0] = one / most
    return strength


def place_of_rigs(after: Table, late: Sequence[Lag], strength: Floats) -> Stratum:
    """Name the site or robot of the late rigs, where there is one and other rows are free of lag."""
    rigs = {lag.rig for lag in late}
    if len(rigs) != 1 or strength.min(initial=1.0) > 0.0:
        return Stratum()
    (rig,) = rigs
    named = [Condition(factor, rig) for factor in PLACES if Condition(factor, rig) in after.factors.get(factor, ())]
    return Stratum((named[0],)) if named else Stratum()
