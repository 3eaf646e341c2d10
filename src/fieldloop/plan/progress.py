"""How far a plan is: collected, accepted, rejected, left."""

from collections.abc import Iterable, Mapping

from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.plan import Plan, Progress


def progress(plan: Plan, episodes: Iterable[Episode], statuses: Mapping[str, Status]) -> tuple[Progress, ...]:
    """Count episodes towards the quotas: PASSED is accepted, any other answer rejected, none yet is only done.

    An episode counts for the narrowest quota that covers it, and once.
    """
    quotas = sorted(plan.quotas, key=lambda q: -len(q.stratum.conditions))
    counts = {q.stratum: [0, 0, 0] for q in quotas}
    for episode in episodes:
        quota = next((q for q in quotas if q.stratum.covers(episode.stratum)), None)
        if quota is None:
            continue
        status = statuses.get(episode.id)
        tally = counts[quota.stratum]
        tally[0] += 1
        tally[1] += status is Status.PASSED
        tally[2] += status is not None and status is not Status.PASSED
    return tuple(Progress(q.stratum, q.demonstrations, *counts[q.stratum]) for q in plan.quotas)
