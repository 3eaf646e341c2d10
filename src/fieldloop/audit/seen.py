"""The measured share of one level, with its bounds where many attempts do not log it."""

from dataclasses import dataclass

import numpy as np

from fieldloop.audit.claim import Claim
from fieldloop.protocol import Section
from fieldloop.stats.clustered import Share, estimate_level_shares


@dataclass(frozen=True, slots=True)
class LevelSeen:
    """The share among attempts that log it; `least` as if no other attempt had this level, `most` as if all had.

    Where nearly all log it the three are equal: the few others are taken to be like the rest.
    """

    logged: Share
    least: Share
    most: Share

    @property
    def is_judged_by_bounds_only(self) -> bool:
        """Do so many attempts not log it that only the bounds are judged?"""
        return self.least is not self.logged

    def compute_interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the share."""
        if not self.logged.trials:
            return (0.0, 1.0)
        return self.least.compute_interval(level)[0], self.most.compute_interval(level)[1]

    def compute_chance_beyond(self, low: float, high: float, level: float) -> float:
        """Return the p-value of so extreme a share if the true one is low to high, whatever the others were."""
        return min(self.least.compute_chance_beyond(0.0, high, level), self.most.compute_chance_beyond(low, 1.0, level))


def measure_levels(claim: Claim, settings: Section) -> list[LevelSeen]:
    """Return every level as measured; with bounds where fewer attempts log it than the setting min_said_share."""
    effect = settings.number("assumed_design_effect")
    logged = estimate_level_shares(claim.counts, effect)
    if not claim.logged_attempts or claim.logged_attempts >= settings.number("min_said_share") * claim.attempts:
        return [LevelSeen(share, share, share) for share in logged]
    of_day = claim.counts.sum(axis=1) + claim.silent
    bounds = [
        tuple(
            estimate_level_shares(np.column_stack([hits, of_day - hits]), effect)[0]
            for hits in (column, column + claim.silent)
        )
        for column in claim.counts.T
    ]
    return [LevelSeen(share, least, most) for share, (least, most) in zip(logged, bounds, strict=True)]
