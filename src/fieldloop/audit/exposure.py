"""Combine joint shares measured in production with the product of the map's own shares."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from fieldloop.audit.evidence import collect_logged_attempts
from fieldloop.errors import BadInput
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section


def apply_measured_shares(deployment: Deployment, outcomes: Iterable[Outcome], settings: Section) -> Deployment:
    """Return the deployment with measured joint shares, weighted by the number of attempts.

    The map treats its factors as independent; attempts show that the night shift is also the dim one. Only attempts
    that log every factor of their site are counted, on enough days, and only where most log them. A site without
    attempts is not live yet and keeps the shares of the map.
    """
    factors = {site.id: (*deployment.get_mixes(site), "site") for site in deployment.sites}
    counts = Counter[Stratum]()
    made, complete, days = Counter[str](), Counter[str](), defaultdict[str, set[int]](set)
    for seen in collect_logged_attempts(deployment, (), outcomes):
        if seen.site not in factors:
            continue
        made[seen.site] += 1
        levels = {**seen.levels, "site": seen.site}
        if all(factor in levels for factor in factors[seen.site]):
            counts[Stratum.of({factor: levels[factor] for factor in factors[seen.site]})] += 1
            complete[seen.site] += 1
            days[seen.site].add(seen.day)
    total = counts.total()
    if not total:
        raise BadInput(
            "No attempt in production logs every factor of its site, so shares cannot be measured. "
            f"Factors: {', '.join(dict.fromkeys(f for names in factors.values() for f in names))}."
        )
    for site, attempts in sorted(made.items()):
        _refuse_too_little_data(site, complete[site] / attempts, attempts, len(days[site]), settings)
    idle = {site.id for site in deployment.sites} - set(made)
    claimed = [e for e in replace(deployment, measured=()).exposures if e.stratum.level("site") in idle]
    at_work = 1.0 - sum(e.share for e in claimed)
    measured = (*(Exposure(stratum, at_work * count / total) for stratum, count in sorted(counts.items())), *claimed)
    return replace(deployment, measured=measured, measured_weight=total / (total + settings.number("measured_prior")))


def _refuse_too_little_data(site: str, share: float, attempts: int, days: int, settings: Section) -> None:
    """Refuse measured shares from too few days or too incomplete logs, by the limits of the comparison."""
    least, enough = int(settings.number("min_days")), settings.number("min_said_share")
    if share < enough:
        raise BadInput(
            f"{site}: only {share:.0%} of {attempts} attempts log every factor, and the others may differ; measured "
            f"shares need {enough:.0%}."
        )
    if days < least:
        raise BadInput(f"{site}: all attempts come from {days} day{'s' * (days != 1)}; measured shares need {least}.")
