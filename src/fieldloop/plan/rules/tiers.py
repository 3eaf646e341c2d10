"""Tiers of articles: the target of each, and the simulated share of the long tail."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from fieldloop.model.deployment import Sku
from fieldloop.model.plan import Quota, TierState
from fieldloop.plan.bought import Bought, count_as_made_by_people
from fieldloop.plan.quotas import complete_reason
from fieldloop.plan.rounding import SLACK
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section

DEEP, TAIL = "high", "long_tail"
"""Tiers as the map names them: picked most, and picked least."""


def read_tier_targets(settings: Section) -> dict[str, int]:
    """Return how many demonstrations one article of each tier should have."""
    return {
        DEEP: int(settings.number("tier_high_demonstrations")),
        "medium": int(settings.number("tier_medium_demonstrations")),
        TAIL: int(settings.number("tier_long_tail_demonstrations")),
    }


def get_tier_target(targets: Mapping[str, int], tier: str) -> int:
    """Return the target of an article; one without a tier has a target of 1."""
    return targets.get(tier, 1)


def compute_tier_states(skus: Iterable[Sku], shown: Counter[str], settings: Section) -> tuple[TierState, ...]:
    """Return the state of each tier: its articles, those ever shown, those at the target."""
    targets, tiers = read_tier_targets(settings), defaultdict[str, list[Sku]](list)
    for sku in skus:
        tiers[sku.tier].append(sku)
    picks = sum(sku.picks_per_week for group in tiers.values() for sku in group)
    return tuple(
        TierState(
            tier=tier,
            picks_share=sum(sku.picks_per_week for sku in group) / picks if picks else 0.0,
            articles=len(group),
            shown=sum(shown[sku.id] > 0 for sku in group),
            at_target=sum(shown[sku.id] >= get_tier_target(targets, tier) for sku in group),
            target=get_tier_target(targets, tier),
            simulated_share=settings.number("simulation_share") if tier == TAIL else 0.0,
        )
        for tier, group in sorted(tiers.items(), key=lambda item: (-get_tier_target(targets, item[0]), item[0]))
    )


def replace_part_by_simulated(table: Table, good: Floats, settings: Section) -> Bought:
    """Give a share of the long tail to the simulator, counted over all its strata because most get only one."""
    if "tier" not in table.factors:
        return count_as_made_by_people(good)
    at = table.factors.index("tier")
    tail = table.codes[:, at] == (table.levels[at].index(TAIL) if TAIL in table.levels[at] else -1)
    upto = np.floor(settings.number("simulation_share") * np.cumsum(np.where(tail, good, 0.0)) + SLACK)
    simulated = np.minimum(np.diff(upto, prepend=0.0), good)
    return Bought(good - simulated, simulated)


def split_off_quota(quota: Quota, demonstrations: int) -> Quota:
    """Return some of a quota, with that share of its gain and cost."""
    part = demonstrations / quota.demonstrations
    smaller = replace(
        quota, demonstrations=demonstrations, gain=part * quota.gain, gain_low=part * quota.gain_low,
        gain_high=part * quota.gain_high, cost=part * quota.cost,
    )  # fmt: skip
    return complete_reason(smaller)
