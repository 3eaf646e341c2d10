"""From slices to causes: each with its share of the loss, its interval over days, its evidence and its fix."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose import gaps
from fieldloop.diagnose.expectation import Expectation, expect
from fieldloop.diagnose.slices import Search, Slice
from fieldloop.diagnose.split import Split, divide
from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Cause, Gap
from fieldloop.protocol import Section

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEWEST_DAYS = 5
"""Resampling fewer days says little about days; episodes are resampled then, and the answer says so."""


@dataclass(frozen=True)
class Loss:
    """Outcomes before and after as tables, and demonstrations by stratum."""

    before: Table
    after: Table
    demonstrations: Mapping[Stratum, int] | None

    def shown(self, stratum: Stratum) -> int | None:
        """How many demonstrations there were under these conditions; None where nobody knows or none could be."""
        told = stratum.only(c.factor for c in stratum.conditions if c.factor not in MACHINERY)
        if self.demonstrations is None or len(told.conditions) < len(stratum.conditions):
            return None
        return sum(n for other, n in self.demonstrations.items() if told.covers(other))


MACHINERY = tuple(f for f in gaps.TOLD_BY_OUTCOME if f != "site")


@dataclass(frozen=True)
class Causes:
    """Causes by their share of the loss, the split, and what could not be told."""

    causes: tuple[Cause, ...]
    split: Split
    cannot_tell: tuple[str, ...]


@dataclass(frozen=True)
class Carrier:
    """Something that may carry part of a loss, by the episodes in it and what each is measured against."""

    stratum: Stratum
    inside: Mask
    against: str
    gap: Gap | None
    evidence: str


def name_causes(loss: Loss, settings: Section, rng: np.random.Generator) -> Causes:
    """Name what carries a real loss."""
    expectation = expect(loss.before)
    search = Search(loss.after, expectation, settings)
    unseen = _unseen(loss, settings)
    found = search.find()
    rest = ~np.any([s.inside for s in found], axis=0) if found else np.ones(len(loss.after), dtype=bool)
    carriers = [_of_slice(s, search, loss) for s in found]
    carriers.extend(_of_rest(rest, search, loss, expectation, settings))
    carriers.extend(_of_mix(loss, expectation, unseen))
    parts, split, by_days = _shares(loss, carriers, unseen, settings, rng)
    causes = [_cause(c, part, loss, settings) for c, part in zip(carriers, parts, strict=True) if part[1] > 0.0]
    causes.sort(key=lambda c: -c.share)
    notes = (*_untold(found, loss, causes), *(() if by_days else (_too_few_days(loss),)))
    return Causes(tuple(causes), split, notes)


def _unseen(loss: Loss, settings: Section) -> Mask:
    """Rows whose whole stratum was hardly ever demonstrated."""
    if loss.demonstrations is None:
        return np.zeros(len(loss.after), dtype=bool)
    named = {c.factor for s in loss.demonstrations for c in s.conditions}
    least = settings.number("covered_demonstrations")
    known: dict[Stratum, bool] = {}
    unseen = []
    for row in loss.after.rows:
        stratum = Stratum.of({f: level for f, level in row.items() if f in named or f not in gaps.TOLD_BY_OUTCOME})
        if stratum not in known:
            known[stratum] = (loss.shown(stratum) or 0) < least
        unseen.append(known[stratum])
    return np.array(unseen, dtype=bool)


def _of_slice(found: Slice, search: Search, loss: Loss) -> Carrier:
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


def _of_rest(rest: Mask, search: Search, loss: Loss, expectation: Expectation, settings: Section) -> Iterator[Carrier]:
    """What is lost everywhere else alike: something new that is always there, wear over time, or nobody knows."""
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


def _of_mix(loss: Loss, expectation: Expectation, unseen: Mask) -> Iterator[Carrier]:
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
        f"Production is harder than the baseline was ({expected[seen].mean():.0%} expected instead of {usual:.0%}), most "
        f"by {top}: {more[at]:.0%} of episodes instead of {before[:, at].mean():.0%}."
    )
    yield Carrier(Stratum((top,)), seen, "mix", Gap.EDGE_CASES, words)


def _shares(
    loss: Loss, carriers: Sequence[Carrier], unseen: Mask, settings: Section, rng: np.random.Generator
) -> tuple[list[tuple[float, float, float]], Split, bool]:
    """Share of the loss that each carrier holds with its interval, the split, and whether days could be resampled."""
    conditions = loss.before.conditions
    days, day = np.unique(loss.after.days, return_inverse=True)
    by_days = len(days) >= FEWEST_DAYS
    unit = day.ravel() if by_days else np.arange(len(loss.after))

    def once(before: Floats | None, after: Floats) -> tuple[list[float], Split]:
        fitted = expect(loss.before, before, conditions)
        expected = fitted.rates(fitted.design(loss.after))
        usual = float(np.average(loss.before.success, weights=before))
        split = divide(loss.after.success, expected, unseen, usual, after)
        weight = after / after.sum()
        against = {"expected": np.where(unseen, usual, expected) - loss.after.success, "mix": usual - expected}
        return [split.share(float((weight * against[c.against])[c.inside].sum())) for c in carriers], split

    point, split = once(None, np.ones(len(loss.after)))
    units = unit.max() + 1
    draws = []
    for _ in range(int(settings.number("bootstrap_draws"))):
        again = rng.multinomial(units, np.full(units, 1.0 / units)).astype(float)[unit]
        n = len(loss.before)
        before = rng.multinomial(n, np.full(n, 1.0 / n)).astype(float)
        shares, drawn = once(before, again)
        if drawn.loss > 0.0:
            draws.append(shares)
    tail = 0.5 - settings.number("confidence") / 2
    low, high = np.quantile(np.array(draws), [tail, 1.0 - tail], axis=0) if draws else (point, point)
    return [(p, float(a), float(b)) for p, a, b in zip(point, low, high, strict=True)], split, by_days


def _cause(carrier: Carrier, part: tuple[float, float, float], loss: Loss, settings: Section) -> Cause:
    shown = loss.shown(carrier.stratum) if carrier.stratum.conditions else None
    never = None if shown is None else shown < settings.number("covered_demonstrations")
    if carrier.against == "mix":
        never = False
    named = gaps.name(carrier.stratum, never_covered=never)
    fix = named.fix
    if carrier.against == "mix":
        fix = f"Gate and weigh by the mix of the floor, and collect more of {carrier.stratum}."
    elif carrier.gap is not None:
        fix = gaps.FIX[carrier.gap][0].format(where="the robots" if carrier.gap is Gap.HARDWARE else "everything")
    return Cause(carrier.gap or named.gap, *part, carrier.stratum, never, carrier.evidence, fix)


def _untold(found: Sequence[Slice], loss: Loss, causes: Sequence[Cause]) -> Iterator[str]:
    for one in found:
        if one.alike:
            alike = ", ".join(map(str, (one.stratum, *one.alike)))
            yield f"{alike} always go together; vary one without the others to tell them apart."
    if loss.demonstrations is None:
        yield "Nobody said what was demonstrated, so never-covered and changed cannot be told apart; name the release."
    if not any(c.gap is not Gap.UNKNOWN for c in causes):
        said = {c.factor for c in loss.after.conditions}
        yield f"No condition that is logged explains the loss; log {', '.join(gaps.silent(said))}."
    rows = len(loss.after)
    for factor in sorted({c.factor for c in loss.after.conditions}):
        unsaid = sum(factor not in row for row in loss.after.rows)
        if unsaid > rows / 2:
            yield f"{unsaid} of {rows} production outcomes do not say their {factor}; log it."


def _too_few_days(loss: Loss) -> str:
    days = len(np.unique(loss.after.days))
    return f"Production spans {days} days; intervals treat episodes as independent and are too narrow."
