"""Progress of work orders, consistent with the progress of quotas."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from fieldloop.loop.plan.known import find_collected_since
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Session
from fieldloop.model.plan import Plan, Progress, QuotaKind, Returned
from fieldloop.plan import compute_order_progress, compute_quota_progress

What = tuple[Stratum, QuotaKind]


def count_episodes_by_order(
    workspace: Workspace, plan: Plan, returned: Iterable[Returned] = ()
) -> tuple[Progress, ...]:
    """Count episodes towards orders: by the order that a session names, the rest by its conditions."""
    episodes, statuses = find_collected_since(workspace, plan)
    sessions = {s.id: s.work_order for s in workspace.store.find(Session) if s.work_order}
    named = compute_order_progress(plan, episodes, statuses, sessions=sessions, returned=returned)
    return assign_unnamed_episodes(named, compute_quota_progress(plan, episodes, statuses))


def assign_unnamed_episodes(orders: Iterable[Progress], quotas: Iterable[Progress]) -> tuple[Progress, ...]:
    """Assign episodes that name no order to the orders of their quota, the first with room first.

    Rejected, unchecked and surplus episodes are counted with the first order.
    """
    alike: dict[What, list[Progress]] = defaultdict(list)
    for order in orders:
        alike[order.stratum, order.kind].append(order)
    of_quota = {(quota.stratum, quota.kind): quota for quota in quotas}
    return tuple(one for what, own in alike.items() for one in _assign_quota_to_orders(own, what, of_quota))


def _assign_quota_to_orders(orders: list[Progress], what: What, quotas: Mapping[What, Progress]) -> list[Progress]:
    quota = quotas.get(what)
    if quota is None:
        return orders
    accepted = max(0, quota.accepted - sum(order.accepted for order in orders))
    rejected = max(0, quota.rejected - sum(order.rejected for order in orders))
    waiting = max(0, _count_episodes_without_verdict(quota) - sum(map(_count_episodes_without_verdict, orders)))
    filled = []
    for order in orders:
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


def _count_episodes_without_verdict(one: Progress) -> int:
    return one.done - one.accepted - one.rejected
