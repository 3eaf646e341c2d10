"""Quotas become work orders: who collects what on which robot, with operators rotating."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fieldloop.model.hardware import Robot
from fieldloop.model.identity import Ids
from fieldloop.model.person import Operator
from fieldloop.model.plan import Quota, WorkOrder
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Crew:
    """Who and what collects: operators, robots, by which protocol, for which task."""

    operators: tuple[Operator, ...]
    robots: tuple[Robot, ...]
    protocol: str
    task: str = ""


def orders(
    quotas: Sequence[Quota], crew: Crew, settings: Section, plan: str, ids: Ids
) -> tuple[tuple[WorkOrder, ...], tuple[str, ...]]:
    """Hand every demonstration to the operator with the fewest so far; say where the rules of rotation cannot hold.

    Loads never differ by more than one, so a stratum of three reaches three people and nobody exceeds the batch's
    fair share; what is then still above the rules cannot be had with these people.
    """
    qualified = [o.id for o in crew.operators if not crew.task or not o.qualified_on or crew.task in o.qualified_on]
    loads: Counter[str] = Counter(dict.fromkeys(sorted(qualified), 0))
    made: list[WorkOrder] = []
    for turn, quota in enumerate(quotas):
        site = quota.stratum.level("site") or ""
        robot = _robot(crew.robots, site, turn)
        for operator, count in _shared(quota.demonstrations, loads).items():
            order = WorkOrder(
                ids.new("order"), plan, site, robot, operator, quota.stratum, count, crew.protocol
            )  # fmt: skip
            made.append(order)
    return tuple(made), tuple(_warnings(quotas, loads, crew, settings))


def _shared(demonstrations: int, loads: Counter[str]) -> Counter[str]:
    """Deal out one stratum, fewest so far first; without operators the order waits for one."""
    dealt: Counter[str] = Counter()
    for _ in range(demonstrations):
        # among equals whoever has none of this stratum yet, so that three demonstrations meet three styles
        operator = min(loads, key=lambda name: (loads[name], dealt[name], name), default="")
        dealt[operator] += 1
        if operator:
            loads[operator] += 1
    return dealt


def _robot(robots: Sequence[Robot], site: str, turn: int) -> str:
    here = [r.id for r in robots if not site or r.site == site]
    return here[turn % len(here)] if here else ""


def _warnings(quotas: Sequence[Quota], loads: Counter[str], crew: Crew, settings: Section) -> Iterator[str]:
    if not quotas:
        return
    cap, least = settings.number("max_operator_share"), int(settings.number("min_operators_per_variant"))
    needed = max(least, math.ceil(1.0 / cap))
    total = sum(q.demonstrations for q in quotas)
    if len(loads) < needed:
        yield (
            f"{len(loads)} qualified operators cannot rotate: at most {cap:.0%} each needs at least {needed}. "
            f"Enrol {needed - len(loads)} more."
        )
    elif max(loads.values()) > cap * total:
        yield f"{total} demonstrations cannot be dealt to {len(loads)} operators at {cap:.0%} each; plan more at once."
    if few := [str(q.stratum) for q in quotas if q.demonstrations < least]:
        yield f"{len(few)} strata get fewer than {least} demonstrations, so fewer than {least} operators: {_some(few)}."
    for site in sorted({q.stratum.level("site") or "" for q in quotas}):
        if not _robot(crew.robots, site, 0):
            yield f"No robot is registered{f' at {site}' if site else ''}; its orders name none."


def _some(names: Iterable[str], shown: int = 3) -> str:
    listed = list(names)
    more = f" and {len(listed) - shown} more" if len(listed) > shown else ""
    return "; ".join(listed[:shown]) + more
