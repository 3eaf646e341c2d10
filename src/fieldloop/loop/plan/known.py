"""Read the inputs of a plan: coverage of the deployed strata, failures in production, open demands."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.run.rollout import find_rollout_in_progress, find_version_in_production
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import add_tier_to_episodes, add_tier_to_outcomes
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.person import Operator
from fieldloop.model.plan import Coverage, Demand, Plan, PlanScore, Progress
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.plan import (
    Counts,
    Crew,
    Known,
    compute_coverage,
    compute_coverage_elsewhere,
    compute_coverage_from_counts,
    compute_quota_progress,
    count_accepted_outside_quotas,
    read_demonstration_costs,
)
from fieldloop.store import EpisodeCount, StratumCount

C = TypeVar("C", EpisodeCount, StratumCount)
LAST_SEQ = 2**62
"""Behind every sequence number."""


def read_plan_inputs(workspace: Workspace) -> Known:
    """Return all inputs of the next plan."""
    covered, elsewhere = compute_coverage_and_elsewhere(workspace)
    return Known(
        covered,
        require_latest_deployment(workspace),
        find_good_demonstrations(workspace),
        find_outcomes_in_force(workspace),
        find_version_in_production(workspace) or "",
        find_plan_scores(workspace),
        first_order=get_next_order_number(workspace),
        elsewhere=elsewhere,
    )


def get_next_order_number(workspace: Workspace) -> int:
    """Return the number of the next work order; people name orders by it."""
    drawn = workspace.store.find(Plan, newest=True)
    return next((max(o.number for o in plan.orders) for plan in drawn if plan.orders), 0) + 1


def compute_workspace_coverage(workspace: Workspace) -> tuple[Coverage, ...]:
    """Return every deployed stratum with its demonstrations in hand and the results of production there."""
    return compute_coverage_and_elsewhere(workspace)[0]


def compute_coverage_and_elsewhere(workspace: Workspace) -> tuple[tuple[Coverage, ...], tuple[Coverage, ...]]:
    """Return the coverage of every deployed stratum, and the strata demonstrated that are not deployed.

    Sound recordings of failed tries count as tried: where even people fail, demonstrations do not help.
    """
    exposures = require_latest_deployment(workspace).exposures
    views = workspace.store.views
    counted = [count for where in _select_demonstrations(workspace) for count in views.count_episodes(where)]
    sound = list(_add_mapped_strata(workspace, counted))
    tried = views.count_by_stratum(Stage.PRODUCTION, find_versions_in_force(workspace) or None)
    attempts = list(_add_mapped_strata(workspace, tried))
    good = [(s, c.episodes) for s, c in sound if c.succeeded is not False]
    collected = [(s, c.episodes) for s, c in sound]
    covered = compute_coverage_from_counts(
        exposures,
        Counts(
            demonstrations=good,
            tried=collected,
            attempts=((s, c.episodes) for s, c in attempts),
            failures=((s, c.episodes - c.successes) for s, c in attempts),
        ),
        costs=read_demonstration_costs(workspace.operations["plan"]),
    )
    running = find_version_in_production(workspace)
    trained_on = _find_training_episode_ids(workspace, running) if running else None
    if trained_on is None:
        return covered, compute_coverage_elsewhere(covered, good, collected)
    learnt = _add_mapped_strata(workspace, views.count_episodes({"id": list(trained_on)}))
    taught = [(s, c.episodes) for s, c in learnt if c.succeeded is not False]
    elsewhere = compute_coverage_elsewhere(covered, good, collected, taught)
    lessons = compute_coverage_from_counts(exposures, Counts(demonstrations=taught))
    return tuple(replace(c, learnt=t.demonstrations) for c, t in zip(covered, lessons, strict=True)), elsewhere


def compute_coverage_for_policy(workspace: Workspace, policy: str) -> tuple[Coverage, ...]:
    """Return coverage for one policy: what it learnt from, and its outcomes in production."""
    return compute_coverage(
        require_latest_deployment(workspace).exposures,
        find_training_demonstrations(workspace, policy),
        _find_outcomes(workspace, {"stage": Stage.PRODUCTION, "policy": policy}),
    )


def find_good_demonstrations(workspace: Workspace) -> tuple[Episode, ...]:
    """Return the demonstrations that passed their checks and are not known to have failed."""
    found = (e for where in _select_demonstrations(workspace) for e in _find_episodes(workspace, where))
    return tuple(episode for episode in found if episode.succeeded is not False)


def _select_demonstrations(workspace: Workspace) -> list[dict[str, Any]]:
    """Return filters of sound recordings: those that passed, and those whose fixes a release accepted."""
    repaired = {episode for release in workspace.find_all(Release) for episode, _ in release.fixes}
    accepted = {"id": sorted(repaired), "status": [status for status in Status if status is not Status.PASSED]}
    return [{"status": Status.PASSED}, *([accepted] if repaired else [])]


def find_training_demonstrations(workspace: Workspace, policy: str) -> tuple[Episode, ...]:
    """Return the demonstrations that a version was trained on; all good ones where that is not known here."""
    trained_on = _find_training_episode_ids(workspace, policy)
    if trained_on is None:
        return find_good_demonstrations(workspace)
    learnt = _find_episodes(workspace, {"id": list(trained_on)})
    return tuple(e for e in learnt if e.succeeded is not False)


def _find_training_episode_ids(workspace: Workspace, policy: str) -> tuple[str, ...] | None:
    """Return the ids of the episodes in the release of a version; None where its training data is not known here."""
    known = next((version for version in workspace.find_all(PolicyVersion) if version.id == policy), None)
    wanted = (known or workspace.store.get(PolicyVersion, policy)).release
    if not wanted:
        return None
    newest = workspace.find_newest(Release)
    return newest.episodes if newest and newest.id == wanted else workspace.store.get(Release, wanted).episodes


def find_outcomes_in_force(workspace: Workspace) -> tuple[Outcome, ...]:
    """Return outcomes in production of the versions that run now; those of earlier versions no longer count."""
    running = find_versions_in_force(workspace)
    return _find_outcomes(workspace, {"stage": Stage.PRODUCTION} | ({"policy": running} if running else {}))


def find_versions_in_force(workspace: Workspace) -> list[str]:
    """Return the version in production and the one on the ladder, where there are any."""
    climbing = find_rollout_in_progress(workspace)
    return [version for version in (find_version_in_production(workspace), climbing and climbing.candidate) if version]


def _add_mapped_strata(workspace: Workspace, counts: Iterable[C]) -> Iterator[tuple[Stratum, C]]:
    """Yield each count with its stratum as the map states it: with the tier of the article, and the site."""
    deployment = require_latest_deployment(workspace)
    for count in counts:
        article = count.handled if isinstance(count, EpisodeCount) else count.item
        yield deployment.add_tier(count.stratum, article).add_site(count.site), count


def _find_episodes(workspace: Workspace, where: dict[str, Any]) -> tuple[Episode, ...]:
    return add_tier_to_episodes(workspace.store.find(Episode, where), require_latest_deployment(workspace))


def _find_outcomes(workspace: Workspace, where: dict[str, Any]) -> tuple[Outcome, ...]:
    return add_tier_to_outcomes(workspace.store.find(Outcome, where), require_latest_deployment(workspace))


def find_crew(workspace: Workspace) -> Crew:
    """Return the registered operators and robots."""
    return Crew(
        operators=tuple(workspace.store.find(Operator)),
        robots=tuple(workspace.store.find(Robot)),
        protocol=workspace.protocol().label,
        task=workspace.task,
    )


def find_open_demands(workspace: Workspace) -> Sequence[Demand]:
    """Return the demands that no plan has answered yet."""
    demands = workspace.find_all(Demand)[::-1]
    got = Counter[str]()
    for drawn in workspace.store.find(Plan) if demands else ():
        got.update(dict(drawn.answered))
    open_ones = ((d, d.demonstrations - got[d.id]) for d in demands)
    return [replace(d, demonstrations=missing) for d, missing in open_ones if missing > 0]


def find_plan_scores(workspace: Workspace) -> tuple[PlanScore, ...]:
    """Return the scores of earlier plans, newest first."""
    return tuple(workspace.store.find(PlanScore, newest=True))


def find_collected_since(workspace: Workspace, plan: Plan) -> tuple[list[Episode], dict[str, Status]]:
    """Return what came in since a plan was drawn, and the verdict on each where there is one.

    The time of recording does not matter: it counts if it was ingested after the plan was drawn.
    """
    drawn = workspace.store.views.get_last_stating_seq(Plan, plan.id)
    if drawn is None:
        return [], {}
    came = workspace.store.views.list_judged_episodes({"seq": range(drawn + 1, LAST_SEQ)})
    episodes = add_tier_to_episodes((episode for episode, _ in came), require_latest_deployment(workspace))
    return list(episodes), {episode.id: status for episode, status in came if status is not None}


def compute_plan_progress(workspace: Workspace, plan: Plan) -> tuple[tuple[Progress, ...], int]:
    """Return the progress of a plan, quota by quota, and how many accepted episodes count for no quota."""
    came = find_collected_since(workspace, plan)
    return compute_quota_progress(plan, *came), count_accepted_outside_quotas(plan, *came)
