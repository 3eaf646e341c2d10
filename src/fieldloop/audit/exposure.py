"""Joint shares that were counted, laid over the product of the map's own shares."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from fieldloop.audit.evidence import witnesses
from fieldloop.errors import BadInput
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section


def with_measured(deployment: Deployment, outcomes: Iterable[Outcome], settings: Section) -> Deployment:
    """Return the deployment with the joint shares of production beside the map's, by how many attempts there are.

    The map takes its factors as independent; attempts know that the night shift is also the dim one. Only attempts that
    say every factor of their site are counted.
    """
    factors = {site.id: (*deployment.mixes(site), "site") for site in deployment.sites}
    counts = Counter[Stratum]()
    for seen in witnesses(deployment, (), outcomes):
        levels = {**seen.levels, "site": seen.site}
        if all(factor in levels for factor in factors.get(seen.site, ("", ""))):
            counts[Stratum.of({factor: levels[factor] for factor in factors[seen.site]})] += 1
    total = counts.total()
    if not total:
        raise BadInput(
            "No attempt in production says every factor of its site, so there are no measured shares. "
            f"They are: {', '.join(dict.fromkeys(f for names in factors.values() for f in names))}."
        )
    measured = tuple(Exposure(stratum, count / total) for stratum, count in sorted(counts.items()))
    return replace(deployment, measured=measured, measured_weight=total / (total + settings.number("measured_prior")))
