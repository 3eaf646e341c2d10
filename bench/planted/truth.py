"""How much of the loss each planted fault really caused: the same world is run without it.

What is removed is removed from the data and trained again, or from the line; scenes and chance stay. With two faults
each gets the mean of what removing it brings first and last (its Shapley value). The share is the part of the loss,
baseline minus production; what the faults do not explain (another mix, another pace) stays unassigned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.planted.played import Played
from bench.planted.wrongs import Wrong
from fieldloop.model.diagnosis import Gap

WEAK = 0.05
"""Fixed in advance: a loss, or a cost of all faults together, below five points is weak and reported separately."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Success in the laboratory and on the line, on the line without any fault, and the faults' shares of the loss."""

    baseline: float
    production: float
    without: float
    shares: dict[Gap, float]

    @property
    def loss(self) -> float:
        return self.baseline - self.production

    @property
    def is_weak(self) -> bool:
        """Is the loss too small to be found?"""
        return bool(self.shares) and min(self.loss, self.without - self.production) < WEAK


def truth(played: Played) -> Truth:
    """Run a world with and without each of its faults."""

    def rate(present: Sequence[Wrong]) -> float:
        return float(played.production(present).succeeded.mean())

    present = played.wrongs
    with_all, without = rate(present), rate(())
    baseline = float(played.laboratory.succeeded.mean())
    gains = [without - with_all] * len(present)
    if len(present) == 2:  # noqa: PLR2004 - of one fault, what it costs is all there is
        only = [rate(present[:1]), rate(present[1:])]
        gains = [(only[1 - i] - with_all + without - only[i]) / 2 for i in range(2)]
    return Truth(baseline, with_all, without, shares_of(gains, baseline - with_all, [w.gap for w in present]))


def shares_of(gains: Sequence[float], loss: float, gaps: Sequence[Gap]) -> dict[Gap, float]:
    """Turn the gains from removing each fault into parts of the loss; they add up to at most all of it.

    >>> shares_of([0.1, 0.3], 0.2, [Gap.TIMING, Gap.LABELS])
    {<Gap.TIMING: 'temporal misalignment'>: 0.25, <Gap.LABELS: 'annotation inconsistency'>: 0.75}
    """
    parts = [max(gain, 0.0) / loss if loss > 0 else 0.0 for gain in gains]
    whole = max(1.0, sum(parts))
    return {gap: round(part / whole, 6) for gap, part in zip(gaps, parts, strict=True)}
