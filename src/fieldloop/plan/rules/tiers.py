"""Tiers of articles: how deep each is to be shown, and how much of the long tail a simulator makes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fieldloop.model.deployment import Sku
from fieldloop.model.plan import Quota, QuotaKind, TierState
from fieldloop.protocol import Section

DEEP, TAIL = "high", "long_tail"
"""Tiers as the map names them: picked most, and picked least."""


def tier_targets(settings: Section) -> dict[str, int]:
    """How many demonstrations one article of each tier should have."""
    return {
        DEEP: int(settings.number("tier_high_demonstrations")),
        "medium": int(settings.number("tier_medium_demonstrations")),
        TAIL: int(settings.number("tier_long_tail_demonstrations")),
    }


def target(targets: Mapping[str, int], tier: str) -> int:
    """The target of an article; one without a tier is asked for once."""
    return targets.get(tier, 1)


def tier_states(skus: Iterable[Sku], shown: Counter[str], settings: Section) -> tuple[TierState, ...]:
    """How far each tier of the catalogue is: articles, those ever shown, those at the tier's target."""
    targets, tiers = tier_targets(settings), defaultdict[str, list[Sku]](list)
    for sku in skus:
        tiers[sku.tier].append(sku)
    picks = sum(sku.picks_per_week for group in tiers.values() for sku in group)
    return tuple(
        TierState(
            tier=tier,
            picks_share=sum(sku.picks_per_week for sku in group) / picks if picks else 0.0,
            articles=len(group),
            shown=sum(shown[sku.id] > 0 for sku in group),
            at_target=sum(shown[sku.id] >= target(targets, tier) for sku in group),
            target=target(targets, tier),
            simulated_share=settings.number("simulation_share") if tier == TAIL else 0.0,
        )
        for tier, group in sorted(tiers.items(), key=lambda item: (-target(targets, item[0]), item[0]))
    )


def simulate_tail(quotas: Sequence[Quota], settings: Section) -> Iterator[Quota]:
    """Hand a share of every long-tail quota to the simulator; if that does not carry over, it wins nothing."""
    share, price = settings.number("simulation_share"), settings.number("simulation_cost")
    for quota in quotas:
        simulated = round(share * quota.demonstrations)
        if quota.kind is not QuotaKind.DEMONSTRATION or quota.stratum.level("tier") != TAIL or not simulated:
            yield quota
            continue
        real = quota.demonstrations - simulated
        if real:
            yield part_of(quota, real)
        why = f"{quota.why} {simulated} of {quota.demonstrations} simulated: the long tail is too wide to be shown."
        made = part_of(quota, simulated)
        yield replace(made, kind=QuotaKind.SIMULATION, gain_low=0.0, cost=price * simulated, why=why)


def part_of(quota: Quota, demonstrations: int) -> Quota:
    """Return some of a quota, with that share of its gain and cost."""
    part = demonstrations / quota.demonstrations
    return replace(
        quota, demonstrations=demonstrations, gain=part * quota.gain, gain_low=part * quota.gain_low,
        gain_high=part * quota.gain_high, cost=part * quota.cost,
    )  # fmt: skip
