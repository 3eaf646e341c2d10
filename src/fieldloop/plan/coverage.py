"""Coverage: how well the data in hand cover the deployed strata, and how production performs there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fieldloop.errors import BadInput
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.plan import Coverage
from fieldloop.model.policy import Outcome
from fieldloop.plan.places import Places
from fieldloop.protocol import Section

Costs = Sequence[tuple[Stratum, float]]


def compute_coverage(
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
    was collected. An episode that does not log a condition counts for no stratum; `note_uncounted_logs` reports
    how many.
    """
    kept = settle_attempts(outcomes)[0]
    counts = Counts(
        demonstrations=((e.stratum_with_site, 1) for e in episodes),
        tried=((e.stratum_with_site, 1) for e in tried),
        attempts=((o.stratum.add_site(o.site), 1) for o in kept),
        failures=((o.stratum.add_site(o.site), 1) for o in kept if not o.succeeded),
    )
    return compute_coverage_from_counts(exposures, counts, factors, costs=costs)


@dataclass(frozen=True, slots=True)
class Counts:
    """What was logged by stratum, already counted; the same stratum may come several times."""

    demonstrations: Iterable[tuple[Stratum, int]] = ()
    tried: Iterable[tuple[Stratum, int]] = ()
    attempts: Iterable[tuple[Stratum, int]] = ()
    failures: Iterable[tuple[Stratum, int]] = ()


def compute_coverage_from_counts(
    exposures: Iterable[Exposure], counts: Counts, factors: Iterable[str] | None = None, *, costs: Costs = ()
) -> tuple[Coverage, ...]:
    """Return coverage from counts by stratum, as the store keeps them for a million outcomes."""
    places = Places(exposures, factors)
    shown, collected = _count_by_stratum(places, counts.demonstrations), _count_by_stratum(places, counts.tried)
    attempts, failures = _count_by_stratum(places, counts.attempts), _count_by_stratum(places, counts.failures)
    total = sum(shown)
    prices = _list_demonstration_costs(places.strata, costs)
    shares = [count / total if total else 0.0 for count in shown]
    columns = (places.strata, places.shares, shown, shares, attempts, failures, collected, prices)
    return tuple(map(Coverage, *columns))


def read_demonstration_costs(settings: Section) -> tuple[tuple[Stratum, float], ...]:
    """Read the relative cost of some demonstrations, as the settings state it: 'site=gdansk: 2.5'."""
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


def _count_by_stratum(places: Places, logged: Iterable[tuple[Stratum, int]]) -> list[int]:
    counts = [0] * len(places.strata)
    by_stratum = Counter[Stratum]()
    for stratum, count in logged:
        by_stratum[stratum] += count
    for stratum, count in by_stratum.items():
        at = places.find_position(stratum)
        if at is not None:
            counts[at] += count
    return counts


def _list_demonstration_costs(strata: Sequence[Stratum], costs: Costs) -> list[float]:
    prices = [1.0] * len(strata)
    for covered, times in costs:
        for at, stratum in enumerate(strata):
            if covered.covers(stratum):
                prices[at] *= times
    return prices
