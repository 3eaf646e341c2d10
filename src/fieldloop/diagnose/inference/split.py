"""Split a loss into mix (harder known conditions), mechanism (worse than expected) and unseen (never demonstrated)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.diagnosis import Kinds

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Split:
    """Three parts that add up to the loss exactly (Kitagawa decomposition, with the unseen separate as in DISDE)."""

    loss: float
    mix: float
    mechanism: float
    unseen: float

    def share(self, part: float) -> float:
        """Return a part as a share of the loss; 0 without a loss."""
        return part / self.loss if self.loss > 0.0 else 0.0

    @property
    def kinds(self) -> Kinds:
        """Return the parts as a diagnosis states them."""
        return Kinds(self.mix, self.mechanism, self.unseen)


def divide(success: Floats, expected: Floats, unseen: Mask, baseline: float) -> Split:
    """Divide the loss of production against the baseline's rate, episode by episode."""
    weight = np.full(len(success), 1.0 / len(success))
    seen = np.where(unseen, 0.0, weight)
    return Split(
        loss=float(baseline - weight @ success),
        mix=float(seen @ (baseline - expected)),
        mechanism=float(seen @ (expected - success)),
        unseen=float((weight - seen) @ (baseline - success)),
    )
