"""How much is each demonstration worth to a learner? The rise of the loss on others when it is left out.

Held-out loss does not show whether leaving some out helps: on the picking floor it rose where success did, too
(docs/value.md). `release.worth` asks for trials.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class Learner(Protocol):
    """Knows demonstrations by number; learns from some, and is judged on others."""

    def compute_losses(self, learnt: Ints, judged: Ints) -> Floats:
        """Return the loss of each judged demonstration after learning."""

    def estimate_rise(self, learnt: Ints, judged: Ints) -> Floats:
        """Return how much each judged loss rises when each learnt demonstration is left out: learnt × judged."""


@dataclass(frozen=True, slots=True, eq=False)
class WorthEstimate:
    """The worth of demonstrations with its interval, as a share of the mean loss; below 0 means better without."""

    value: Floats
    low: Floats
    high: Floats


def estimate_worth(
    learner: Learner,
    demonstrations: Ints,
    rng: np.random.Generator,
    judges: Ints | None = None,
    folds: int = 5,
    level: float = 0.95,
) -> WorthEstimate:
    """Estimate what each demonstration is worth to the others, or to the `judges` alone, by cross-fitting.

    A judge is never learnt from while it judges. The interval spans the judges' disagreement.
    """
    from scipy.special import stdtrit

    place = {int(one): at for at, one in enumerate(demonstrations)}
    total, squared, count = (np.zeros(len(demonstrations)) for _ in range(3))
    whole: list[float] = []
    for learnt, judged in split_into_folds(demonstrations, judges, folds, rng):
        rise = learner.estimate_rise(learnt, judged)
        at = np.array([place[int(one)] for one in learnt])
        total[at] += rise.sum(axis=1)
        squared[at] += (rise**2).sum(axis=1)
        count[at] += len(judged)
        whole.extend(learner.compute_losses(learnt, judged).tolist())
    scale = max(float(np.mean(whole)), np.finfo(float).tiny)
    mean = total / count
    spread = np.sqrt(np.maximum(squared / count - mean**2, 0) / np.maximum(count - 1, 1))
    half = stdtrit(np.maximum(count - 1, 1), (1 + level) / 2) * spread
    return WorthEstimate(mean / scale, (mean - half) / scale, (mean + half) / scale)


def split_into_folds(
    demonstrations: Ints, judges: Ints | None, folds: int, rng: np.random.Generator
) -> Iterator[tuple[Ints, Ints]]:
    """Yield what is learnt and what judges, so that each judge judges once and is then not learnt from."""
    chosen = demonstrations if judges is None else judges
    if len(chosen) < folds or len(demonstrations) <= folds:
        raise BadInput(
            f"{len(demonstrations)} demonstrations, {len(chosen)} of them to judge by, are too few for {folds} folds."
        )
    for judged in np.array_split(rng.permutation(chosen), folds):
        yield np.setdiff1d(demonstrations, judged), np.sort(judged)
