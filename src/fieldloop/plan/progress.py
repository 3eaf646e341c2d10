"""Progress of a plan: collected, accepted, rejected and left, by quota and by order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.plan import Plan, Progress, QuotaKind, Returned
from fieldloop.plan.places import Narrowest


class _Tally:
    """Counts by position: done, accepted, rejected."""

    def __init__(self, size: int, statuses: Mapping[str, Status]) -> None:
        self.counts = [[0, 0, 0] for _ in range(size)]
        self._statuses = statuses

    def add(self, at: int, episode: Episode) -> None:
        status = self._statuses.get(episode.id)
        counts = self.counts[at]
        counts[0] += 1
        counts[1] += status is Status.PASSED
        counts[2] += status is not None and status is not Status.PASSED


def compute_quota_progress(
    plan: Plan, episodes: Iterable[Episode], statuses: Mapping[str, Status]
) -> tuple[Progress, ...]:
    """Count episodes towards the quotas: PASSED is accepted, any other status rejected, none yet is only done.

    An episode counts for the narrowest quota that covers it, and once; simulated ones for quotas of the simulator.
    Where nothing real came in, the floor itself is simulated: what those quotas do not need counts for the others.
    """
    tally = _Tally(len(plan.quotas), statuses)
    for at, episode in _assign_to_quotas(plan, tuple(episodes)):
        tally.add(at, episode)
    return tuple(
        Progress(q.stratum, q.demonstrations, done, accepted, rejected, q.kind)
        for q, (done, accepted, rejected) in zip(plan.quotas, tally.counts, strict=True)
    )


def list_episodes_of_quotas(plan: Plan, episodes: Iterable[Episode]) -> tuple[str, ...]:
    """Return the ids of the episodes that count for a quota."""
    return tuple(episode.id for _, episode in _assign_to_quotas(plan, tuple(episodes)))


def measure_pace(
    plan: Plan, episodes: Iterable[Episode], statuses: Mapping[str, Status]
) -> tuple[int, tuple[int, ...]]:
    """Return how many demonstrations by people are left, and when those began that were accepted towards them.

    Episodes for no quota, beyond a full quota or from a simulator do not bring the end nearer, so the pace leaves them
    out.
    """
    left = {at: q.demonstrations for at, q in enumerate(plan.quotas) if q.kind is not QuotaKind.SIMULATION}
    accepted = []
    for at, episode in _assign_to_quotas(plan, sorted(episodes, key=lambda e: (e.start_ns, e.id))):
        if left.get(at, 0) > 0 and statuses.get(episode.id) is Status.PASSED:
            left[at] -= 1
            accepted.append(episode.start_ns)
    return sum(left.values()), tuple(accepted)


def count_accepted_outside_quotas(plan: Plan, episodes: Iterable[Episode], statuses: Mapping[str, Status]) -> int:
    """Return how many accepted episodes count for no quota, such as those of a laboratory."""
    came = tuple(episodes)
    asked = {episode.id for _, episode in _assign_to_quotas(plan, came)}
    return sum(statuses.get(e.id) is Status.PASSED and e.id not in asked for e in came)


def compute_order_progress(
    plan: Plan,
    episodes: Iterable[Episode],
    statuses: Mapping[str, Status],
    sessions: Mapping[str, str],
    returned: Iterable[Returned] = (),
) -> tuple[Progress, ...]:
    """Count episodes towards the orders that their sessions name, with what the collectors reported.

    An episode of another session counts for none, even where the stratum fits: its operator was not asked for it.
    """
    place = {order.id: at for at, order in enumerate(plan.orders)}
    reported = {sheet.order: sheet.collected for sheet in returned}
    tally = _Tally(len(plan.orders), statuses)
    for episode in episodes:
        at = place.get(sessions.get(episode.session, ""))
        if at is not None:
            tally.add(at, episode)
    return tuple(
        Progress(o.stratum, o.demonstrations, done, accepted, rejected, o.kind, o.id, reported.get(o.id))
        for o, (done, accepted, rejected) in zip(plan.orders, tally.counts, strict=True)
    )


def _assign_to_quotas(plan: Plan, episodes: Sequence[Episode]) -> Iterator[tuple[int, Episode]]:
    """Yield the quota that each episode counts for, by position; episodes that count for none are left out."""
    nothing_real = all(episode.simulated for episode in episodes)
    real, simulated = (_Finder(plan, simulated=kind) for kind in (False, True))
    done = [0] * len(plan.quotas)
    for episode in episodes:
        at = (simulated if episode.simulated else real).find_quota(episode.stratum_with_site)
        if nothing_real and (at is None or done[at] >= plan.quotas[at].demonstrations):
            other = real.find_quota(episode.stratum_with_site)
            at = at if other is None else other
        if at is not None:
            done[at] += 1
            yield at, episode


class _Finder:
    """The narrowest among the quotas of one origin, by position among all."""

    def __init__(self, plan: Plan, *, simulated: bool) -> None:
        self._mine = [at for at, q in enumerate(plan.quotas) if (q.kind is QuotaKind.SIMULATION) is simulated]
        self._narrowest = Narrowest([plan.quotas[at].stratum for at in self._mine])

    def find_quota(self, logged: Stratum) -> int | None:
        at = self._narrowest.find_position(logged)
        return None if at is None else self._mine[at]
