"""Learning curves: failure falls as a power of the demonstrations, with an exponent learnt from earlier rounds."""

from dataclasses import dataclass

import numpy as np

from fieldloop.plan.strata import Floats
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Curve:
    """What is left of a removable hazard after n demonstrations: ((n + k) / k) to the power -b."""

    exponent: float
    borrowed: float

    def compute_remaining_share(self, shown: Floats) -> Floats:
        """Return the share of its hazard that a reason keeps after so many demonstrations.

        >>> Curve(0.5, 5.0).compute_remaining_share(np.asarray([0.0, 15.0])).tolist()
        [1.0, 0.5]
        """
        return np.asarray(((shown + self.borrowed) / self.borrowed) ** -self.exponent)

    def compute_remaining_share_after_more(self, shown: Floats, more: Floats) -> Floats:
        """Return the share of the remaining hazard that so many more demonstrations leave."""
        return np.asarray(((shown + more + self.borrowed) / (shown + self.borrowed)) ** -self.exponent)


def make_prior_curve(settings: Section) -> Curve:
    """Return the curve to assume until plans were scored."""
    return Curve(settings.number("learning_exponent"), settings.number("prior_demonstrations"))


def list_plausible_exponents(settings: Section, count: int) -> Floats:
    """Return plausible exponents, geometrically spaced from slowest to fastest."""
    return np.geomspace(settings.number("learning_exponent_low"), settings.number("learning_exponent_high"), count)


def compute_exponent_penalty(tried: Floats, settings: Section) -> Floats:
    """Return the negative log prior of exponents, up to a constant."""
    away = np.log(tried / settings.number("learning_exponent")) / settings.number("learning_exponent_spread")
    return np.asarray(0.5 * away**2)
