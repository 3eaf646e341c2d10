"""What may carry a loss: a slice, everything alike, or a harder mix; each with its episodes and its evidence."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose import gaps
from fieldloop.diagnose.expectation import Expectation
from fieldloop.diagnose.slices import Search, Slice
from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Loss:
    """Outcomes before and after as tables, and demonstrations by stratum."""

    before: Table
    after: Table
    demonstrations: Mapping[Stratum, int] | None

    @cached_property
    def _factors(self) -> set[str]:
        return {c.factor for stratum in self.demonstrations or () for c in stratum.conditions}

    def shown(self, stratum: Stratum) -> int | None:
        """How many demonstrations there were under these conditions; None where demonstrations do not say."""
        if self.demonstrations is None or not {c.factor for c in stratum.conditions} <= self._factors:
            return None
        return sum(n for other, n in self.demonstrations.items() if stratum.covers(other))

    def unseen(self, settings: Section) -> Mask:
        """Rows whose whole stratum, as far as demonstrations tell, was hardly ever demonstrated."""
        least = settings.number("covered_demonstrations")
        known: dict[Stratum, bool] = {}
        unseen = np.zeros(len(self.after), dtype=bool)
        for at, row in enumerate(self.after.rows if self.demonstrations is not None else ()):
            stratum = Stratum.of({f: level for f, level in row.items() if f in self._factors})
            if stratum not in known:
                known[stratum] = (self.shown(stratum) or 0) < least
            unseen[at] = known[stratum]
        return unseen


@dataclass(frozen=True)
class Carrier:
    """Something that may carry part of a loss, by the episodes in it and what each is measured against."""

    stratum: Stratum
    inside: Mask
    against: str
    gap: Gap | None
    evidence: str


def of_slice(found: Slice, search: Search, loss: Loss) -> Carrier:
    """Describe a slice: what it lost beside what the others did."""
    table, inside = loss.after, found.inside
    expected = table.success + search.residual
    others = ~inside
    words = (
        f"{found.stratum}: {int(table.success[inside].sum())} of {int(inside.sum())} succeeded where "
        f"{expected[inside].mean():.0%} was expected; elsewhere {int(table.success[others].sum())} of "
        f"{int(others.sum())} where {expected[others].mean():.0%} was. Chance after {found.looked_at} slices: "
        f"{found.chance:.2g}."
    )
    if (shown := loss.shown(found.stratum)) is not None:
        words += f" {shown} demonstrations of it."
    if found.alike:
        words += f" Cannot be told apart from {', '.join(map(str, found.alike))}."
    return Carrier(found.stratum, inside, "expected", None, words)


def of_rest(rest: Mask, search: Search, loss: Loss, expectation: Expectation, settings: Section) -> Iterator[Carrier]:
    """What is lost everywhere else alike: something new, always or level by level; wear over time; or nobody knows."""
    if int(rest.sum()) < search.least:
        return
    residual, lean = search.residual[rest], search.slope[rest].mean(axis=0)
    error = np.sqrt(residual.var() / len(residual) + lean @ expectation.covariance @ lean)
    from scipy.special import ndtri

    if residual.mean() <= ndtri(1.0 - settings.number("alpha")) * max(error, 1e-12):
        return
    words = f"{residual.mean():.0%} lost in {int(rest.sum())} episodes under all other conditions alike."
    new = _new_everywhere(loss, rest)
    if new:
        others = f" Cannot be told apart: {', '.join(map(str, new))}." if len(new) > 1 else ""
        yield Carrier(
            Stratum((new[0],)), rest, "expected", None, f"New in production and always there. {words}{others}"
        )
    elif levels := _factor_all_new(loss, rest):
        yield from _by_level(levels, rest, search, loss)
    elif (growth := _growth(residual, loss.after.at_ns[rest], settings)) is not None:
        first, last = growth
        words += f" It grew from {first:.0%} in the first third of the time to {last:.0%} in the last."
        yield Carrier(Stratum(), rest, "expected", Gap.HARDWARE, words)
    else:
        yield Carrier(Stratum(), rest, "expected", Gap.UNKNOWN, words)


def _new_everywhere(loss: Loss, rest: Mask) -> list[Condition]:
    """Conditions that the baseline never met and that hold in all these episodes."""
    known = set(loss.before.conditions)
    new = [c for c in loss.after.conditions if c not in known]
    holds = loss.after.indicators(new)[rest]
    always = [c for c, column in zip(new, holds.T, strict=True) if column.all()]
    return sorted(always, key=lambda c: gaps.rank(Stratum((c,))))


def _factor_all_new(loss: Loss, rest: Mask) -> list[Condition]:
    """The levels of a factor that production has at levels the baseline never met, in all these episodes."""
    known = set(loss.before.conditions)
    tried = {c.factor for c in known}
    for factor in sorted(tried, key=lambda f: gaps.rank(Stratum((Condition(f, ""),)))):
        here = [c for c in loss.after.conditions if c.factor == factor]
        new = [c for c in here if c not in known]
        if new and loss.after.indicators(new)[rest].any(axis=1).all():
            return new
    return []


def _by_level(levels: list[Condition], rest: Mask, search: Search, loss: Loss) -> Iterator[Carrier]:
    names = " and ".join(c.level for c in levels)
    for level, column in zip(levels, loss.after.indicators(levels).T, strict=True):
        inside = rest & column.astype(bool)
        if int(inside.sum()) >= search.least:
            lost = f"{search.residual[inside].mean():.0%} lost in {int(inside.sum())} episodes."
            words = f"Every {level.factor} in production ({names}) is one that the baseline never met. {lost}"
            yield Carrier(Stratum((level,)), inside, "expected", None, words)


def _growth(residual: Floats, at_ns: NDArray[np.int64], settings: Section) -> tuple[float, float] | None:
    """Does the loss grow with time? Return it in the first and the last third, None where it does not."""
    from scipy.special import ndtri

    if at_ns.min() == at_ns.max():
        return None
    order = np.argsort(at_ns, kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(len(order))
    score = np.corrcoef(ranks, residual)[0, 1] * np.sqrt(len(residual))
    if not score > ndtri(1.0 - settings.number("alpha")):
        return None
    third = len(order) // 3
    return float(residual[order[:third]].mean()), float(residual[order[-third:]].mean())


def of_mix(loss: Loss, expectation: Expectation, unseen: Mask) -> Iterator[Carrier]:
    """Known but hard conditions that production has more of than the baseline had."""
    usual = loss.before.success.mean()
    seen = ~unseen
    expected = expectation.rates(expectation.design(loss.after))
    worth: dict[Condition, float] = {}
    more = loss.after.indicators(expectation.conditions)[seen].mean(axis=0) if seen.any() else None
    if more is None:
        return
    before = loss.before.indicators(expectation.conditions)
    for at, condition in enumerate(expectation.conditions):
        rows = before[:, at].astype(bool)
        harder = usual - loss.before.success[rows].mean()
        worth[condition] = float((more[at] - before[:, at].mean()) * harder) if harder > 0.0 else 0.0
    top = max(worth, key=lambda c: worth[c], default=None)
    if top is None or worth[top] <= 0.0:
        return
    at = expectation.conditions.index(top)
    words = (
        f"Production is harder than the baseline was ({expected[seen].mean():.0%} expected instead of {usual:.0%}), "
        f"most by {top}: {more[at]:.0%} of episodes instead of {before[:, at].mean():.0%}."
    )
    yield Carrier(Stratum((top,)), seen, "mix", Gap.EDGE_CASES, words)
