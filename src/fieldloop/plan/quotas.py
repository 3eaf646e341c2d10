"""What is bought becomes quotas: how many good demonstrations, what they win, within which interval, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.model.plan import Coverage, Quota, QuotaKind
from fieldloop.plan.bought import Bought
from fieldloop.plan.explore import FIND_OUT
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.possible import TINY, possible
from fieldloop.plan.strata import Floats
from fieldloop.plan.words import of_production


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
    bought: Bought,
    reasons: Mapping[int, Sequence[str]],
    rng: np.random.Generator,
) -> Expected:
    """Say what each stratum's demonstrations win; with transfer it is won elsewhere too, shared out by what each adds.

    All intervals come from the same possible worlds, so that the plan's own is one of what it asks for in the end.
    """
    chosen = np.flatnonzero(bought.real + bought.simulated)
    if not len(chosen):
        return Expected((), 0.0, 0.0, 0.0)
    usual = gain.settings.number("simulation_worth")
    taught = bought.taught(usual)
    whole, each = float(gain.of(taught).sum()), gain.next(taught)[chosen]
    adds = np.stack([each * bought.real[chosen], each * usual * bought.simulated[chosen]])
    shared = whole * adds / max(float(adds.sum()), TINY)
    wholes, *by_kind = possible(gain, bought, rng)
    first, last = _ends(gain, wholes)
    if not (gain.table.attempts.any() and first <= whole <= last):
        # where little is known, hazards vary so far that what the usual ones win is no middle of what may be
        whole = float(np.clip(wholes.mean(), first, last))
        shared = np.stack([worlds.mean(axis=0) for worlds in by_kind]) * (whole / max(float(wholes.mean()), TINY))
    lessons, made = _lessons(gain), []
    for kind, won, worlds in zip((QuotaKind.DEMONSTRATION, QuotaKind.SIMULATION), shared, by_kind, strict=True):
        amounts = bought.real if kind is QuotaKind.DEMONSTRATION else bought.simulated
        low, high = _ends(gain, worlds)
        for at, row in enumerate(chosen.tolist()):
            if not amounts[row]:
                continue
            said = [_why(coverages[row], gain, row, lessons, reasons.get(row, ())), *reasons.get(row, ())]
            if kind is QuotaKind.SIMULATION:
                both = bought.real[row] + bought.simulated[row]
                said.append(f"{amounts[row]:.0f} of {both:.0f} simulated, each taken as {usual:g} of a shown one")
            cost = gain.price[row] if kind is QuotaKind.DEMONSTRATION else gain.settings.number("simulation_cost")
            made.append(
                Quota(
                    stratum=coverages[row].stratum,
                    demonstrations=int(amounts[row]),
                    gain=float(won[at]),
                    gain_low=float(min(low[at], won[at])),
                    gain_high=float(max(high[at], won[at])),
                    why="; ".join(said) + ".",
                    kind=kind,
                    cost=float(amounts[row] * cost),
                )
            )
    ranked = sorted(made, key=lambda quota: -quota.gain)
    return Expected(tuple(ranked), whole, float(first), float(last))


def _ends(gain: Gain, worlds: Floats) -> Floats:
    level = gain.settings.number("confidence")
    return np.asarray(np.quantile(worlds, [0.5 - level / 2, 0.5 + level / 2], axis=0))


def _why(covered: Coverage, gain: Gain, row: int, lessons: Sequence[Floats], reasons: Sequence[str]) -> str:
    failure, reducible = float(gain.failure[row]), float(gain.reducible[row])
    said = [of_production(covered.exposure)]
    tried = f"{covered.failures} of {covered.attempts} attempts failed" if covered.attempts else "never tried there"
    taken = f"taken to fail in {failure:.0%}, of which {100.0 * reducible:.0f} points can be learnt"
    said.append(tried if gain.nothing_to_win else f"{tried} ({taken})")
    in_hand = f"{covered.demonstrations} {'demonstration' if covered.demonstrations == 1 else 'demonstrations'} in hand"
    said.append(in_hand if covered.demonstrations else "never demonstrated")
    late = gain.table.demonstrations[row] - gain.table.learnt[row]
    if late:
        said.append(f"{late:.0f} of them not learnt by the version in production, whose failures these are")
    if covered.tried > covered.demonstrations:
        said.append(f"operators managed {covered.demonstrations} of {covered.tried}")
    if gain.nothing_to_win:
        said.append("shown for coverage: little is to be won")
    # what explores teaches nothing that is known yet
    if gain.nothing_to_win or any(FIND_OUT in reason for reason in reasons):
        return ", ".join(said)
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
