"""How far a plan is: collected, accepted, rejected, left, by quota and by order."""

from collections.abc import Iterable, Mapping, Sequence

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


def progress(plan: Plan, episodes: Iterable[Episode], statuses: Mapping[str, Status]) -> tuple[Progress, ...]:
    """Count episodes towards the quotas: PASSED is accepted, any other answer rejected, none yet is only done.

    An episode counts for the narrowest quota that covers it, and once; simulated ones for quotas of the simulator.
    """
    by_kind = {
        simulated: _Finder([q.stratum for q in plan.quotas], _positions(plan, simulated=simulated))
        for simulated in (False, True)
    }
    tally = _Tally(len(plan.quotas), statuses)
    for episode in episodes:
        at = by_kind[bool(episode.simulated)].of(episode.where)
        if at is not None:
            tally.add(at, episode)
    return tuple(
        Progress(q.stratum, q.demonstrations, done, accepted, rejected, q.kind)
        for q, (done, accepted, rejected) in zip(plan.quotas, tally.counts, strict=True)
    )


def order_progress(
    plan: Plan,
    episodes: Iterable[Episode],
    statuses: Mapping[str, Status],
    sessions: Mapping[str, str],
    returned: Iterable[Returned] = (),
) -> tuple[Progress, ...]:
    """Count episodes towards the orders they were made for, which their session names; beside it what was reported.

    An episode of no such session counts for none, even where the stratum fits: nobody asked its operator for it.
    """
    place = {order.id: at for at, order in enumerate(plan.orders)}
    said = {one.order: one.collected for one in returned}
    tally = _Tally(len(plan.orders), statuses)
    for episode in episodes:
        at = place.get(sessions.get(episode.session, ""))
        if at is not None:
            tally.add(at, episode)
    return tuple(
        Progress(o.stratum, o.demonstrations, done, accepted, rejected, o.kind, o.id, said.get(o.id))
        for o, (done, accepted, rejected) in zip(plan.orders, tally.counts, strict=True)
    )


class _Finder:
    """The narrowest among some of the strata, by position among all."""

    def __init__(self, strata: Sequence[Stratum], positions: Sequence[int]) -> None:
        self._positions = positions
        self._narrowest = Narrowest([strata[at] for at in positions])

    def of(self, logged: Stratum) -> int | None:
        at = self._narrowest.of(logged)
        return None if at is None else self._positions[at]


def _positions(plan: Plan, *, simulated: bool) -> list[int]:
    """Quotas that episodes of one origin count for; without any for the simulator, its episodes count as others do."""
    mine = [at for at, q in enumerate(plan.quotas) if (q.kind is QuotaKind.SIMULATION) is simulated]
    return mine or ([] if not simulated else [at for at, _ in enumerate(plan.quotas)])
