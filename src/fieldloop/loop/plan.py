"""What to collect next: coverage of the deployed strata, failures in the field, what incidents ask for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.loop.audit import latest_deployment, require_complete_audit
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import PlanDrawn
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.person import Operator
from fieldloop.model.plan import Coverage, Demand, Plan, Progress
from fieldloop.model.policy import Outcome, Stage
from fieldloop.plan import allocate, coverage, orders, progress


@dataclass(frozen=True, slots=True)
class PlanNow:
    """The plan in force, how far it is, and what it stands on."""

    plan: Plan | None
    progress: tuple[Progress, ...]
    coverage: tuple[Coverage, ...]


def plan(workspace: Workspace, *, budget: int | None = None, strategy: str = "gain", seed: int = 0) -> Plan:
    """Draw the next collection plan from coverage, failures in production and open demands.

    Arguments:
        budget: how many demonstrations; operations' plan.budget unless given
        strategy: gain, frequency, uniform or failure_index
        seed: for the draws behind the intervals
    """
    require_complete_audit(workspace)
    settings = workspace.operations["plan"]
    amount = int(settings["budget"]) if budget is None else budget
    demands = open_demands(workspace)
    quotas = allocate(
        coverage_now(workspace), demands, amount, settings, strategy=strategy, rng=np.random.default_rng(seed)
    )
    plan_id = workspace.ids.new("plan")
    work, warnings = orders(
        plan_id, quotas, workspace.store.find(Operator), workspace.store.find(Robot), settings, workspace.ids,
        protocol=workspace.protocol().label,
    )  # fmt: skip
    drawn = Plan(
        plan_id, amount, strategy, tuple(quotas), tuple(work), sum(q.gain for q in quotas), workspace.clock(),
        settings.fingerprint, tuple(warnings),
    )  # fmt: skip
    workspace.write(PlanDrawn(drawn))
    return drawn


def show(workspace: Workspace) -> PlanNow:
    """Show the plan in force with its live progress, and the coverage of the deployed strata."""
    latest = next(iter(workspace.store.find(Plan, newest=True, limit=1)), None)
    collected = _collected(workspace, latest)
    return PlanNow(latest, tuple(progress(latest, collected)) if latest else (), coverage_now(workspace))


def coverage_now(workspace: Workspace) -> tuple[Coverage, ...]:
    """Return every deployed stratum with its demonstrations in hand and how production fared there."""
    exposures = latest_deployment(workspace).exposures
    accepted = workspace.store.find(Episode, {"status": Status.PASSED})
    outcomes = workspace.store.find(Outcome, {"stage": Stage.PRODUCTION})
    return tuple(coverage(exposures, accepted, outcomes))


def open_demands(workspace: Workspace) -> Sequence[Demand]:
    """Return demands placed since the last plan was drawn: an earlier plan has answered the others."""
    latest = next(iter(workspace.store.find(Plan, newest=True, limit=1)), None)
    since = latest.drawn_ns if latest else 0
    return [demand for demand in workspace.store.find(Demand) if demand.at_ns >= since]


def _collected(workspace: Workspace, latest: Plan | None) -> list[tuple[Episode, Status]]:
    if latest is None:
        return []
    passed = {e.id for e in workspace.store.find(Episode, {"status": Status.PASSED})}
    since = [e for e in workspace.store.find(Episode) if e.start_ns >= latest.drawn_ns]
    return [(e, Status.PASSED if e.id in passed else Status.FAILED) for e in since]
