"""Find the deployed stratum of an attempt from its logged conditions."""

import math
from collections.abc import Iterable, Sequence

from fieldloop.errors import BadInput
from fieldloop.model.condition import Exposure, Stratum


class Narrowest:
    """Finds, among strata, the one with most conditions that covers a logged one.

    Strata may have different factors, so a logged one is tried with each set of factors, the largest first.
    """

    def __init__(self, strata: Sequence[Stratum], texts: Sequence[str] | None = None) -> None:
        """Keep the strata by position, of equal ones the first; by their texts, which hash many times faster."""
        written = list(map(str, strata)) if texts is None else texts
        self._at = dict(zip(reversed(written), reversed(range(len(written))), strict=True))
        sets = {tuple([c.factor for c in stratum.conditions]) for stratum in strata}
        self.sets = sorted(map(frozenset, sets), key=lambda names: (-len(names), sorted(names)))

    def find_position(self, logged: Stratum) -> int | None:
        """Return the position of the stratum that this one lies in; None where there is none."""
        for names in self.sets:
            at = self._at.get(str(logged.only(names)))
            if at is not None:
                return at
        return None


class Places:
    """The deployed strata with their shares of production, largest first, and a lookup from logged strata."""

    def __init__(self, exposures: Iterable[Exposure], factors: Iterable[str] | None = None) -> None:
        """Merge strata that differ in nothing but factors left out."""
        kept = None if factors is None else frozenset(factors)
        shares: dict[str, float] = {}
        strata: dict[str, Stratum] = {}
        for exposure in exposures:
            if not (math.isfinite(exposure.share) and exposure.share >= 0.0):
                raise BadInput(
                    f"The share of {exposure.stratum} is {exposure.share!r}; give a number from 0 to 1 in the map."
                )
            stratum = exposure.stratum if kept is None else exposure.stratum.only(kept)
            text = ",".join([f"{c.factor}={c.level}" for c in stratum.conditions])
            strata[text] = stratum
            shares[text] = shares.get(text, 0.0) + exposure.share
        ordered = sorted(shares, key=lambda text: (-shares[text], text))
        self.strata = [strata[text] for text in ordered]
        self.shares = [shares[text] for text in ordered]
        self._narrowest = Narrowest(self.strata, ordered)

    def find_position(self, logged: Stratum) -> int | None:
        """Return the position of the deployed stratum that this one lies in; None where there is none."""
        return self._narrowest.find_position(logged)
