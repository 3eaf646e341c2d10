"""Search over sets of explanations: the posterior of a set is its evidence times the priors of its members.

Causes mask each other, so testing one at a time misses them. The search starts from the empty set and from all
explanations with a high prior; it adds, drops and exchanges members while that makes the set more probable. All visited
sets that are not far less probable than the best count in the answer (Occam's window: Madigan and Raftery, JASA 1994).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fieldloop.diagnose.explanations.explanation import TIME, Explanation, Kind
from fieldloop.diagnose.explanations.inherent import InherentDifficulty
from fieldloop.diagnose.inference.coding import code_columns, worth_coding
from fieldloop.diagnose.inference.columns import CodedColumns, Floats
from fieldloop.diagnose.inference.correlated import Correlated
from fieldloop.diagnose.inference.laplace import Fitted, LaplaceModel, Mask, divide_by_action
from fieldloop.diagnose.inference.number_columns import code_by_number
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section

TRIED = 6
"""Number of candidates that are fitted before one is added."""
EXCHANGED = 3  # number of candidates tried in the place of a member
SAME_FACTOR = 2
"""Number of neighbouring cuts of one number that are tried, so that other factors are tried too."""
MOST_ROUNDS = 12  # rounds of the search; it stops when nothing is gained
WITHOUT_REASON = (Kind.EVERYWHERE, Kind.DAY, Kind.GROWTH)


@dataclass(frozen=True)
class FittedSet:
    """A visited set: its members, their fit, and its log posterior up to a constant."""

    members: tuple[int, ...]
    fit: Fitted
    score: float


class Sets:
    """All explanations of one diagnosis, and the sets of them that were visited."""

    def __init__(
        self,
        inherent: InherentDifficulty,
        explanations: Sequence[Explanation],
        settings: Section,
        numbers: Mapping[str, Floats] | None = None,
    ) -> None:
        """Build the columns; `numbers` are those of telemetry in all rows, on which some explanations depend."""
        self.inherent, self.explanations, self.settings = inherent, list(explanations), settings
        self.model = LaplaceModel(inherent)
        self.columns = _code_explanations(explanations, len(inherent.success), numbers or {})
        self._same_rows = settings.number("confounded_overlap")
        self.prior = np.array([o.log_odds for o in explanations])
        self.prior_mean = -np.array([o.loss.mean for o in explanations])
        self.spread = np.array([o.loss.spread for o in explanations])
        self.multiplicative = np.array([o.multiplies for o in explanations])
        self._factor_names = ["|".join([o.gap, *(c.factor for c in o.stratum.conditions)]) for o in explanations]
        self._same_names = [
            name if o.kind in (Kind.STEP, Kind.RISE) else f"{o.stratum}|{o.kind in (Kind.LATER, Kind.DAY)}|{o.gap}"
            for name, o in zip(self._factor_names, explanations, strict=True)
        ]
        self.visited: dict[tuple[int, ...], FittedSet | None] = {}
        self._gains: dict[tuple[int, ...], Floats] = {}
        self._all = np.ones(len(self.explanations), dtype=bool)
        self._candidates = divide_by_action(self.columns, self.multiplicative)
        self._reasoned = np.array([o.kind not in WITHOUT_REASON for o in explanations])

    @cached_property
    def _everywhere(self) -> Correlated:
        return Correlated(self.columns)

    @cached_property
    def _in_production(self) -> Correlated:
        return Correlated(self.columns.among(self.inherent.production))

    def similarity(self, member: int) -> Floats:
        """Correlate the production rows of each explanation with those of this one."""
        return np.asarray(self._in_production.correlate([member])[:, 0])

    def take(self, members: Sequence[int]) -> CodedColumns:
        """Return the columns of some explanations, coded together."""
        several = self.columns.take(list(members))
        return code_columns(several.rows, several.size, enumerate(several.unpack().T))

    @cached_property
    def empty_set(self) -> FittedSet:
        """Return the fit without any explanation."""
        fitted = self._visit(())
        if fitted is None:
            raise AssertionError  # without members none can have a positive effect
        return fitted

    def best(self) -> FittedSet:
        """Search from the empty set and from all suspects; return the most probable set."""
        starts = [self.empty_set, self._prune(self._suspects())]
        # explanations without a reason fit anything, so they may only explain what the others leave
        for start in starts:
            self._climb(self._climb(start, self._reasoned), self._all)
        return next(one for one in self._sets_by_score() if not self._is_dominated(one))

    def window(self, best: FittedSet) -> list[tuple[FittedSet, float]]:
        """Return sets that are not far less probable than the best, with their posterior probabilities.

        A set is left out where a simpler one is at least as probable (Madigan and Raftery).
        """
        depth = self.settings.number("window")
        kept = [one for one in self._sets_by_score() if one.score >= best.score - depth and not self._is_dominated(one)]
        weight = np.exp([one.score - best.score for one in kept])
        return list(zip(kept, (weight / weight.sum()).tolist(), strict=True))

    def _sets_by_score(self) -> list[FittedSet]:
        """Return all visited sets, the most probable first."""
        return sorted((one for one in self.visited.values() if one), key=lambda one: (-one.score, one.members))

    def equivalent(self, member: int) -> set[int]:
        """Return equivalent explanations: another cut of a number, another day of a condition, the same gap there."""
        wanted = self.explanations[member]
        if wanted.kind in (Kind.STEP, Kind.RISE):
            return {at for at, name in enumerate(self._factor_names) if name == self._factor_names[member]}
        return {
            at for at, one in enumerate(self.explanations) if _gap_and_conditions(one) == _gap_and_conditions(wanted)
        }

    def evidence(self, members: tuple[int, ...]) -> float:
        """Return the log evidence of a set, without priors."""
        fitted = self._visit(members, self.empty_set)
        return (fitted.fit if fitted else self._fit(members, self.empty_set)).evidence

    def _visit(self, members: tuple[int, ...], near: FittedSet | None = None) -> FittedSet | None:
        """Fit a set; None where one of its members would raise success."""
        members = tuple(sorted(members))
        if members not in self.visited:
            columns = list(members)
            fitted = self._fit(members, near)
            effects = fitted.coefficients[len(self.inherent.mean) :]
            score = fitted.evidence + self.prior[columns].sum()
            self.visited[members] = FittedSet(members, fitted, float(score)) if (effects < 0.0).all() else None
        return self.visited[members]

    def _fit(self, members: tuple[int, ...], near: FittedSet | None) -> Fitted:
        """Fit a set, starting from the fit of a similar one."""
        columns, start = list(members), None
        if near is not None:
            size = len(self.inherent.mean)
            known = dict(zip(near.members, near.fit.coefficients[size:].tolist(), strict=True))
            effects = [known.get(m, float(self.prior_mean[m]) / 2.0) for m in columns]
            start = (np.append(near.fit.coefficients[:size], effects), near.fit.days)
        return self.model.fit(
            self.take(columns), self.multiplicative[columns], self.prior_mean[columns], self.spread[columns], start
        )

    def _suspects(self) -> tuple[int, ...]:
        """Return explanations with even or higher prior odds; of equivalent ones the most promising."""
        gain, chosen = self._expected_gain(self.empty_set), []
        free = self.prior >= 0.0
        for suspect in np.argsort(-gain, kind="stable").tolist():
            if free[suspect]:
                chosen.append(suspect)
                free[self._redundant((suspect,))] = False
        return tuple(chosen)

    def _prune(self, members: tuple[int, ...]) -> FittedSet:
        """Drop, one by one, members that would raise success beside the others."""
        while members:
            fitted = self._visit(members, self.empty_set)
            if fitted is not None:
                return fitted
            effects = self._fit(members, self.empty_set).coefficients[len(self.inherent.mean) :]
            members = tuple(m for at, m in enumerate(members) if at != int(np.argmax(effects)))
        return self.empty_set

    def _climb(self, at: FittedSet, allowed: Mask) -> FittedSet:
        """Add, drop and exchange until nothing makes the set more probable."""
        most = int(self.settings.number("most_causes"))
        for _ in range(MOST_ROUNDS):
            better = self._best_of(at, self._smaller_sets(at))
            if better is at and len(at.members) < most:
                better = self._best_of(at, [(*at.members, one) for one in self._most_promising(at, TRIED, allowed)])
            if better is at:
                better = self._best_of(at, self._exchanged_sets(at, allowed))
            if better is at:
                better = self._best_of(at, self._merged_sets(at, allowed))
            if better is at:
                return at
            at = better
        return at

    def _best_of(self, at: FittedSet, sets: Sequence[tuple[int, ...]]) -> FittedSet:
        fitted = [self._visit(one, at) for one in sets]
        return max((one for one in (at, *fitted) if one is not None), key=lambda one: one.score)

    def _smaller_sets(self, at: FittedSet) -> list[tuple[int, ...]]:
        return [tuple(m for m in at.members if m != out) for out in at.members]

    def _exchanged_sets(self, at: FittedSet, allowed: Mask) -> list[tuple[int, ...]]:
        made = []
        for smaller in self._smaller_sets(at):
            fitted = self._visit(smaller, at)
            if fitted is not None:
                made += [
                    (*smaller, one) for one in self._most_promising(fitted, EXCHANGED, allowed) if one not in at.members
                ]
        return made

    def _merged_sets(self, at: FittedSet, allowed: Mask) -> list[tuple[int, ...]]:
        """Exchange several levels of one factor, or all changes, for one explanation that affects everything.

        One by one they would never be dropped: each alone leaves the others' rows to be explained twice.
        """
        made = []
        for several in self._groups(at):
            rest = self._visit(tuple(m for m in at.members if m not in several), at)
            if rest is not None:
                promising = self._most_promising(rest, EXCHANGED, allowed & ~self._reasoned)
                made += [(*rest.members, one) for one in promising]
        return made

    def _is_dominated(self, fitted: FittedSet) -> bool:
        """Are several levels of one factor nearly all of production, and is one explanation of everything as probable?

        That one level was never demonstrated does not support a change at the others: there its prior does not count.
        """
        for several in self._groups(fitted):
            prior = np.maximum(self.prior[sorted(several)], 0.0).sum()
            score = fitted.score - (prior if self.prior[sorted(several)].min() < 0.0 else 0.0)
            rows = self.take(sorted(several)).unpack().max(axis=1)
            both = self.columns.sum(rows)
            same = both >= self.settings.number("nearly_all") * (rows.sum() + self._everywhere.totals - both)
            rest = [m for m in fitted.members if m not in several]
            whole = np.flatnonzero(same & ~self._reasoned).tolist()
            shorter = [self.visited.get(tuple(sorted((*rest, at)))) for at in whole]
            if any(other is not None and other.score >= score for other in shorter):
                return True
        return False

    def _groups(self, at: FittedSet) -> list[set[int]]:
        """Group members that are levels of one factor, and members that are changes, where there are several."""
        groups: dict[str, set[int]] = {}
        for member in at.members:
            explanation = self.explanations[member]
            if explanation.kind in (Kind.CONDITION, Kind.LATER):
                groups.setdefault(explanation.stratum.conditions[0].factor, set()).add(member)
            if explanation.kind is Kind.LATER:
                groups.setdefault(TIME, set()).add(member)
        return [several for several in groups.values() if len(several) > 1]

    def _redundant(self, members: tuple[int, ...]) -> list[int]:
        """Return explanations that repeat a member: another cut of its number, another day, the same rows."""
        used = {self._same_names[m] for m in members}
        alike = self._everywhere.correlate(members).max(axis=1, initial=-1.0) >= self._same_rows
        return [k for k, name in enumerate(self._same_names) if name in used or alike[k]]

    def _expected_gain(self, at: FittedSet) -> Floats:
        """Approximate the gain in log posterior from adding each explanation (quadratic approximation)."""
        if at.members not in self._gains:
            self._gains[at.members] = self._compute_gain(at)
        return self._gains[at.members].copy()

    def _compute_gain(self, at: FittedSet) -> Floats:
        present = divide_by_action(self.take(at.members), self.multiplicative[list(at.members)])
        score, information = self.model.score_and_information(at.fit, present, self._candidates)
        return np.asarray(self.prior + _log_bayes_factor(score, information, self.prior_mean, self.spread**2))

    def _most_promising(self, at: FittedSet, count: int, allowed: Mask) -> list[int]:
        """Return the explanations whose addition would gain most."""
        gained = self._expected_gain(at)
        gained[list(at.members)] = -np.inf
        gained[~allowed] = -np.inf
        gained[self._redundant(at.members)] = -np.inf
        seen: dict[str, int] = {}
        chosen: list[int] = []
        for candidate in np.argsort(-gained, kind="stable").tolist():
            name = self._factor_names[candidate]
            if seen.get(name, 0) < SAME_FACTOR and np.isfinite(gained[candidate]):
                seen[name] = seen.get(name, 0) + 1
                chosen.append(candidate)
            if len(chosen) == count:
                break
        return chosen


def _gap_and_conditions(explanation: Explanation) -> tuple[Gap, Stratum, bool]:
    """Return gap and conditions, whatever the day; a loss everywhere without a day is separate."""
    return explanation.gap, explanation.where, explanation.kind is Kind.DAY


def _code_explanations(explanations: Sequence[Explanation], rows: int, numbers: Mapping[str, Floats]) -> CodedColumns:
    """Code the columns of all explanations, those with the same factors next to each other."""
    order = sorted(range(len(explanations)), key=lambda at: _order_of_coding(explanations[at]))
    blocks = []
    for name, values in numbers.items() if worth_coding(rows) else ():
        of_number = [at for at in order if _depends_on(explanations[at], name)]
        block = code_by_number(values, ((at, explanations[at].rows) for at in of_number)) if of_number else None
        blocks += [block] if block is not None else []
    done = {at for block in blocks for at in block.at.tolist()}
    others = code_columns(rows, len(explanations), ((at, explanations[at].rows) for at in order if at not in done))
    return replace(others, blocks=(*others.blocks, *blocks))


def _depends_on(explanation: Explanation, number: str) -> bool:
    return explanation.kind in (Kind.STEP, Kind.RISE) and explanation.stratum.conditions[0].factor == number


def _order_of_coding(explanation: Explanation) -> tuple[bool, list[str], str]:
    factors = [c.factor for c in explanation.stratum.conditions]
    timed = str(explanation.stratum) if explanation.kind in (Kind.LATER, Kind.DAY) else ""
    return explanation.gap is Gap.INFRASTRUCTURE, factors, timed


def _log_bayes_factor(score: Floats, information: Floats, mean: Floats, variance: Floats) -> Floats:
    """Return the log Bayes factor of an effect with this prior over none, from score and information."""
    shrunk = 1.0 + variance * information
    gained = (mean * score - 0.5 * information * np.square(mean) + 0.5 * variance * np.square(score)) / shrunk
    return np.asarray(gained - 0.5 * np.log(shrunk))
