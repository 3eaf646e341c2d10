"""What was logged by article, in the words of the map, which knows tiers."""

from collections.abc import Iterable
from dataclasses import replace

from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome


def outcomes_by_tier(outcomes: Iterable[Outcome], deployment: Deployment | None) -> tuple[Outcome, ...]:
    """Say the tier of every attempt whose article the map knows."""
    if deployment is None or not deployment.skus:
        return tuple(outcomes)
    return tuple(replace(o, stratum=deployment.with_tier(o.stratum, o.item)) for o in outcomes)


def episodes_by_tier(episodes: Iterable[Episode], deployment: Deployment | None) -> tuple[Episode, ...]:
    """Say the tier of every demonstration whose article the map knows."""
    if deployment is None or not deployment.skus:
        return tuple(episodes)
    return tuple(replace(e, stratum=deployment.with_tier(e.stratum, e.handled)) for e in episodes)
