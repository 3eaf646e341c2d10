"""Gate a policy version: list its trials, and decide with the evidence."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fieldloop.evaluate import (
    GateCase,
    judge_gate,
    list_novel_lightings,
    note_blind_plan,
    note_missing_lightings,
    note_unknown_training,
)
from fieldloop.evaluate.results import make_trial_outcome
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.floor.floor import run_trials
from fieldloop.loop.run.policies import find_policy, find_release_of_policy, load_engine
from fieldloop.loop.run.serve import measure_latency
from fieldloop.loop.ship.gate_kept import PREFIX
from fieldloop.loop.ship.gate_plan import (
    find_exposures,
    find_trained_lighting_levels,
    is_blind,
    list_kept,
    make_plan,
    refuse_to_simulate,
)
from fieldloop.loop.ship.gate_report import collect_report, list_limits
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.attempts import count_each_attempt_once, count_unknown_attempts
from fieldloop.model.codec import to_plain
from fieldloop.model.decision import Basis, Decision
from fieldloop.model.event import OutcomeRecorded, PolicyGated
from fieldloop.model.finding import Finding, Status
from fieldloop.model.gate_event import TrialsPlanned
from fieldloop.model.identity import compute_content_id
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.trial import TrialPlan, TrialResult
from fieldloop.protocol import Section
from fieldloop.report.gate.page import render_gate_report
from fieldloop.serve.admission import judge_latency_limit
from fieldloop.serve.bench import summarise_latency
from fieldloop.serve.engine import Engine
from fieldloop.store import Expected


def decide_gate(
    workspace: Workspace,
    policy: str,
    *,
    simulate: bool = False,
    control: str = "",
    site: str = "",
    seed: int = 0,
    html: Path | None = None,
) -> Decision:
    """Decide whether a policy version is admitted: pass, fail, or how many more trials are needed.

    Without new trials since the last decision, that decision is returned; it does not count as another look.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        simulate: make the trials on the simulated floor first, instead of judging those recorded with stage gate
        control: with simulate: also try this version in the same scenes, such as the one in production
        site: run and judge trials of this site only (default: the whole deployment)
        seed: seed of the trials' order and conditions
        html: write the report of the decision to this file
    """
    version, settings = find_policy(workspace, policy), workspace.operations["gate"]
    if simulate:
        refuse_to_simulate(workspace, version)
    seen, plans = workspace.store.get_last_seq(), _find_plans(workspace, version)
    where = {"policy": version.id, "stage": Stage.GATE} | ({"site": site} if site else {})
    recorded = [*workspace.store.find(Outcome, where), *_list_typed_in(workspace, plans, version, site)]
    if not simulate and (last := _find_last_equal_decision(workspace, version, site, recorded)):
        return _write_report(workspace, last, html)
    engine = load_engine(workspace, version) if simulate or version.bundle else None
    run = _run_on_floor(workspace, version, engine, control, site, seed) if simulate and engine else FloorRun(None, ())
    robots = int(workspace.operations["serve"]["admission_robots"])
    outcomes = [*recorded, *(o for o in run.outcomes if o.policy == version.id)]
    judged = count_each_attempt_once(outcomes)
    decision = judge_gate(
        judged,
        measure_latency(workspace, engine, robots)[1]
        if engine
        else _judge_reported_latency(outcomes, version, settings),
        settings,
        require_latest_deployment(workspace).target_cycle_s,
        policy=version.id,
        decision_id=workspace.ids.new("decision"),
        at_ns=workspace.clock(),
        case=GateCase(
            tuple(scenario.name for scenario in list_kept(workspace, site)),
            chunked=engine is not None and engine.bundle.horizon > 1,
            robots=robots if engine else 0,
        ),
    )
    decision = _note_what_is_missing(workspace, version, decision, site)
    for plan in plans:
        decision = note_blind_plan(decision, plan.id) if is_blind(workspace, plan) else decision
    decision = replace(
        decision,
        site=site,
        outcomes=_hash_outcomes(outcomes),
        trials=len(judged),
        unknown=count_unknown_attempts(outcomes),
        decided_by=workspace.actor.id,
        basis=Basis(
            tuple(sorted({o.id for o in outcomes})),
            tuple(kept.name for kept in list_kept(workspace, site)),
            list_limits(settings),
        ),
    )
    planned = [TrialsPlanned(run.plan)] if run.plan else []
    revealed = [o for plan in plans for o in _list_revealed(workspace, plan, decision)]
    # in one transaction: trials without their decision would be drawn again
    workspace.write(
        *planned, *map(OutcomeRecorded, [*revealed, *run.outcomes]), PolicyGated(decision),
        expect=Expected(Decision, seen, {"policy": version.id}),
    )  # fmt: skip
    return _write_report(workspace, decision, html)


def list_gate_decisions(workspace: Workspace) -> tuple[Decision, ...]:
    """List gate decisions, newest first."""
    return tuple(workspace.store.find(Decision, newest=True))


def _find_plans(workspace: Workspace, version: PolicyVersion) -> list[TrialPlan]:
    """Return the plans in which this policy is tried, as the candidate or as the control."""
    mine = workspace.store.find(TrialPlan, {"policy": version.id})
    return [*mine, *workspace.store.find(TrialPlan, {"control": version.id})]


def _list_typed_in(
    workspace: Workspace, plans: Iterable[TrialPlan], version: PolicyVersion, site: str
) -> list[Outcome]:
    """Return outcomes of this policy that a plan's results state and the gate has not recorded yet.

    The results of a plan with a control wait until all are there and its candidate is judged: counted one by one,
    they would reveal the arms.
    """
    ready = (p for p in plans if not p.control or (p.policy == version.id and not is_blind(workspace, p)))
    mine = (o for plan in ready for o in _list_unrecorded(workspace, plan))
    return [o for o in mine if o.policy == version.id and site in ("", o.site)]


def _list_unrecorded(workspace: Workspace, plan: TrialPlan) -> list[Outcome]:
    results = workspace.store.find(TrialResult, {"plan": plan.id})
    made = [make_trial_outcome(plan, result) for result in results]
    known = {o.id for o in workspace.store.find(Outcome, {"id": [o.id for o in made]})} if made else set()
    return [o for o in made if o.id not in known]


def _list_revealed(workspace: Workspace, plan: TrialPlan, decision: Decision) -> list[Outcome]:
    """Return what becomes known with a decision: all arms of a plan of this policy that is complete or decided.

    A plan with a control stays blind until it is complete, whatever was decided with other trials.
    """
    if plan.policy != decision.policy or is_blind(workspace, plan):
        return []
    complete = workspace.store.count(TrialResult, {"plan": plan.id}) == len(plan.trials)
    if not complete and decision.status is Status.CANNOT_TELL:
        return []
    return _list_unrecorded(workspace, plan)


@dataclass(frozen=True, slots=True)
class FloorRun:
    """Trials made on the simulated floor: their plan, and the outcomes of all arms."""

    plan: TrialPlan | None
    outcomes: Sequence[Outcome]


def _run_on_floor(
    workspace: Workspace, version: PolicyVersion, engine: Engine, control: str, site: str, seed: int
) -> FloorRun:
    """Make the trials of a plan of its own on the simulated floor; a plan that waits for people stays theirs."""
    plan = make_plan(workspace, version, control=control, site=site, seed=seed)
    engines = {version.id: engine}
    if plan.control:
        engines[plan.control] = load_engine(workspace, find_policy(workspace, plan.control))
    return FloorRun(plan, run_trials(workspace, engines, plan, plan.trials, seed=seed))


def _note_what_is_missing(workspace: Workspace, version: PolicyVersion, decision: Decision, site: str) -> Decision:
    """Add what more trials alone cannot mend: too few novel lightings, training data that is not known."""
    release = find_release_of_policy(workspace, version)
    exposures = find_exposures(workspace, release, site)
    settings = workspace.operations["gate"]
    novel = list_novel_lightings(exposures, settings, find_trained_lighting_levels(release))
    decision = note_missing_lightings(decision, len(novel), settings)
    return note_unknown_training(decision) if release is None else decision


def _write_report(workspace: Workspace, decision: Decision, html: Path | None) -> Decision:
    if html is not None:
        write_atomically(html, render_gate_report(collect_report(workspace, decision)))
    return decision


def _find_last_equal_decision(
    workspace: Workspace, version: PolicyVersion, site: str, outcomes: Sequence[Outcome]
) -> Decision | None:
    """Return the last decision about this site if it used the same outcomes, limits and kept scenarios."""
    judged = workspace.store.find(Decision, {"policy": version.id}, newest=True)
    last = next((d for d in judged if d.site == site), None)
    same = (_hash_outcomes(outcomes), workspace.operations["gate"].fingerprint)
    if last is None or (last.outcomes, last.operations) != same:
        return None
    return last if _has_kept_scenarios(workspace, last) else None


def _has_kept_scenarios(workspace: Workspace, decision: Decision) -> bool:
    """Did the decision require the scenarios that its gate requires now? One that was tried is judged in any case."""
    needed = {kept.name for kept in list_kept(workspace, decision.site)}
    tests = [t for t in decision.tests if t.name.startswith(PREFIX)]
    return needed <= {t.name for t in tests} and {t.name for t in tests if not t.trials} <= needed


def _hash_outcomes(outcomes: Iterable[Outcome]) -> str:
    return compute_content_id(json.dumps(to_plain(o)).encode() for o in sorted(outcomes, key=lambda o: o.id))


def _judge_reported_latency(outcomes: Sequence[Outcome], version: PolicyVersion, settings: Section) -> Finding | None:
    """Judge the latency that the trials report, of a policy whose weights are elsewhere; None without any."""
    reported = [outcome.latency_ms for outcome in outcomes if outcome.latency_ms is not None]
    if not reported:
        return None
    return judge_latency_limit(summarise_latency(np.asarray(reported)), version.control_hz or math.nan, settings)
