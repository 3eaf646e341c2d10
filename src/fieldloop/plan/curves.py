"""How failure falls with demonstrations: a power of their number, the exponent learnt from earlier rounds."""

from dataclasses import dataclass

import numpy as np

from fieldloop.plan.strata import Floats
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Curve:
    """What is left of a removable hazard after n demonstrations: ((n + k) / k) to the power -b."""

    exponent: float
    borrowed: float

    def left(self, shown: Floats) -> Floats:
        """The share of its hazard that a reason keeps after so many demonstrations.

        >>> Curve(0.5, 5.0).left(np.asarray([0.0, 15.0])).tolist()
        [1.0, 0.5]
        """
        return np.asarray(((shown + self.borrowed) / self.borrowed) ** -self.exponent)

    def left_of(self, shown: Floats, more: Floats) -> Floats:
        """The share of what is now left that so many more demonstrations leave."""
        return np.asarray(((shown + more + self.borrowed) / (shown + self.borrowed)) ** -self.exponent)


def prior_curve(settings: Section) -> Curve:
    """The curve to assume until rounds were scored."""
    return Curve(settings.number("learning_exponent"), settings.number("prior_demonstrations"))


def exponents(settings: Section, count: int) -> Floats:
    """Exponents that may be, evenly in ratio from slowest to fastest."""
    return np.geomspace(settings.number("learning_exponent_low"), settings.number("learning_exponent_high"), count)
