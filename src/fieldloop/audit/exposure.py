"""Joint shares that were counted, laid over the product of the map's own shares."""

from collections import Counter, defaultdict
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
    say every factor of their site are counted, on enough days, and only where most say it. A site without any attempt
    is not at work yet: it keeps what the map says of it.
    """
    factors = {site.id: (*deployment.mixes(site), "site") for site in deployment.sites}
    counts = Counter[Stratum]()
    made, said, days = Counter[str](), Counter[str](), defaultdict[str, set[int]](set)
    for seen in witnesses(deployment, (), outcomes):
        if seen.site not in factors:
            continue
        made[seen.site] += 1
        levels = {**seen.levels, "site": seen.site}
        if all(factor in levels for factor in factors[seen.site]):
            counts[Stratum.of({factor: levels[factor] for factor in factors[seen.site]})] += 1
            said[seen.site] += 1
            days[seen.site].add(seen.day)
    total = counts.total()
    if not total:
        raise BadInput(
            "No attempt in production says every factor of its site, so there are no measured shares. "
            f"They are: {', '.join(dict.fromkeys(f for names in factors.values() for f in names))}."
        )
    for site, attempts in sorted(made.items()):
        _refuse_too_little(site, said[site] / attempts, attempts, len(days[site]), settings)
    idle = {site.id for site in deployment.sites} - set(made)
    claimed = [e for e in replace(deployment, measured=()).exposures if e.stratum.level("site") in idle]
    at_work = 1.0 - sum(e.share for e in claimed)
    measured = (*(Exposure(stratum, at_work * count / total) for stratum, count in sorted(counts.items())), *claimed)
    return replace(deployment, measured=measured, measured_weight=total / (total + settings.number("measured_prior")))


def _refuse_too_little(site: str, said: float, attempts: int, days: int, settings: Section) -> None:
    """Hold measured shares to what a comparison with the map is held to: one long day is one day."""
    least, enough = int(settings.number("min_days")), settings.number("min_said_share")
    if said < enough:
        raise BadInput(
            f"{site}: only {said:.0%} of {attempts} attempts say every factor, and the others may differ; measured "
            f"shares need {enough:.0%}."
        )
    if days < least:
        raise BadInput(f"{site}: all attempts are of {days} day{'s' * (days != 1)}; measured shares need {least}.")
