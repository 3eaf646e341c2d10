"""How well the data in hand cover what is deployed, and how production fares there."""

from collections import Counter
from collections.abc import Iterable

from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.plan import Coverage
from fieldloop.model.policy import Outcome


def coverage(
    exposures: Iterable[Exposure],
    episodes: Iterable[Episode],
    outcomes: Iterable[Outcome] = (),
    factors: Iterable[str] | None = None,
) -> tuple[Coverage, ...]:
    """Count demonstrations and failures per deployed stratum, largest share of production first.

    `factors` merges strata that differ in nothing else. What an episode does not say counts for no stratum.
    """
    shares: Counter[Stratum] = Counter()
    kept = None if factors is None else tuple(factors)
    for exposure in exposures:
        shares[exposure.stratum if kept is None else exposure.stratum.only(kept)] += exposure.share  # type: ignore[assignment]  # a Counter adds shares as well as counts
    named = {c.factor for stratum in shares for c in stratum.conditions}
    demonstrations = Counter(e.where.only(named) for e in episodes)
    attempts: Counter[Stratum] = Counter()
    failures: Counter[Stratum] = Counter()
    for outcome in outcomes:
        place = outcome.stratum.at(outcome.site).only(named)
        attempts[place] += 1
        failures[place] += not outcome.succeeded
    total = sum(demonstrations[s] for s in shares)
    return tuple(
        Coverage(s, share, demonstrations[s], demonstrations[s] / total if total else 0.0, attempts[s], failures[s])
        for s, share in sorted(shares.items(), key=lambda item: (-item[1], item[0]))
    )
