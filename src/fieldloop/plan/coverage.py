"""How well the data in hand cover what is deployed, and how production fares there."""

from collections.abc import Iterable, Sequence

from fieldloop.errors import BadInput
from fieldloop.model.attempts import settled
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.plan import Coverage
from fieldloop.model.policy import Outcome
from fieldloop.plan.places import Places
from fieldloop.protocol import Section

Costs = Sequence[tuple[Stratum, float]]


def coverage(
    exposures: Iterable[Exposure],
    episodes: Iterable[Episode],
    outcomes: Iterable[Outcome] = (),
    factors: Iterable[str] | None = None,
    *,
    tried: Iterable[Episode] = (),
    costs: Costs = (),
) -> tuple[Coverage, ...]:
    """Count demonstrations and failures per deployed stratum, largest share of production first.

    `factors` merges strata that differ in nothing else. `episodes` are good enough to learn from, `tried` is all that
    was collected. What an episode does not say counts for no stratum; `uncounted` tells how many those are.
    """
    places = Places(exposures, factors)
    shown = _count(places, (e.where for e in episodes))
    collected = _count(places, (e.where for e in tried))
    kept = settled(outcomes)[0]
    attempts = _count(places, (o.stratum.at(o.site) for o in kept))
    failures = _count(places, (o.stratum.at(o.site) for o in kept if not o.succeeded))
    total = sum(shown)
    prices = _prices(places.strata, costs)
    shares = [count / total if total else 0.0 for count in shown]
    columns = (places.strata, places.shares, shown, shares, attempts, failures, collected, prices)
    return tuple(map(Coverage, *columns))


def stated_costs(settings: Section) -> tuple[tuple[Stratum, float], ...]:
    """Read what some demonstrations cost beside ordinary ones, as the settings state it: 'site=gdansk: 2.5'."""
    costs = []
    for line in settings["costs"]:
        stratum, _, factor = str(line).rpartition(":")
        try:
            times = float(factor)
        except ValueError:
            times = -1.0
        if not 0.0 < times < float("inf") or not stratum:
            raise BadInput(f"plan.costs: {line!r} is not 'factor=level: times', as in 'site=gdansk: 2.5'.")
        costs.append((Stratum.parse(stratum), times))
    return tuple(costs)


def _count(places: Places, logged: Iterable[Stratum]) -> list[int]:
    counts = [0] * len(places.strata)
    for stratum in logged:
        at = places.of(stratum)
        if at is not None:
            counts[at] += 1
    return counts


def _prices(strata: Sequence[Stratum], costs: Costs) -> list[float]:
    prices = [1.0] * len(strata)
    for covered, times in costs:
        for at, stratum in enumerate(strata):
            if covered.covers(stratum):
                prices[at] *= times
    return prices
