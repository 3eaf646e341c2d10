"""Sets of explanations compete: each set's evidence times what is believed of its members beforehand.

Pairs of causes hide each other from whoever looks at one at a time. The walk starts with nothing and with everything
that is suspected beforehand; it adds, drops and exchanges as long as that makes the set more probable. All sets
that were met and are not far less probable than the best count in the answer (Occam's window: Madigan and Raftery,
JASA 1994).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fieldloop.diagnose.explanation import TIME, Explanation, Kind
from fieldloop.diagnose.laplace import Fitted, Mask, Rows
from fieldloop.diagnose.nature import Nature
from fieldloop.diagnose.table import Floats
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section

TRIED = 6
"""How many of the most promising are fitted before one is added."""
EXCHANGED = 3
SAME_FACTOR = 2
"""Of neighbouring cuts of one number a few are tried, so that other factors come in too."""
MOST_ROUNDS = 12
TINY = 1e-12
WITHOUT_REASON = (Kind.EVERYWHERE, Kind.DAY, Kind.GROWTH)


@dataclass(frozen=True)
class Told:
    """A set that was looked at: members, their fit, and the log of its probability up to a constant."""

    members: tuple[int, ...]
    fitted: Fitted
    score: float


class Sets:
    """All explanations of one diagnosis, and the sets of them that were met."""

    def __init__(self, nature: Nature, options: Sequence[Explanation], settings: Section) -> None:
        """Lay out the columns."""
        self.nature, self.options, self.settings = nature, list(options), settings
        self.rows = Rows(nature)
        self.matrix = np.column_stack([o.rows for o in options])
        self._pointed = _pointed(self.matrix)
        self._twins = settings.number("confounded_overlap")
        self.prior = np.array([o.log_odds for o in options])
        self.middle = -np.array([o.loss.middle for o in options])
        self.spread = np.array([o.loss.spread for o in options])
        self.apart = np.array([o.gap is Gap.INFRASTRUCTURE for o in options])
        self._names = ["|".join([o.gap, *(c.factor for c in o.stratum.conditions)]) for o in options]
        self._named = [
            name if o.kind in (Kind.STEP, Kind.RISE) else f"{o.stratum}|{o.kind in (Kind.LATER, Kind.DAY)}|{o.gap}"
            for name, o in zip(self._names, options, strict=True)
        ]
        self.met: dict[tuple[int, ...], Told | None] = {}
        self._all = np.ones(len(self.options), dtype=bool)
        self._reasoned = np.array([o.kind not in WITHOUT_REASON for o in options])

    @cached_property
    def produced(self) -> Floats:
        """Columns in production alone, around their means and of length one."""
        return _pointed(self.matrix[self.nature.production])

    @cached_property
    def nothing(self) -> Told:
        """The empty set."""
        found = self._look(())
        if found is None:
            raise AssertionError  # the empty set takes nothing off
        return found

    def best(self) -> Told:
        """Walk from nothing and from all suspects; return the most probable set."""
        starts = [self.nothing, self._pruned(self._suspects())]
        # what needs no reason fits anything, so it may only take what sets of reasons have left
        for start in starts:
            self._climb(self._climb(start, self._reasoned), self._all)
        return next(one for one in self._ordered() if not self._said_shorter(one))

    def window(self, best: Told) -> list[tuple[Told, float]]:
        """Sets that are not far less probable than the best, with their probabilities.

        What another set says more simply and no less probably does not count beside it, as Madigan and Raftery have it.
        """
        depth = self.settings.number("window")
        kept = [one for one in self._ordered() if one.score >= best.score - depth and not self._said_shorter(one)]
        weight = np.exp([one.score - best.score for one in kept])
        return list(zip(kept, (weight / weight.sum()).tolist(), strict=True))

    def _ordered(self) -> list[Told]:
        """All sets that were met, the most probable first."""
        return sorted((one for one in self.met.values() if one), key=lambda one: (-one.score, one.members))

    def alike(self, member: int) -> set[int]:
        """What says the same: another cut of a number, another day of a condition, a cause of the same gap there."""
        own = self.options[member]
        if own.kind in (Kind.STEP, Kind.RISE):
            return {at for at, name in enumerate(self._names) if name == self._names[member]}
        return {at for at, one in enumerate(self.options) if _place(one) == _place(own)}

    def evidence(self, members: tuple[int, ...]) -> float:
        """How well outcomes are explained by a set, whatever was believed of it (log)."""
        found = self._look(members, self.nothing)
        return (found.fitted if found else self._fit(members, self.nothing)).evidence

    def _look(self, members: tuple[int, ...], near: Told | None = None) -> Told | None:
        """Fit a set; None where one of its members would not lose anything."""
        members = tuple(sorted(members))
        if members not in self.met:
            own = list(members)
            fitted = self._fit(members, near)
            effects = fitted.coefficients[len(self.nature.mean) :]
            score = fitted.evidence + self.prior[own].sum()
            self.met[members] = Told(members, fitted, float(score)) if (effects < 0.0).all() else None
        return self.met[members]

    def _fit(self, members: tuple[int, ...], near: Told | None) -> Fitted:
        """Fit from where a set that is much alike ended."""
        own, start = list(members), None
        if near is not None:
            size = len(self.nature.mean)
            known = dict(zip(near.members, near.fitted.coefficients[size:].tolist(), strict=True))
            effects = [known.get(m, float(self.middle[m]) / 2.0) for m in own]
            start = (np.append(near.fitted.coefficients[:size], effects), near.fitted.days)
        return self.rows.fit(self.matrix[:, own], self.apart[own], self.middle[own], self.spread[own], start)

    def _suspects(self) -> tuple[int, ...]:
        """What is suspected beforehand; of suspects that say the same, the one that promises most."""
        promise, chosen = self._promise(self.nothing), []
        free = self.prior >= 0.0
        for one in np.argsort(-promise, kind="stable").tolist():
            if free[one]:
                chosen.append(one)
                free[self._again((one,))] = False
        return tuple(chosen)

    def _pruned(self, members: tuple[int, ...]) -> Told:
        """Leave out, one by one, what would not lose anything beside the others."""
        while members:
            found = self._look(members, self.nothing)
            if found is not None:
                return found
            effects = self._fit(members, self.nothing).coefficients[len(self.nature.mean) :]
            members = tuple(m for at, m in enumerate(members) if at != int(np.argmax(effects)))
        return self.nothing

    def _climb(self, at: Told, allowed: Mask) -> Told:
        """Add, drop and exchange until nothing makes the set more probable."""
        most = int(self.settings.number("most_causes"))
        for _ in range(MOST_ROUNDS):
            better = self._better(at, self._smaller(at))
            if better is at and len(at.members) < most:
                better = self._better(at, [(*at.members, one) for one in self._promising(at, TRIED, allowed)])
            if better is at:
                better = self._better(at, self._exchanged(at, allowed))
            if better is at:
                better = self._better(at, self._as_one(at, allowed))
            if better is at:
                return at
            at = better
        return at

    def _better(self, at: Told, sets: Sequence[tuple[int, ...]]) -> Told:
        looked = [self._look(one, at) for one in sets]
        return max((one for one in (at, *looked) if one is not None), key=lambda one: one.score)

    def _smaller(self, at: Told) -> list[tuple[int, ...]]:
        return [tuple(m for m in at.members if m != out) for out in at.members]

    def _exchanged(self, at: Told, allowed: Mask) -> list[tuple[int, ...]]:
        made = []
        for smaller in self._smaller(at):
            found = self._look(smaller, at)
            if found is not None:
                made += [(*smaller, one) for one in self._promising(found, EXCHANGED, allowed) if one not in at.members]
        return made

    def _as_one(self, at: Told, allowed: Mask) -> list[tuple[int, ...]]:
        """Several places of one factor, or all that changed, in exchange for one thing that happened to everything.

        One by one they would never go: each alone leaves the others' rows to be explained twice.
        """
        made = []
        for several in self._together(at):
            rest = self._look(tuple(m for m in at.members if m not in several), at)
            if rest is not None:
                found = self._promising(rest, EXCHANGED, allowed & ~self._reasoned)
                made += [(*rest.members, one) for one in found]
        return made

    def _said_shorter(self, one: Told) -> bool:
        """Are several places of one factor nearly all of production, and is it better said of everything?

        That one of them was never shown speaks for no change at the others: there belief does not count beside it.
        """
        for several in self._together(one):
            believed = np.maximum(self.prior[sorted(several)], 0.0).sum()
            said = one.score - (believed if self.prior[sorted(several)].min() < 0.0 else 0.0)
            rows = self.matrix[:, sorted(several)].max(axis=1)
            both = rows @ self.matrix
            same = both >= self.settings.number("nearly_all") * (rows.sum() + self.matrix.sum(axis=0) - both)
            rest = [m for m in one.members if m not in several]
            whole = np.flatnonzero(same & ~self._reasoned).tolist()
            shorter = [self.met.get(tuple(sorted((*rest, at)))) for at in whole]
            if any(other is not None and other.score >= said for other in shorter):
                return True
        return False

    def _together(self, at: Told) -> list[set[int]]:
        """Members that are levels of one factor, and members that are changes, where there are several."""
        groups: dict[str, set[int]] = {}
        for member in at.members:
            one = self.options[member]
            if one.kind in (Kind.CONDITION, Kind.LATER):
                groups.setdefault(one.stratum.conditions[0].factor, set()).add(member)
            if one.kind is Kind.LATER:
                groups.setdefault(TIME, set()).add(member)
        return [several for several in groups.values() if len(several) > 1]

    def _again(self, members: tuple[int, ...]) -> list[int]:
        """What says the same as a member: another cut of its number, another day of its condition, the same rows."""
        used = {self._named[m] for m in members}
        alike = (self._pointed.T @ self._pointed[:, list(members)]).max(axis=1, initial=-1.0) >= self._twins
        return [k for k, name in enumerate(self._named) if name in used or alike[k]]

    def _promise(self, at: Told) -> Floats:
        """How much the addition of each would gain, were the posterior quadratic."""
        columns = self.matrix[:, list(at.members)]
        slope, told = self.rows.told(at.fitted, columns, self.apart[list(at.members)], self.matrix, self.apart)
        return np.asarray(self.prior + _gain(slope, told, self.middle, self.spread**2))

    def _promising(self, at: Told, count: int, allowed: Mask) -> list[int]:
        """Those whose addition would gain most."""
        gained = self._promise(at)
        gained[list(at.members)] = -np.inf
        gained[~allowed] = -np.inf
        gained[self._again(at.members)] = -np.inf
        seen: dict[str, int] = {}
        chosen: list[int] = []
        for one in np.argsort(-gained, kind="stable").tolist():
            name = self._names[one]
            if seen.get(name, 0) < SAME_FACTOR and np.isfinite(gained[one]):
                seen[name] = seen.get(name, 0) + 1
                chosen.append(one)
            if len(chosen) == count:
                break
        return chosen


def _place(one: Explanation) -> tuple[Gap, Stratum, bool]:
    """Which gap it is and where, whatever the day; a loss everywhere that has no day is another."""
    return one.gap, one.where, one.kind is Kind.DAY


def _pointed(columns: Floats) -> Floats:
    """Columns around their means, of length one; of a constant one nothing is left."""
    centred = columns - columns.mean(axis=0)
    return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=0), TINY))


def _gain(slope: Floats, told: Floats, middle: Floats, variance: Floats) -> Floats:
    """Log of how much better the outcomes are explained by an effect with this middle and variance than by none."""
    shrunk = 1.0 + variance * told
    gained = (middle * slope - 0.5 * told * np.square(middle) + 0.5 * variance * np.square(slope)) / shrunk
    return np.asarray(gained - 0.5 * np.log(shrunk))
