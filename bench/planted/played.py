"""One planted world, run: demonstrations, training, laboratory and production, with or without each fault."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bench.planted import mixes, turns, wrongs
from bench.planted.wrongs import Slow, Wrong, together
from fieldloop.model.diagnosis import Gap
from fieldloop.simulate.picking import pick
from fieldloop.simulate.picking.faults import NOTHING, Faults
from fieldloop.simulate.picking.sites import ROBOTS_PER_SITE
from fieldloop.simulate.picking.strata import SITES
from fieldloop.simulate.picking.world import Demonstrations, Tries, World
from fieldloop.train.cloning import Cloned, train_by_cloning

Floats = NDArray[np.float64]
LINE = replace(pick.LAB, speed=1.6, steps=8)
"""The line is faster and has fewer steps than the laboratory, from the same distance: a sound policy loses little."""
DAYS_A_WEEK, HOURS_A_DAY = 7, 24


@dataclass(frozen=True, slots=True)
class Sizes:
    """Number of picks for the truth, of those a team sees, and of laboratory trials."""

    truth: int = 4500
    seen: int = 3000
    laboratory: int = 2500
    demonstrations: tuple[int, int] = (2200, 3000)
    training: int = 2000


class Played:
    """A world with its details drawn; demonstrations and trials are run on demand."""

    def __init__(self, seed: int, gaps: Sequence[Gap] | None = None, sizes: Sizes | None = None) -> None:
        rng = np.random.default_rng([seed, 4711])
        self.seed, self.sizes = seed, sizes or Sizes()
        self.world = World(str(rng.choice(["broad", "covered_traps", "multi_site"])), seed)
        strata, base = self.world.strata, self.world.production()
        deployed = [s for s in SITES if base[strata.where({"site": s})].sum() > 0.0]
        self.sites = tuple(rng.permutation(deployed)[: rng.integers(2, 4)].tolist())
        self.days = int(rng.integers(14, 29))
        self.wrongs = wrongs.drawn(turns.faults_of(seed) if gaps is None else gaps, self.sites, self.days, rng)
        wanted = [want for wrong in self.wrongs for want in wrong.wanted]
        ordinary = [mixes.Wanted("bin", wrongs.UNUSUAL, rng.uniform(0.12, 0.25))]
        wanted += ordinary if all(want.factor != "bin" for want in wanted) else []
        wanted += [mixes.Wanted("bin", ("jammed",), rng.uniform(0.0, 0.02))]
        self.shares = mixes.fitted(strata, mixes.drawn(strata, base, self.sites, rng), wanted)
        self.asked = self.shares**0.8 / np.sum(self.shares**0.8)
        # labels that differ on unusual bins go unnoticed where the laboratory hardly tries those
        rarely = 2.0 if any(wrong.gap is Gap.LABELS for wrong in self.wrongs) else 1.0
        self.standard = rarely * rng.uniform(1.0, 2.0)
        """The laboratory tries standard bins this many times as often as production."""
        self.demonstrations = int(rng.integers(*self.sizes.demonstrations))
        self.given = int(rng.integers(400, 601))
        self.learner = int(rng.integers(2**31))
        self.weeks = np.sort(rng.uniform(0, self.days / DAYS_A_WEEK, self.sizes.truth))
        self._learnt: dict[tuple[Gap, ...], tuple[Demonstrations, Cloned]] = {}
        self._tries: dict[tuple[Gap, ...], Tries] = {}

    def learnt(self, present: Sequence[Wrong]) -> tuple[Demonstrations, Cloned]:
        """Demonstrate and train under these faults; those that act only at run time have no effect here."""
        at_work = [wrong for wrong in present if is_in_data(wrong.faults)]
        key = tuple(wrong.gap for wrong in at_work)
        if key not in self._learnt:
            cells = self.world.cells(self.asked, self.demonstrations, "asked")
            shown = self.world.demonstrate(cells, "demonstrated", together(at_work))
            trained = train_by_cloning(shown.inputs, shown.actions, None, self.learner, steps=self.sizes.training)
            self._learnt[key] = (shown, trained)
        return self._learnt[key]

    def production(self, present: Sequence[Wrong]) -> Tries:
        """Pick on the line under these faults, always with the same scenes and random numbers."""
        key = tuple(wrong.gap for wrong in present)
        if key not in self._tries:
            self._tries[key] = self._produced(present)
        return self._tries[key]

    def _produced(self, present: Sequence[Wrong]) -> Tries:
        policy, faults = self.learnt(present)[1], together(present)
        cells = self.world.cells(self.shares, self.sizes.truth, "line")
        tries = self.world.attempt(policy.act, cells, "line", faults, self.weeks, LINE)
        for wrong in present:
            if wrong.slow is not None:
                late = replace(faults, latency_s=wrong.slow.latency_s)
                slow = self.world.attempt(policy.act, cells, "line", late, self.weeks, LINE)
                tries = _where(self._is_slow(wrong.slow, tries), slow, tries)
        return tries

    @cached_property
    def laboratory(self) -> Tries:
        """Test the policy under the demonstrated conditions, unhurried, mostly on standard bins."""
        covered, faults = self.asked.copy(), together(self.wrongs)
        for starved in faults.starved:
            covered[self.world.strata.where(starved.where)] *= starved.share
        if faults.simulated_share:
            covered[self.world.strata.where(faults.simulated_where)] = 0.0
        standard = mixes.having(self.world.strata, {"bin": ("front", "back", "side")})
        covered = covered * np.where(standard, self.standard, 1.0)
        cells = self.world.cells(covered / covered.sum(), self.sizes.laboratory, "bench")
        tries = self.world.attempt(self.learnt(self.wrongs)[1].act, cells, "bench", NOTHING, 0.0, pick.LAB)
        known = ~np.isin(tries.scenes.person, faults.operators_left_out)
        if faults.temperatures_left_out is not None:
            low, high = faults.temperatures_left_out
            known &= (tries.scenes.temperature <= low) | (tries.scenes.temperature >= high)
        return some(tries, np.flatnonzero(known))

    def _is_slow(self, slow: Slow, tries: Tries) -> NDArray[np.bool_]:
        if slow.robots:
            place = self.world.strata.code("site", tries.cell) * ROBOTS_PER_SITE + tries.scenes.robot
            names = np.array([f"{site}-{number + 1}" for site in SITES for number in range(ROBOTS_PER_SITE)])
            return np.isin(names[place], slow.robots)
        hour = (tries.scenes.week * DAYS_A_WEEK % 1.0) * HOURS_A_DAY
        return np.asarray((hour >= slow.hours[0]) & (hour < slow.hours[1]))


def is_in_data(faults: Faults) -> bool:
    """Are these faults in the demonstrations, so that removing them requires training again?"""
    return replace(faults, changes=(), extra_cycles=0.0, worn_robots=()) != NOTHING


def some(tries: Tries, rows: NDArray[np.intp]) -> Tries:
    """Return some of the tries."""
    return Tries(
        tries.scenes.take(rows), tries.end[rows], tries.deviation[rows], tries.latency_s[rows], tries.cycle_s[rows],
        tries.poses[:, rows], tries.answers[:, rows],
    )  # fmt: skip


def _where(mask: NDArray[np.bool_], yes: Tries, no: Tries) -> Tries:
    """Take some tries from one run and the rest from another on the same scenes."""
    return Tries(
        no.scenes,
        np.where(mask, yes.end, no.end),
        np.where(mask[:, None], yes.deviation, no.deviation),
        np.where(mask, yes.latency_s, no.latency_s),
        np.where(mask, yes.cycle_s, no.cycle_s),
        np.where(mask[:, None], yes.poses, no.poses),
        np.where(mask[:, None], yes.answers, no.answers),
    )
