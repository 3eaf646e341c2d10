"""Progress of work orders, consistent with the progress of quotas."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from fieldloop.loop.plan.known import collected_since
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Session
from fieldloop.model.plan import Plan, Progress, QuotaKind, Returned
from fieldloop.plan import order_progress, progress

What = tuple[Stratum, QuotaKind]


def order_counts(workspace: Workspace, plan: Plan, returned: Iterable[Returned] = ()) -> tuple[Progress, ...]:
    """Count episodes towards orders: by the order that a session names, the rest by its conditions."""
    episodes, statuses = collected_since(workspace, plan)
    sessions = {s.id: s.work_order for s in workspace.store.find(Session) if s.work_order}
    named = order_progress(plan, episodes, statuses, sessions=sessions, returned=returned)
    return with_unnamed(named, progress(plan, episodes, statuses))


def with_unnamed(orders: Iterable[Progress], quotas: Iterable[Progress]) -> tuple[Progress, ...]:
    """Assign episodes that name no order to the orders of their quota, the first with room first.

    Rejected, unchecked and surplus episodes are counted with the first order.
    """
    alike: dict[What, list[Progress]] = defaultdict(list)
    for order in orders:
        alike[order.stratum, order.kind].append(order)
    of_quota = {(quota.stratum, quota.kind): quota for quota in quotas}
    return tuple(one for what, own in alike.items() for one in _shared_out(own, what, of_quota))


def _shared_out(own: list[Progress], what: What, quotas: Mapping[What, Progress]) -> list[Progress]:
    quota = quotas.get(what)
    if quota is None:
        return own
    accepted = max(0, quota.accepted - sum(order.accepted for order in own))
    rejected = max(0, quota.rejected - sum(order.rejected for order in own))
    waiting = max(0, _waiting(quota) - sum(map(_waiting, own)))
    filled = []
    for order in own:
        more = min(accepted, order.left)
        accepted -= more
        filled.append(replace(order, done=order.done + more, accepted=order.accepted + more))
    first = filled[0]
    filled[0] = replace(
        first,
        done=first.done + accepted + rejected + waiting,
        accepted=first.accepted + accepted,
        rejected=first.rejected + rejected,
    )
    return filled


def _waiting(one: Progress) -> int:
    return one.done - one.accepted - one.rejected
