"""What a budget buys: good demonstrations by people, and simulated ones, which cost and teach less."""

from dataclasses import dataclass

import numpy as np

from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Bought:
    """By stratum: good demonstrations that people make, and simulated ones."""

    real: Floats
    simulated: Floats

    def add(self, other: "Bought") -> "Bought":
        """Return both together."""
        return Bought(self.real + other.real, self.simulated + other.simulated)

    def compute_real_equivalent(self, worth: float) -> Floats:
        """Return the equivalent number of real demonstrations, where a simulated one is worth that share."""
        return np.asarray(self.real + worth * self.simulated)

    def compute_cost(self, gain: Gain) -> float:
        """Return their cost, including failed tries."""
        return float(self.real @ gain.price + self.simulated.sum() * gain.settings.number("simulation_cost"))


def count_as_made_by_people(good: Floats) -> Bought:
    """Return demonstrations that are all made by people."""
    return Bought(good, np.zeros(len(good)))
