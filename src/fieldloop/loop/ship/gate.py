"""Gate a policy version: list its trials, and decide with the evidence."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fieldloop.errors import UnknownName
from fieldloop.evaluate import (
    Trial,
    judge_gate,
    list_novel_lightings,
    note_missing_lightings,
    note_unknown_training,
    plan_gate_trials,
)
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.floor.floor import run_trials
from fieldloop.loop.run.policies import find_policy, find_release_of_policy, load_engine
from fieldloop.loop.run.serve import measure_latency
from fieldloop.loop.workspace import Workspace
from fieldloop.model.attempts import count_unknown_attempts, settle_attempts
from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Exposure
from fieldloop.model.decision import Decision
from fieldloop.model.event import OutcomeRecorded, PolicyGated
from fieldloop.model.finding import Finding
from fieldloop.model.identity import compute_content_id
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.protocol import Section
from fieldloop.serve.admission import judge_latency_limit
from fieldloop.serve.bench import summarise_latency
from fieldloop.store import Expected


def list_trials(workspace: Workspace, policy: str, *, site: str = "", seed: int = 0) -> tuple[Trial, ...]:
    """List the trials that the next gate of this policy needs, in blind order.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        site: list trials of this site only (default: the whole deployment)
        seed: seed of the trials' order and conditions
    """
    version = find_policy(workspace, policy)
    release = find_release_of_policy(workspace, version)
    return plan_gate_trials(
        version.id,
        _find_exposures(workspace, release, site),
        workspace.operations["gate"],
        # fresh trials at every look, at the same positions: results are added up by position
        np.random.default_rng([seed, _get_next_look_number(workspace, version)]),
        known_lightings=_find_trained_lighting_levels(release),
        position_rng=np.random.default_rng(seed),
    )


def decide_gate(
    workspace: Workspace, policy: str, *, simulate: bool = False, site: str = "", seed: int = 0
) -> Decision:
    """Decide whether a policy version is admitted: pass, fail, or how many more trials are needed.

    Without new trials since the last decision, that decision is returned; it does not count as another look.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        simulate: run the trials on the simulated floor first, instead of judging those recorded with stage gate
        site: run and judge trials of this site only (default: the whole deployment)
        seed: seed of the trials' order and conditions
    """
    version, settings, seen = (
        find_policy(workspace, policy),
        workspace.operations["gate"],
        workspace.store.get_last_seq(),
    )
    release = find_release_of_policy(workspace, version)
    exposures, look = _find_exposures(workspace, release, site), _get_next_look_number(workspace, version)
    where = {"policy": version.id, "stage": Stage.GATE} | ({"site": site} if site else {})
    recorded, fresh = workspace.store.find(Outcome, where), list[Outcome]()
    if not simulate and (last := _find_last_equal_decision(workspace, version, site, recorded)):
        return last
    engine = load_engine(workspace, version) if simulate or version.bundle else None
    if simulate and engine:
        ahead = list_trials(workspace, version.id, site=site, seed=seed)
        fresh = run_trials(workspace, engine, version, ahead, seed=seed, look=look)
    outcomes = [*recorded, *fresh]
    judged = _count_each_attempt_once(outcomes)
    decision = judge_gate(
        judged,
        measure_latency(workspace, engine)[1] if engine else _judge_reported_latency(outcomes, version, settings),
        settings,
        require_latest_deployment(workspace).target_cycle_s,
        policy=version.id,
        decision_id=workspace.ids.new("decision"),
        at_ns=workspace.clock(),
    )
    novel = list_novel_lightings(exposures, settings, _find_trained_lighting_levels(release))
    decision = note_missing_lightings(decision, len(novel), settings)
    if release is None:
        decision = note_unknown_training(decision)
    decision = replace(
        decision,
        site=site,
        outcomes=_hash_outcomes(outcomes),
        trials=len(judged),
        unknown=count_unknown_attempts(outcomes),
    )
    # in one transaction: trials without their decision would be drawn again
    workspace.write(
        *map(OutcomeRecorded, fresh), PolicyGated(decision), expect=Expected(Decision, seen, {"policy": version.id})
    )
    return decision


def list_gate_decisions(workspace: Workspace) -> tuple[Decision, ...]:
    """List gate decisions, newest first."""
    return tuple(workspace.store.find(Decision, newest=True))


def _count_each_attempt_once(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Count an attempt with several judgements once; a tie counts as a failure, an unknown result not at all."""
    kept, contested = settle_attempts(outcomes)
    return [*kept, *(replace(one, succeeded=False) for one in contested)]


def _get_next_look_number(workspace: Workspace, version: PolicyVersion) -> int:
    return 1 + workspace.store.count(Decision, {"policy": version.id})


def _find_last_equal_decision(
    workspace: Workspace, version: PolicyVersion, site: str, outcomes: Sequence[Outcome]
) -> Decision | None:
    """Return the last decision about this site if it used the same outcomes and limits."""
    judged = workspace.store.find(Decision, {"policy": version.id}, newest=True)
    last = next((d for d in judged if d.site == site), None)
    same = (_hash_outcomes(outcomes), workspace.operations["gate"].fingerprint)
    return last if last and (last.outcomes, last.operations) == same else None


def _hash_outcomes(outcomes: Iterable[Outcome]) -> str:
    return compute_content_id(json.dumps(to_plain(o)).encode() for o in sorted(outcomes, key=lambda o: o.id))


def _judge_reported_latency(outcomes: Sequence[Outcome], version: PolicyVersion, settings: Section) -> Finding | None:
    """Judge the latency that the trials report, of a policy whose weights are elsewhere; None without any."""
    reported = [outcome.latency_ms for outcome in outcomes if outcome.latency_ms is not None]
    if not reported:
        return None
    return judge_latency_limit(summarise_latency(np.asarray(reported)), version.control_hz or math.nan, settings)


def _find_trained_lighting_levels(release: Release | None) -> set[str]:
    if release is None:
        return set()
    return {level for share in release.shares if share.sampled and (level := share.stratum.level("lighting"))}


def _find_exposures(workspace: Workspace, release: Release | None, site: str) -> Sequence[Exposure]:
    """The deployment's strata; at a site that is not deployed (a laboratory), the release's own."""
    deployed = require_latest_deployment(workspace).exposures
    if not site:
        return deployed
    shares = release.shares if release else ()
    everywhere = [*deployed, *(Exposure(s.stratum, s.sampled) for s in shares)]
    if site not in (known := {name for e in everywhere if (name := e.stratum.level("site"))}):
        raise UnknownName("site", site, known)
    here = [e for e in deployed if e.stratum.level("site") == site]
    return here or [e for e in everywhere if e.stratum.level("site") == site]


__all__ = ["PolicyVersion", "decide_gate", "list_gate_decisions", "list_trials"]
