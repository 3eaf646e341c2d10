"""Where is a loss concentrated? Every candidate is tried beside those already found; chance is measured, not assumed.

Raw failures would name what was always hard, so what is searched are losses against the baseline's expectation
(research methods C). Beside the noise of single episodes a candidate must rise above days that differ, above what the
baseline does not know, and above the differences that levels always have.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.beliefs import Believed
from fieldloop.diagnose.candidates import Candidate, Kind
from fieldloop.diagnose.expectation import Expectation
from fieldloop.diagnose.gaps import rank
from fieldloop.diagnose.joint import Joint, fit_jointly
from fieldloop.diagnose.spread import day_spread
from fieldloop.diagnose.table import Floats, Table
from fieldloop.model.condition import Stratum
from fieldloop.protocol import Section

TINY = 1e-9
EDGE = 1e-3


@dataclass(frozen=True)
class Found:
    """A candidate that carries loss: its score, its chance among all looked at, and what it may be instead."""

    candidate: Candidate
    score: float
    chance: float
    looked_at: int
    rivals: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Weighed:
    """What is known of every candidate before its losses: information, rows, the rate fitted there, other variance."""

    information: Floats
    size: Floats
    rate: Floats
    others: Floats
    elsewhere: Floats
    """Of the other variance, what does not come from days that differ."""


@dataclass(frozen=True)
class Scores:
    """How well every candidate fits, the evidence that it is no chance, and what a simulated repetition needs.

    The fit chooses between explanations; the evidence, in which differences that levels always have count against it,
    says whether there is anything to explain. That part grows no smaller with more episodes, so it cannot choose.
    """

    fit: Floats
    evidence: Floats
    signed: Floats
    cleared: Floats
    weighed: Weighed


class Search:
    """Looks for what carries the loss of one production table."""

    def __init__(
        self, before: Table, after: Table, expectation: Expectation, believed: Sequence[Believed], settings: Section
    ) -> None:
        """Prepare what every step needs."""
        self.after, self.settings = after, settings
        self.options = [b.candidate for b in believed]
        self.prior = np.array([b.log_prior for b in believed])
        self._at = {c.stratum: at for at, c in enumerate(self.options) if c.kind is Kind.CONDITION}
        self.design = expectation.design(self.after)
        self.expected = expectation.rates(self.design)
        self.covariance = expectation.covariance
        self.matrix = _stack([c.after for c in self.options], len(self.after))
        self.day_spread = day_spread(self.after, self.expected)
        self._by_day = np.argsort(self.after.clusters, kind="stable")
        self._starts = np.flatnonzero(np.diff(self.after.clusters[self._by_day], prepend=-1))
        earlier = _stack([c.before for c in self.options], len(before))
        usual = settings.number("ordinary_spread")
        expected = expectation.rates(expectation.design(before))
        self.known, unsure = _already_there(earlier, before.success, expected, usual)
        # that the baseline failed under a starved condition too is the same gap, met earlier, and excuses nothing
        hungry = [bool(expectation.starved.intersection(c.stratum.conditions)) for c in self.options]
        self.known = np.where(hungry, 0.0, self.known)
        self.unsure = unsure + np.array([b.untried for b in believed]) ** 2

    def test(self, fitted: Joint, columns: Floats) -> Scores:
        """Score every candidate as an addition to what is fitted."""
        weight, x = fitted.weights, self.matrix
        residual = fitted.rates - self.after.success
        inner = np.linalg.inv(columns.T @ (weight[:, None] * columns) + TINY * np.eye(columns.shape[1]))
        cleared = x - columns @ (inner @ (columns.T @ (weight[:, None] * x)))
        weighted = weight[:, None] * cleared
        information = np.maximum(np.einsum("ij,ij->j", weighted, cleared), TINY)
        unknown = self.design.T @ weighted
        days = np.add.reduceat(weighted[self._by_day], self._starts, axis=0) if len(x) else weighted
        elsewhere = np.einsum("ij,ij->j", unknown, self.covariance @ unknown) / information**2 + self.unsure
        shared = self.day_spread**2 * np.einsum("ij,ij->j", days, days) / information**2
        size = x.sum(axis=0)
        rate = (x.T @ fitted.rates) / np.maximum(size, TINY)
        weighed = Weighed(information, size, rate, shared + elsewhere, elsewhere)
        linear = cleared.T @ residual / information
        evidence = _evidence(linear, -self.known, weighed)
        noise = 1.0 / information + shared + elsewhere - self.unsure
        fit = _fit(linear - self.known, noise, weighed) + self.prior
        signed = np.where(linear > self.known, 1.0, -1.0) * np.sqrt(2.0 * evidence)
        return Scores(fit, evidence + self.prior, signed, cleared, weighed)

    def by_chance(self, fitted: Joint, scores: Scores, rng: np.random.Generator) -> Floats:
        """The largest evidence in repetitions in which nothing carries loss but what is fitted."""
        draws = int(self.settings.number("null_draws"))
        days = rng.normal(0.0, self.day_spread, (int(self.after.clusters.max()) + 1, draws))[self.after.clusters]
        odds = np.log(fitted.rates / (1.0 - fitted.rates))[:, None] + days
        again = rng.random((len(self.after), draws)) < 1.0 / (1.0 + np.exp(-odds))
        noise = rng.standard_normal((draws, len(self.options))) * np.sqrt(scores.weighed.elsewhere)
        pulled = (fitted.rates[:, None] - again).astype(np.float32).T @ scores.cleared.astype(np.float32)
        evidence = _evidence(pulled / scores.weighed.information, noise, scores.weighed)
        return np.asarray((evidence + self.prior).max(axis=1), dtype=np.float64)

    def find(self, rng: np.random.Generator, first: float, further: float, known: Sequence[Found] = ()) -> list[Found]:
        """Add one candidate after another to those known, each beside the others, until the next could be chance.

        `first` is the level of the first, `further` that of all others.
        """
        found = list(known)
        if not self.options or not len(self.after):
            return found
        by_chance: Floats | None = None
        named = {f.candidate.stratum for f in known}
        apart = np.array([0.0 if c.stratum not in named else -np.inf for c in self.options])
        while len(found) - len(known) < int(self.settings.number("most_causes")):
            columns = with_diffuse([f.candidate for f in found], len(self.after))
            fitted = fit_jointly(columns, self.after.success, self.expected)
            scores = self.test(fitted, columns)
            if by_chance is None:
                by_chance = self.by_chance(fitted, scores, rng)
            best = int(np.argmax(scores.fit + apart))
            chance = (1.0 + float((by_chance >= scores.evidence[best]).sum())) / (len(by_chance) + 1.0)
            if chance > (further if found else first) or any(self.options[best] is f.candidate for f in found):
                break
            best, rivals = self._named(self._simplest(best, fitted, columns, scores.fit), scores)
            found.append(Found(self.options[best], float(scores.evidence[best]), chance, len(self.options), rivals))
        return found

    def doses(self, columns: Floats) -> dict[str, float]:
        """For every number: how clearly loss goes with it within production, in standard errors."""
        scores = self.test(fit_jointly(columns, self.after.success, self.expected), columns)
        found: dict[str, float] = {}
        for one, score in zip(self.options, scores.signed.tolist(), strict=True):
            if one.kind in (Kind.STEP, Kind.RISE):
                name = one.stratum.conditions[0].factor
                found[name] = max(found.get(name, -np.inf), score)
        return found

    def _size(self, at: int) -> float:
        return float(self.options[at].after.mean())

    def _narrowest(self, best: int, fit: Floats) -> int:
        """Of the cuts of one number that are about as good, the one that holds least blames it for least."""
        name = self.options[best].stratum.conditions[0].factor
        near = np.flatnonzero(fit >= fit[best] - self.settings.number("number_handicap"))
        cuts = [at for at in near.tolist() if self.options[at].stratum.conditions[0].factor == name]
        return min(cuts, key=self._size)

    def _simplest(self, best: int, fitted: Joint, columns: Floats, fit: Floats) -> int:
        """A pair is named only where each of its conditions without the other goes well; else that condition is."""
        pair = self.options[best]
        if pair.kind in (Kind.STEP, Kind.RISE):
            return self._narrowest(best, fit)
        if pair.kind is not Kind.PAIR:
            return best
        worse = []
        for condition in pair.stratum.conditions:
            at = self._at.get(Stratum((condition,)))
            if at is not None:
                alone = self.matrix[:, at] * (1.0 - pair.after)
                score = self._score(alone, fitted, columns)
                if score > self.settings.number("beside_errors"):
                    worse.append((score, at))
        return max(worse)[1] if worse else best

    def _score(self, column: Floats, fitted: Joint, columns: Floats) -> float:
        """Losses in one column, in standard errors of single episodes."""
        weight = fitted.weights
        inner = np.linalg.pinv(columns.T @ (weight[:, None] * columns))
        cleared = column - columns @ (inner @ (columns.T @ (weight * column)))
        told = float(weight @ cleared**2)
        return float(cleared @ (fitted.rates - self.after.success)) / np.sqrt(told) if told > TINY else 0.0

    def _named(self, best: int, scores: Scores) -> tuple[int, tuple[Candidate, ...]]:
        """Choose among candidates that explain the same about as well, and return the others as rivals.

        Where two always go together their outcomes say nothing: what is believed beforehand decides, then simplicity.
        """
        one = scores.cleared[:, best]
        length = np.linalg.norm(scores.cleared, axis=0) * max(float(np.linalg.norm(one)), TINY)
        alike = (scores.cleared.T @ one) / np.maximum(length, TINY)
        near = scores.fit >= scores.fit[best] - self.settings.number("rival_log_odds")
        twins = alike >= self.settings.number("confounded_overlap")
        likely = np.flatnonzero(near & twins).tolist()
        chosen = min(
            [best, *likely], key=lambda at: (-self.prior[at], rank(self.options[at].stratum), self._size(at), at)
        )
        single = np.array([len(c.stratum.conditions) == 1 for c in self.options])
        rivals = near & (alike >= self.settings.number("rival_likeness")) | (twins & single)
        ordered = sorted(np.flatnonzero(rivals).tolist(), key=lambda at: -scores.fit[at])
        return chosen, tuple(self.options[at] for at in ordered if at != chosen)


def _evidence(linear: Floats, moved: Floats, weighed: Weighed) -> Floats:
    """Half the square of the loss on the log-odds in its errors, 0 for a gain; `moved` is added to the loss.

    The linear score overstates a large effect where nearly everything was expected to succeed, so the effect is taken
    where the rows inside ended; its error is the one that goes with the gain in likelihood, because at rates near
    nought the curvature there would call the largest effects the least certain (Hauck and Donner 1977).
    """
    rate = np.clip(weighed.rate, EDGE, 1.0 - EDGE)
    least = 0.5 / np.maximum(weighed.size, 1.0)
    seen = np.clip(rate - linear * rate * (1.0 - rate), least, 1.0 - least)
    effect = np.log(rate / (1.0 - rate)) - np.log(seen / (1.0 - seen))
    gain = weighed.information * _divergence(seen, rate) / (rate * (1.0 - rate))
    own = np.where(gain > TINY, effect**2 / np.maximum(2.0 * gain, TINY), 1.0 / weighed.information)
    return np.asarray(np.maximum(effect + moved, 0.0) ** 2 / (own + weighed.others) / 2.0)


def _divergence(seen: Floats, rate: Floats) -> Floats:
    """Log-likelihood that an episode gains on average where its rate is this one instead of that."""
    return np.asarray(seen * np.log(seen / rate) + (1.0 - seen) * np.log((1.0 - seen) / (1.0 - rate)))


def _fit(linear: Floats, noise: Floats, weighed: Weighed) -> Floats:
    """Gain in log-likelihood: half the squared score, by the exact binomial's ratio to its quadratic approximation."""
    rate = np.clip(weighed.rate, EDGE, 1.0 - EDGE)
    seen = np.clip(rate - np.maximum(linear, 0.0) * rate * (1.0 - rate), EDGE, 1.0 - EDGE)
    exact = _divergence(seen, rate)
    rough = (rate - seen) ** 2 / (2.0 * rate * (1.0 - rate))
    factor = np.where(rough > TINY, exact / np.maximum(rough, TINY), 1.0)
    return np.asarray(np.maximum(linear, 0.0) ** 2 / noise / 2.0 * factor)


def with_diffuse(chosen: Sequence[Candidate], rows: int) -> Floats:
    """The chosen columns after one for what is lost everywhere."""
    return np.column_stack([np.ones(rows), *(c.after for c in chosen)])


def _already_there(earlier: Floats, success: Floats, expected: Floats, usual: float) -> tuple[Floats, Floats]:
    """What the baseline itself lost there beyond its expectation, drawn to none, and how unsure that is."""
    weight = np.maximum(expected * (1.0 - expected), 1e-6)
    centred = earlier - (weight @ earlier) / max(weight.sum(), TINY) if len(earlier) else earlier
    information = weight @ centred**2
    pulled = centred.T @ (expected - success)
    return pulled * usual**2 / (1.0 + usual**2 * information), usual**2 / (1.0 + usual**2 * information)


def _stack(columns: Sequence[Floats], rows: int) -> Floats:
    return np.column_stack(columns) if columns else np.zeros((rows, 0))
