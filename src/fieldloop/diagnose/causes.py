"""From slices to causes: each with its share of the loss, its interval over days, its evidence and its fix."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose import gaps
from fieldloop.diagnose.carriers import Carrier, Loss, of_mix, of_rest, of_slice
from fieldloop.diagnose.expectation import Merged, expect, logistic
from fieldloop.diagnose.slices import Search, Slice
from fieldloop.diagnose.split import Split, divide
from fieldloop.model.diagnosis import Cause, Gap
from fieldloop.protocol import Section

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Causes:
    """Causes by their share of the loss, the split, and what could not be told."""

    causes: tuple[Cause, ...]
    split: Split
    cannot_tell: tuple[str, ...]


def name_causes(loss: Loss, settings: Section, rng: np.random.Generator) -> Causes:
    """Name what carries a real loss."""
    expectation = expect(loss.before, settings.number("expectation_penalty"))
    search = Search(loss.after, expectation, settings)
    unseen = loss.unseen(settings)
    found = search.find()
    rest = ~np.any([s.inside for s in found], axis=0) if found else np.ones(len(loss.after), dtype=bool)
    carriers = [of_slice(s, search, loss) for s in found]
    carriers.extend(of_rest(rest, search, loss, expectation, settings))
    carriers.extend(of_mix(loss, expectation, unseen))
    parts, split, by_days = _shares(loss, carriers, unseen, settings, rng)
    causes = [_cause(c, part, loss, settings) for c, part in zip(carriers, parts, strict=True) if part[1] > 0.0]
    causes.sort(key=lambda c: -c.share)
    notes = (*_untold(found, loss, causes, settings), *(() if by_days else (_too_few_days(loss),)))
    return Causes(tuple(causes), split, notes)


def _shares(
    loss: Loss, carriers: Sequence[Carrier], unseen: Mask, settings: Section, rng: np.random.Generator
) -> tuple[list[tuple[float, float, float]], Split, bool]:
    """Share of the loss that each carrier holds with its interval, the split, and whether days could be resampled."""
    penalty = settings.number("expectation_penalty")
    merged, design = Merged(loss.before, penalty), expect(loss.before, penalty).design(loss.after)
    days, day = np.unique(loss.after.days, return_inverse=True)
    by_days = len(days) >= settings.number("min_days")
    unit = day.ravel() if by_days else np.arange(len(loss.after))

    def once(before: Floats, after: Floats) -> tuple[list[float], Split]:
        expected = logistic(design @ merged.fit(before)[0])
        usual = float(np.average(loss.before.success, weights=before))
        split = divide(loss.after.success, expected, unseen, usual, after)
        weight = after / after.sum()
        against = {"expected": np.where(unseen, usual, expected) - loss.after.success, "mix": usual - expected}
        return [split.share(float((weight * against[c.against])[c.inside].sum())) for c in carriers], split

    point, split = once(np.ones(len(loss.before)), np.ones(len(loss.after)))
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


def _untold(found: Sequence[Slice], loss: Loss, causes: Sequence[Cause], settings: Section) -> Iterator[str]:
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
        if unsaid > settings.number("max_unsaid_share") * rows:
            yield f"{unsaid} of {rows} production outcomes do not say their {factor}; log it."


def _too_few_days(loss: Loss) -> str:
    days = len(np.unique(loss.after.days))
    return f"Production spans {days} days; intervals treat episodes as independent and are too narrow."
