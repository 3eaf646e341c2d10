"""One level of a claim as the logs show it, with what it could be at least and at most where many do not say it."""

from dataclasses import dataclass

import numpy as np

from fieldloop.audit.claim import Claim
from fieldloop.protocol import Section
from fieldloop.stats.clustered import Share, shares


@dataclass(frozen=True, slots=True)
class Seen:
    """The share among those that say it; `least` as if no silent attempt were of this level, `most` as if all were.

    Where nearly all say it the three are one: those few silent ones are taken to be like the rest.
    """

    said: Share
    least: Share
    most: Share

    @property
    def partly(self) -> bool:
        """Do so many say nothing that only what holds whatever they were is judged?"""
        return self.least is not self.said

    def interval(self, level: float) -> tuple[float, float]:
        """From where to where the share may lie."""
        if not self.said.trials:
            return (0.0, 1.0)
        return self.least.interval(level)[0], self.most.interval(level)[1]

    def chance_beyond(self, low: float, high: float, level: float) -> float:
        """How likely so extreme a share is if the truth lay from low to high, whatever the silent attempts were."""
        return min(self.least.chance_beyond(0.0, high, level), self.most.chance_beyond(low, 1.0, level))


def seen_of(claim: Claim, settings: Section) -> list[Seen]:
    """Return every level as it was seen; bounds stand where fewer say it than the setting min_said_share."""
    effect = settings.number("assumed_design_effect")
    said = shares(claim.counts, effect)
    if not claim.said or claim.said >= settings.number("min_said_share") * claim.asked:
        return [Seen(share, share, share) for share in said]
    of_day = claim.counts.sum(axis=1) + claim.silent
    bounds = [
        tuple(shares(np.column_stack([hits, of_day - hits]), effect)[0] for hits in (column, column + claim.silent))
        for column in claim.counts.T
    ]
    return [Seen(share, least, most) for share, (least, most) in zip(said, bounds, strict=True)]
