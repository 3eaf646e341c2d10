"""Compare two policy versions by their recorded trials, or by trials on the simulated floor."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from fieldloop.errors import BadInput
from fieldloop.evaluate import Compared, compare_versions, pair_attempts
from fieldloop.evaluate.results import name_outcome
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.floor.floor import JUDGE, run_paired_scenes
from fieldloop.loop.run.policies import find_policy, load_engine
from fieldloop.loop.workspace import Workspace
from fieldloop.model.attempts import count_unknown_attempts, list_attempts_in_place
from fieldloop.model.comparison import Question, Verdict, VersionComparison
from fieldloop.model.condition import Stratum
from fieldloop.model.event import OutcomeRecorded
from fieldloop.model.identity import compute_content_id
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.trial import TrialPlan
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata
from fieldloop.store import Expected

STAGES = (Stage.GATE, Stage.LAB)
BETWEEN_LOOKS = 20
"""Scenes that are simulated before the next look; more only cost attempts that the answer does not need."""


def compare_policy_versions(
    workspace: Workspace,
    policy: str,
    against: str,
    *,
    question: Question = Question.BETTER,
    simulate: bool = False,
    seed: int = 0,
) -> VersionComparison:
    """Compare two policy versions by their trials: better, worse, no difference, or how many more pairs are needed.

    It reads trials of stage gate and lab. Trials of one scene of a gate's plan are paired, and those with the same
    site, scenario, conditions and item; trials without a scenario are paired in order of time. Ask as often as you
    like, and stop at any time: the answer stays valid for up to gate.compare_max_pairs pairs.

    Arguments:
        policy: the candidate: its id, a unique beginning of it, or its name
        against: the version to compare it with, such as the one in production
        question: better, or dropped: it decides when waiting longer is not worth it
        simulate: first let both versions try the same scenes on the simulated floor, until there is an answer
        seed: seed of the simulated floor; use the seed of the demonstrations
    """
    candidate, other = find_policy(workspace, policy), find_policy(workspace, against)
    if candidate.id == other.id:
        raise BadInput(f"{policy} and {against} are the same version. Name two versions: fieldloop policy")
    now = _compare_recorded_trials(workspace, candidate, other, question)
    return _simulate_until_decided(workspace, candidate, other, now, seed) if simulate else now


def _compare_recorded_trials(
    workspace: Workspace, candidate: PolicyVersion, other: PolicyVersion, question: Question
) -> VersionComparison:
    trials = [_find_trials(workspace, version) for version in (candidate, other)]
    first, second = (list_attempts_in_place(found) for found in trials)
    return compare_versions(
        pair_attempts(first, second, _find_planned_scenes(workspace, candidate, other)),
        Compared(candidate.id, other.id, candidate.name, other.name),
        question,
        workspace.operations["gate"],
        unknown=sum(map(count_unknown_attempts, trials)),
        simulator=JUDGE,
    )


def _find_trials(workspace: Workspace, version: PolicyVersion) -> list[Outcome]:
    return [o for stage in STAGES for o in workspace.store.find(Outcome, {"policy": version.id, "stage": stage})]


def _find_planned_scenes(workspace: Workspace, candidate: PolicyVersion, other: PolicyVersion) -> dict[str, str]:
    """Return the scene of each outcome of a gate's plan in which one of the versions is the control of the other."""
    arms = ((candidate.id, other.id), (other.id, candidate.id))
    plans = (p for mine, control in arms for p in workspace.store.find(TrialPlan, {"policy": mine, "control": control}))
    return {name_outcome(plan, t.order): f"{plan.id}:{t.scene}" for plan in plans for t in plan.trials}


def _simulate_until_decided(
    workspace: Workspace, candidate: PolicyVersion, other: PolicyVersion, now: VersionComparison, seed: int
) -> VersionComparison:
    """Let both versions try new scenes, some at a time, until the comparison decides; every attempt is recorded."""
    engines = {version.id: load_engine(workspace, version) for version in (candidate, other)}
    scenes, made = _draw_new_scenes(workspace, candidate, other, seed), 0
    while now.verdict is Verdict.UNDECIDED:
        seen, ahead = workspace.store.get_last_seq(), min(BETWEEN_LOOKS, now.most_pairs)
        fresh = run_paired_scenes(workspace, engines, dict(islice(scenes, ahead)), seed=seed)
        workspace.write(
            *map(OutcomeRecorded, fresh), expect=Expected(Outcome, seen, {"policy": candidate.id, "stage": Stage.LAB})
        )
        made += len(fresh)
        now = _compare_recorded_trials(workspace, candidate, other, now.question)
    return replace(now, simulated=made)


def _draw_new_scenes(
    workspace: Workspace, candidate: PolicyVersion, other: PolicyVersion, seed: int
) -> Iterator[tuple[str, Stratum]]:
    """Draw scenes of the deployment that these versions have not met: numbered on, so that none is counted twice."""
    names = sorted((candidate.id, other.id))
    prefix = f"compared:{compute_content_id([':'.join((*names, str(seed))).encode()])[:12]}:"
    met = {o.scenario for o in _find_trials(workspace, candidate) if o.scenario.startswith(prefix)}
    exposures, number = require_latest_deployment(workspace).exposures, len(met)
    while True:
        rng = Floor(seed).make_random_generator(prefix, number)
        yield f"{prefix}{number:05d}", draw_strata(tuple(exposures), 1, rng)[0]
        number += 1
