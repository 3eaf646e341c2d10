"""Tries by stratum become quotas: how many good demonstrations, what they win, within which interval, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.model.plan import Coverage, Quota
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.possible import possible
from fieldloop.plan.strata import Floats


@dataclass(frozen=True, slots=True)
class Expected:
    """Quotas, and what they win together."""

    quotas: tuple[Quota, ...]
    gain: float
    low: float
    high: float


def quotas(
    coverages: Sequence[Coverage],
    gain: Gain,
    tries: Floats,
    reasons: Mapping[int, Sequence[str]],
    rng: np.random.Generator,
) -> Expected:
    """Say what each stratum's tries win; with transfer it is won elsewhere too, and shared out by what each adds."""
    good = tries * gain.operators.share
    chosen = np.flatnonzero(good)
    if not len(chosen):
        return Expected((), 0.0, 0.0, 0.0)
    whole = float(gain.of(good).sum())
    worth = (good * gain.next(good))[chosen]
    shared = whole * worth / max(float(worth.sum()), np.finfo(float).tiny)
    level = gain.settings.number("confidence")
    ends = [0.5 - level / 2, 0.5 + level / 2]
    wholes, shares = possible(gain, good, rng)
    low, high = np.quantile(shares, ends, axis=0)
    lessons = _lessons(gain)
    made = [
        Quota(
            stratum=coverages[row].stratum,
            demonstrations=max(1, round(float(good[row]))),
            gain=float(shared[at]),
            gain_low=float(min(low[at], shared[at])),
            gain_high=float(max(high[at], shared[at])),
            why="; ".join([_why(coverages[row], gain, row, lessons), *reasons.get(row, ())]) + ".",
            cost=float(tries[row] * gain.table.cost[row]),
        )
        for at, row in sorted(enumerate(chosen.tolist()), key=lambda pair: (-shared[pair[0]], pair[1]))
    ]
    ends_whole = np.quantile(wholes, ends)
    return Expected(tuple(made), whole, float(min(ends_whole[0], whole)), float(max(ends_whole[1], whole)))


def _why(covered: Coverage, gain: Gain, row: int, lessons: Sequence[Floats]) -> str:
    failure, reducible = float(gain.failure[row]), float(gain.reducible[row])
    said = [f"{covered.exposure:.1%} of production"]
    tried = f"{covered.failures} of {covered.attempts} attempts failed" if covered.attempts else "never tried there"
    said.append(f"{tried} (taken as {failure:.0%}, of which {100.0 * reducible:.0f} points can be learnt)")
    said.append(f"{covered.demonstrations} demonstrations in hand" if covered.demonstrations else "never demonstrated")
    if covered.tried > covered.demonstrations:
        said.append(f"operators managed {covered.demonstrations} of {covered.tried}")
    most = max(range(len(lessons)), key=lambda at: lessons[at][gain.parts[at].codes[row]])
    if gain.parts[most].reach is not Reach.OWN:
        said.append("teaches " + " with ".join(gain.table.level(row, f) for f in gain.parts[most].factors))
    return ", ".join(said)


def _lessons(gain: Gain) -> list[Floats]:
    """What the first demonstration of each level, pair and stratum wins: the largest is what it teaches."""
    weight = gain.table.exposure * (1.0 - gain.failure)
    return [
        part.sums(weight) * size / (shown + gain.curve.borrowed)
        for part, size, shown in zip(gain.parts, gain.why.removable, gain.shown, strict=True)
    ]
