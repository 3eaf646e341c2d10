"""One world of the later family, run: a sound world of the first family with a twist."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.planted import mixes
from bench.planted.later import twists
from bench.planted.later.floor import Floor
from bench.planted.played import DAYS_A_WEEK, Played, Sizes, some
from bench.planted.wrongs import Scope, Slow, Wrong
from fieldloop.model.diagnosis import Gap
from fieldloop.simulate.picking.faults import NOTHING
from fieldloop.simulate.picking.world import Tries

Floats = NDArray[np.float64]


class Later(Played):
    """A world with its details drawn; demonstrations and trials are run on demand."""

    def __init__(self, seed: int, gap: Gap | None, sizes: Sizes | None = None) -> None:
        super().__init__(seed, (), sizes)
        rng = np.random.default_rng([seed, 2718])
        self.wrongs, self.twist = twists.drawn(gap, Scope(self.sites, self.days, ()), rng)
        self.world = Floor(self.world.preset.name, seed, self.twist)
        wanted = [*self.twist.wanted, *(want for wrong in self.wrongs for want in wrong.wanted)]
        self.shares = mixes.fitted(self.world.strata, self.shares, wanted)
        self.asked = self._asked(self.shares**0.8)
        self.standard *= self.twist.standard
        if self.twist.crew:
            self.weeks = self._weeks(rng)

    def _asked(self, often: Floats) -> Floats:
        for site, share in self.twist.few.items():
            often = often * np.where(self.world.strata.where({"site": site}), share, 1.0)
        return np.asarray(often / often.sum())

    def _weeks(self, rng: np.random.Generator) -> Floats:
        """Draw when each bin is picked from: evenly over the days, and bins of the new crew only after it came."""
        cells = self.world.cells(self.shares, self.sizes.truth, "line")
        person = self.world.scenes(cells, "line", NOTHING, 0.0, demonstrating=False).person
        is_new, end = np.isin(person, self.twist.crew), self.days / DAYS_A_WEEK
        since = self.twist.crew_from_week
        before = ~is_new & (rng.random(len(cells)) < since / end / (1 - is_new.mean()))
        when = rng.random(len(cells))
        return np.asarray(np.where(before, when * since, since + when * (end - since)))

    def _produced(self, present: Sequence[Wrong]) -> Tries:
        return some(super()._produced(present), np.argsort(self.weeks, kind="stable"))

    def _is_slow(self, slow: Slow, tries: Tries) -> NDArray[np.bool_]:
        return super()._is_slow(slow, tries) & (tries.scenes.week >= self.twist.slow_from_week)
