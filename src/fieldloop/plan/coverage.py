"""How well the data in hand cover what is deployed, and how production fares there."""

from collections import Counter
from collections.abc import Iterable, Sequence

from fieldloop.errors import BadInput
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.plan import Coverage
from fieldloop.model.policy import Outcome
from fieldloop.plan.attempts import settled
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
    was collected. What an episode does not say counts for no stratum; `said` tells how many those are.
    """
    places = Places(exposures, factors)
    shown = _count(places, (e.where for e in episodes))
    collected = _count(places, (e.where for e in tried))
    attempts: Counter[int] = Counter()
    failures: Counter[int] = Counter()
    for outcome in settled(outcomes)[0]:
        at = places.of(outcome.stratum.at(outcome.site))
        if at is not None:
            attempts[at] += 1
            failures[at] += not outcome.succeeded
    total = sum(shown.values())
    prices = _prices(places.strata, costs)
    return tuple(
        Coverage(
            stratum, places.shares[at], shown[at], shown[at] / total if total else 0.0, attempts[at], failures[at],
            collected[at], prices.get(at, 1.0),
        )
        for at, stratum in enumerate(places.strata)
    )  # fmt: skip


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


def said(
    exposures: Iterable[Exposure], episodes: Iterable[Episode], outcomes: Iterable[Outcome] = ()
) -> tuple[str, ...]:
    """Say what could not be counted: logs that leave a condition out or lie outside the map, judges that disagree."""
    places = Places(exposures)
    kept, contested = settled(outcomes)
    sentences = [
        *_uncounted(places, "demonstrations", [e.where for e in episodes]),
        *_uncounted(places, "attempts in production", [o.stratum.at(o.site) for o in kept]),
    ]
    if contested:
        sentences.append(
            f"{contested} of {contested + len(kept)} attempts in production are left out: their judges split evenly."
        )
    return tuple(sentences)


def _count(places: Places, logged: Iterable[Stratum]) -> Counter[int]:
    return Counter(at for at in map(places.of, logged) if at is not None)


def _prices(strata: Sequence[Stratum], costs: Costs) -> dict[int, float]:
    prices: dict[int, float] = {}
    for covered, times in costs:
        for at, stratum in enumerate(strata):
            if covered.covers(stratum):
                prices[at] = prices.get(at, 1.0) * times
    return prices


def _uncounted(places: Places, what: str, logged: Sequence[Stratum]) -> Iterable[str]:
    silent: Counter[str] = Counter()
    mute, outside = 0, 0
    for stratum in logged:
        if places.of(stratum) is not None:
            continue
        missing = places.unsaid(stratum)
        silent.update(missing)
        mute += bool(missing)
        outside += not missing
    if mute:
        named = ", ".join(f"{factor} ({count})" for factor, count in silent.most_common())
        yield (
            f"{mute} of {len(logged)} {what} ({mute / len(logged):.0%}) do not say {named}: they count for no stratum. "
            "Let the station or the mapping fill it in."
        )
    if outside:
        yield (
            f"{outside} of {len(logged)} {what} ({outside / len(logged):.0%}) lie in strata that the map does not "
            "deploy: they count for none. Add the strata to the map if they are real."
        )
