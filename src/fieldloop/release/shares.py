"""Share of each stratum in production and in the release, and the weight that matches them."""

from collections import Counter
from collections.abc import Sequence

from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.release import StratumShare
from fieldloop.protocol import Section


def weigh_strata(
    episodes: Sequence[Episode], exposures: Sequence[Exposure], settings: Section
) -> tuple[StratumShare, ...]:
    """Weigh every stratum of the map or of the release, most common on the floor first.

    A deployed stratum without episodes is listed with a sampled share of nothing: no weight can bring it back.
    Without a map, nature is unknown and every episode weighs one.
    """
    factors = {c.factor for e in exposures for c in e.stratum.conditions}
    sampled = Counter(e.stratum_with_site.only(factors) if factors else e.stratum for e in episodes)
    natural: dict[Stratum, float] = {}
    for exposure in exposures:
        natural[exposure.stratum] = natural.get(exposure.stratum, 0.0) + exposure.share
    total = len(episodes)
    shares = []
    for stratum in {**natural, **sampled}:
        share = sampled[stratum] / total
        if not exposures:
            shares.append(StratumShare(stratum, share, share, 1.0))
        else:
            shares.append(
                StratumShare(
                    stratum, natural.get(stratum, 0.0), share, _compute_weight(natural.get(stratum), share, settings)
                )
            )
    return tuple(sorted(shares, key=lambda s: (-s.natural, s.stratum)))


def _compute_weight(natural_share: float | None, sampled_share: float, settings: Section) -> float:
    if sampled_share == 0.0:
        return 0.0
    if natural_share is None:
        return settings.number("undeployed_weight")
    return min(natural_share / sampled_share, settings.number("max_weight"))
