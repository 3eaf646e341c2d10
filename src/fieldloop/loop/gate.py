"""May this policy version go on? Trials, bounds, a decision with its evidence."""

from collections.abc import Iterable, Sequence

import numpy as np

from fieldloop.evaluate import Trial, judge, plan
from fieldloop.loop.audit import latest_deployment
from fieldloop.loop.floor import run_trials
from fieldloop.loop.policies import load, named
from fieldloop.loop.serve import timed
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Exposure
from fieldloop.model.decision import Decision
from fieldloop.model.event import OutcomeRecorded, PolicyGated
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release


def trials(workspace: Workspace, policy: str, *, site: str = "", seed: int = 0) -> tuple[Trial, ...]:
    """List the trials that a gate of this policy needs, in blind order.

    Arguments:
        policy: id, beginning of it, or name
        site: at one site only; the whole deployment unless given
        seed: for the order and the draws

    """
    version = named(workspace, policy)
    release = workspace.store.get(Release, version.release)
    seen = {level for share in release.shares if share.sampled and (level := share.stratum.level("lighting"))}
    return plan(
        version.id,
        _exposures(workspace, release, site),
        workspace.operations["gate"],
        np.random.default_rng(seed),
        known_lightings=seen,
    )


def gate(workspace: Workspace, policy: str, *, simulate: bool = False, site: str = "", seed: int = 0) -> Decision:
    """Decide whether a policy version may go on: pass, fail, or how many more trials are needed.

    Arguments:
        policy: id, beginning of it, or name
        simulate: run the trials on the simulated floor first, instead of judging those recorded with stage gate
        site: trials at one site only; the whole deployment unless given
        seed: for the order and the draws

    """
    version = named(workspace, policy)
    engine = load(workspace, version)
    if simulate:
        ahead = trials(workspace, version.id, site=site, seed=seed)
        _record(workspace, run_trials(workspace, engine, version, ahead, seed=seed))
    target = latest_deployment(workspace).target_cycle_s
    decision = judge(
        workspace.store.find(Outcome, {"policy": version.id, "stage": Stage.GATE}),
        timed(workspace, engine)[1],
        workspace.operations["gate"],
        target,
        policy=version.id,
        decision_id=workspace.ids.new("decision"),
        at_ns=workspace.clock(),
        look=1 + workspace.store.count(Decision, {"policy": version.id}),
    )
    workspace.write(PolicyGated(decision))
    return decision


def decisions(workspace: Workspace) -> tuple[Decision, ...]:
    """List what gates decided, newest first."""
    return tuple(workspace.store.find(Decision, newest=True))


def _record(workspace: Workspace, outcomes: Iterable[Outcome]) -> None:
    workspace.write(*(OutcomeRecorded(outcome) for outcome in outcomes))


def _exposures(workspace: Workspace, release: Release, site: str) -> Sequence[Exposure]:
    """The deployment's strata; at a site that is not deployed (a laboratory), the release's own."""
    deployed = latest_deployment(workspace).exposures
    if not site:
        return deployed
    here = [e for e in deployed if e.stratum.level("site") == site]
    return here or [Exposure(s.stratum, s.sampled) for s in release.shares if s.stratum.level("site") == site]


__all__ = ["PolicyVersion", "decisions", "gate", "trials"]
