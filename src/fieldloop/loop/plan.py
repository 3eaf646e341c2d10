"""What to collect next: coverage of the deployed strata, failures in the field, what incidents ask for."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.audit import latest_deployment, require_complete_audit
from fieldloop.loop.rollout import in_production, on_ladder
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import PlanDrawn
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.person import Operator
from fieldloop.model.plan import Coverage, Demand, Plan, Progress
from fieldloop.model.policy import Outcome, Stage
from fieldloop.plan import STRATEGIES, Crew, coverage, draw, progress

FOREVER_NS = 2**62


@dataclass(frozen=True, slots=True)
class PlanNow:
    """The plan in force, how far it is, and what it stands on."""

    plan: Plan | None
    progress: tuple[Progress, ...]
    coverage: tuple[Coverage, ...]


def plan(workspace: Workspace, *, budget: int | None = None, strategy: str = "marginal", seed: int = 0) -> Plan:
    """Draw the next collection plan from coverage, failures in production and open demands.

    Arguments:
        budget: how many demonstrations; operations' plan.budget unless given
        strategy: marginal (expected gain), frequency, uniform or failure_index
        seed: for the draws behind the intervals
    """
    require_complete_audit(workspace)
    if strategy not in STRATEGIES:
        raise BadInput(f"{UnknownName('strategy', strategy, STRATEGIES)} Known: {', '.join(STRATEGIES)}.")
    settings = workspace.operations["plan"]
    if budget is not None and budget < 1:
        raise BadInput(f"A budget of {budget} demonstrations is no plan; give a number from 1.")
    if budget is not None:
        settings = settings.replaced(budget=budget)
    crew = Crew(
        operators=tuple(workspace.store.find(Operator)),
        robots=tuple(workspace.store.find(Robot)),
        protocol=workspace.protocol().label,
        task=workspace.task,
    )
    drawn = draw(
        coverage_now(workspace), open_demands(workspace), crew, settings, workspace.ids, workspace.clock(),
        np.random.default_rng(seed), strategy,
    )  # fmt: skip
    workspace.write(PlanDrawn(drawn))
    return drawn


def show(workspace: Workspace) -> PlanNow:
    """Show the plan in force with its live progress, and the coverage of the deployed strata."""
    latest = next(iter(workspace.store.find(Plan, newest=True, limit=1)), None)
    return PlanNow(latest, _progress(workspace, latest) if latest else (), coverage_now(workspace))


def coverage_now(workspace: Workspace) -> tuple[Coverage, ...]:
    """Return every deployed stratum with its demonstrations in hand and how production fared there."""
    exposures = latest_deployment(workspace).exposures
    accepted = workspace.store.find(Episode, {"status": Status.PASSED})
    # what an earlier version failed at is no news once another one works there
    climbing = on_ladder(workspace)
    running = [version for version in (in_production(workspace), climbing and climbing.candidate) if version]
    where = {"stage": Stage.PRODUCTION} | ({"policy": running} if running else {})
    outcomes = workspace.store.find(Outcome, where)
    return tuple(coverage(exposures, accepted, outcomes))


def open_demands(workspace: Workspace) -> Sequence[Demand]:
    """Return what no plan has answered yet, demand by demand."""
    got = Counter[str]()
    for drawn in workspace.store.find(Plan):
        got.update(dict(drawn.answered))
    open_ones = ((d, d.demonstrations - got[d.id]) for d in workspace.store.find(Demand))
    return [dataclasses.replace(d, demonstrations=missing) for d, missing in open_ones if missing > 0]


def _progress(workspace: Workspace, latest: Plan) -> tuple[Progress, ...]:
    since: dict[str, Any] = {"start_ns": range(latest.drawn_ns, FOREVER_NS)}
    judged = {e.id: status for status in Status for e in workspace.store.find(Episode, since | {"status": status})}
    return progress(latest, workspace.store.find(Episode, since), judged)
