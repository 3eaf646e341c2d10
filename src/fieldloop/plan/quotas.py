"""Turn an allocation into quotas: demonstrations, expected gain with interval, and reasons."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldloop.model.note import Note, note
from fieldloop.model.plan import Coverage, Quota, QuotaKind
from fieldloop.plan.bought import Bought
from fieldloop.plan.explore import EXPLORES
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.possible import TINY, draw_possible_gains
from fieldloop.plan.strata import Floats


@dataclass(frozen=True, slots=True)
class Expected:
    """Quotas, and their total gain."""

    quotas: tuple[Quota, ...]
    gain: float
    low: float
    high: float


def make_quotas(
    coverages: Sequence[Coverage],
    gain: Gain,
    bought: Bought,
    reasons: Mapping[int, Sequence[Note]],
    rng: np.random.Generator,
) -> Expected:
    """Estimate what each stratum's demonstrations win; gain by transfer is shared out by what each adds.

    All intervals come from the same drawn worlds, so that they are consistent with the interval of the whole plan.
    """
    chosen = np.flatnonzero(bought.real + bought.simulated)
    if not len(chosen):
        return Expected((), 0.0, 0.0, 0.0)
    usual = gain.settings.number("simulation_worth")
    taught = bought.compute_real_equivalent(usual)
    whole, each = float(gain.compute_gain_by_stratum(taught).sum()), gain.compute_gain_of_one_more(taught)[chosen]
    adds = np.stack([each * bought.real[chosen], each * usual * bought.simulated[chosen]])
    shared = whole * adds / max(float(adds.sum()), TINY)
    wholes, *by_kind = draw_possible_gains(gain, bought, rng)
    first, last = _compute_interval_ends(gain, wholes)
    if not (gain.table.attempts.any() and first <= whole <= last):
        # where little is known, hazards vary so much that the usual ones do not give the middle of the interval
        whole = float(np.clip(wholes.mean(), first, last))
        shared = np.stack([worlds.mean(axis=0) for worlds in by_kind]) * (whole / max(float(wholes.mean()), TINY))
    lessons, made = _compute_first_demonstration_gains(gain), []
    for kind, won, worlds in zip((QuotaKind.DEMONSTRATION, QuotaKind.SIMULATION), shared, by_kind, strict=True):
        amounts = bought.real if kind is QuotaKind.DEMONSTRATION else bought.simulated
        low, high = _compute_interval_ends(gain, worlds)
        for at, row in enumerate(chosen.tolist()):
            if not amounts[row]:
                continue
            details = [
                *_list_quota_reasons(coverages[row], gain, row, lessons, reasons.get(row, ())),
                *reasons.get(row, ()),
            ]
            if kind is QuotaKind.SIMULATION:
                both = int(bought.real[row] + bought.simulated[row])
                details.append(note("plan.simulated", simulated=int(amounts[row]), all=both, worth=usual))
            cost = gain.price[row] if kind is QuotaKind.DEMONSTRATION else gain.settings.number("simulation_cost")
            made.append(
                complete_reason(
                    Quota(
                        stratum=coverages[row].stratum,
                        demonstrations=int(amounts[row]),
                        gain=float(won[at]),
                        gain_low=float(min(low[at], won[at])),
                        gain_high=float(max(high[at], won[at])),
                        why=Note("plan.quota", details=tuple(details)),
                        kind=kind,
                        cost=float(amounts[row] * cost),
                    )
                )
            )
    ranked = sorted(made, key=lambda quota: -quota.gain)
    return Expected(tuple(ranked), whole, float(first), float(last))


def complete_reason(quota: Quota) -> Quota:
    """Put the quota's own amount and gain into the first sentence of its reason."""
    why = note(
        quota.why.code, *quota.why.details, demonstrations=quota.demonstrations, gain=quota.gain,
        gain_low=quota.gain_low, gain_high=quota.gain_high,
    )  # fmt: skip
    return replace(quota, why=why)


def _compute_interval_ends(gain: Gain, worlds: Floats) -> Floats:
    level = gain.settings.number("confidence")
    return np.asarray(np.quantile(worlds, [0.5 - level / 2, 0.5 + level / 2], axis=0))


def _list_quota_reasons(
    covered: Coverage, gain: Gain, row: int, lessons: Sequence[Floats], reasons: Sequence[Note]
) -> Iterator[Note]:
    if covered.attempts:
        yield note(
            "plan.stratum_tried", share=covered.exposure, failures=covered.failures, attempts=covered.attempts
        )  # fmt: skip
    else:
        yield note("plan.stratum_never_tried", share=covered.exposure)
    if not gain.nothing_to_win:
        failure, reducible = float(gain.failure[row]), float(gain.reducible[row])
        yield note("plan.estimated_failure", failure=failure, learnable_points=100.0 * reducible)
    if covered.demonstrations:
        yield note("plan.in_hand", demonstrations=covered.demonstrations)
    else:
        yield note("plan.never_demonstrated")
    if late := int(gain.table.demonstrations[row] - gain.table.learnt[row]):
        yield note("plan.stratum_not_learnt_yet", demonstrations=late)
    if covered.tried > covered.demonstrations:
        yield note("plan.operators_managed", managed=covered.demonstrations, tries=covered.tried)
    if gain.nothing_to_win:
        yield note("plan.for_coverage")
    elif not any(reason.code == EXPLORES for reason in reasons):  # what explores teaches nothing that is known yet
        most = max(range(len(lessons)), key=lambda at: lessons[at][gain.parts[at].codes[row]])
        if gain.parts[most].reach is not Reach.OWN:
            yield note("plan.teaches", levels=tuple(gain.table.get_level(row, f) for f in gain.parts[most].factors))


def _compute_first_demonstration_gains(gain: Gain) -> list[Floats]:
    """Return what the first demonstration of each level, pair and stratum gains; the largest is what it teaches."""
    weight = gain.table.exposure * (1.0 - gain.failure)
    return [
        part.sum_by_class(weight) * size / (shown + gain.curve.borrowed)
        for part, size, shown in zip(gain.parts, gain.why.removable, gain.shown, strict=True)
    ]
