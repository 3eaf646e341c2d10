"""What a plan stands on: coverage of the deployed strata, failures in the field, what incidents ask for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fieldloop.loop.audit import latest_deployment
from fieldloop.loop.by_tier import episodes_by_tier, outcomes_by_tier
from fieldloop.loop.rollout import in_production, on_ladder
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import LogIngested, PlanDrawn
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.person import Operator
from fieldloop.model.plan import Coverage, Demand, Plan, PlanScore, Progress
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.plan import Crew, Known, coverage, progress, stated_costs


def known_now(workspace: Workspace) -> Known:
    """Return all that the next plan stands on."""
    return Known(
        coverage_now(workspace),
        latest_deployment(workspace),
        good_demonstrations(workspace),
        outcomes_in_force(workspace),
        in_production(workspace) or "",
        scores_of(workspace),
    )


def coverage_now(workspace: Workspace) -> tuple[Coverage, ...]:
    """Return every deployed stratum with its demonstrations in hand and how production fared there.

    Of sound recordings, those that failed count as tried: where even people fail, no demonstration will help.
    """
    exposures = latest_deployment(workspace).exposures
    covered = coverage(
        exposures,
        good_demonstrations(workspace),
        outcomes_in_force(workspace),
        tried=_episodes(workspace, {"status": Status.PASSED}),
        costs=stated_costs(workspace.operations["plan"]),
    )
    running = in_production(workspace)
    if running is None:
        return covered
    taught = coverage(exposures, learnt_by(workspace, running))
    return tuple(replace(c, learnt=t.demonstrations) for c, t in zip(covered, taught, strict=True))


def coverage_under(workspace: Workspace, policy: str) -> tuple[Coverage, ...]:
    """Return coverage as one policy met it: what it learnt from, and its outcomes in production."""
    return coverage(
        latest_deployment(workspace).exposures,
        learnt_by(workspace, policy),
        _outcomes(workspace, {"stage": Stage.PRODUCTION, "policy": policy}),
    )


def good_demonstrations(workspace: Workspace) -> tuple[Episode, ...]:
    """Return sound recordings of what went well, or at least not known to have failed."""
    return tuple(e for e in _episodes(workspace, {"status": Status.PASSED}) if e.succeeded is not False)


def learnt_by(workspace: Workspace, policy: str) -> tuple[Episode, ...]:
    """Return the demonstrations that a version was trained on."""
    release = workspace.store.get(Release, workspace.store.get(PolicyVersion, policy).release)
    return tuple(e for e in _episodes(workspace, {"id": list(release.episodes)}) if e.succeeded is not False)


def outcomes_in_force(workspace: Workspace) -> tuple[Outcome, ...]:
    """Return production of what works now: what an earlier version failed at is no news once another one is there."""
    climbing = on_ladder(workspace)
    running = [version for version in (in_production(workspace), climbing and climbing.candidate) if version]
    return _outcomes(workspace, {"stage": Stage.PRODUCTION} | ({"policy": running} if running else {}))


def _episodes(workspace: Workspace, where: dict[str, Any]) -> tuple[Episode, ...]:
    return episodes_by_tier(workspace.store.find(Episode, where), latest_deployment(workspace))


def _outcomes(workspace: Workspace, where: dict[str, Any]) -> tuple[Outcome, ...]:
    return outcomes_by_tier(workspace.store.find(Outcome, where), latest_deployment(workspace))


def crew_of(workspace: Workspace) -> Crew:
    """Return who and what collects."""
    return Crew(
        operators=tuple(workspace.store.find(Operator)),
        robots=tuple(workspace.store.find(Robot)),
        protocol=workspace.protocol().label,
        task=workspace.task,
    )


def open_demands(workspace: Workspace) -> Sequence[Demand]:
    """Return what no plan has answered yet, demand by demand."""
    got = Counter[str]()
    for drawn in workspace.store.find(Plan):
        got.update(dict(drawn.answered))
    open_ones = ((d, d.demonstrations - got[d.id]) for d in workspace.store.find(Demand))
    return [replace(d, demonstrations=missing) for d, missing in open_ones if missing > 0]


def scores_of(workspace: Workspace) -> tuple[PlanScore, ...]:
    """Return how earlier plans turned out, newest first."""
    return tuple(workspace.store.find(PlanScore, newest=True))


def collected_since(workspace: Workspace, plan: Plan) -> tuple[list[Episode], dict[str, Status]]:
    """Return what came in since a plan was drawn, and the verdict on each where there is one.

    When it was recorded does not matter: the plan asked for what it did not know of.
    """
    drawn = (made.seq for made in workspace.store.events(PlanDrawn) if made.event.plan.id == plan.id)
    came = workspace.store.events(LogIngested, after=next(drawn, workspace.store.last()))
    mine: dict[str, Any] = {"id": [episode for one in came for episode in one.event.log.episodes]}
    judged = {e.id: status for status in Status for e in workspace.store.find(Episode, mine | {"status": status})}
    return list(_episodes(workspace, mine)), judged


def progress_of(workspace: Workspace, plan: Plan) -> tuple[Progress, ...]:
    """Return how far a plan is, quota by quota."""
    return progress(plan, *collected_since(workspace, plan))
