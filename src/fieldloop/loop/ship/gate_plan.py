"""Plan the trials of a gate, and print them as a sheet that does not name the version."""

import dataclasses
import string
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.evaluate import note_deviations, plan_gate_trials
from fieldloop.evaluate.results import make_trial_outcome, make_trial_result, name_outcome
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.run.policies import find_policy, find_release_of_policy
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Exposure
from fieldloop.model.decision import Decision
from fieldloop.model.event import Event, OutcomeRecorded
from fieldloop.model.gate_event import PlanClosed, TrialsPlanned
from fieldloop.model.policy import Outcome, PolicyVersion
from fieldloop.model.release import Release
from fieldloop.model.trial import KeptScenario, Trial, TrialPlan, TrialResult, TrialTaken
from fieldloop.model.trial_sheet import SheetRow, TrialSheet
from fieldloop.report.gate.sheet import render_trial_sheet
from fieldloop.store import Expected


def plan_gate(
    workspace: Workspace, policy: str, *, control: str = "", site: str = "", seed: int = 0, replace: str = ""
) -> TrialSheet:
    """Plan the trials of a policy's next gate: what to try in which order, blind to the operator.

    With a control, both versions meet every scene in random order, and the sheet names them by letters only. Results
    that were recorded before still count.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        control: also try this version in the same scenes, such as the one in production
        site: plan trials of this site only (default: the whole deployment)
        seed: seed of the trials' order, conditions and letters
        replace: close the plan that is open, for this reason; its results still count, and its arms become known
    """
    version, seen = find_policy(workspace, policy), workspace.store.get_last_seq()
    going = find_open_plan(workspace, version)
    closing = _close_plan(workspace, going, replace.strip()) if going and replace.strip() else []
    if going is not None and not closing:
        _refuse_second_plan(workspace, version, going)
    made = make_plan(workspace, version, control=control, site=site, seed=seed)
    workspace.write(*closing, TrialsPlanned(made), expect=Expected(TrialPlan, seen, {"policy": version.id}))
    return describe_plan(workspace, made)


def _close_plan(workspace: Workspace, plan: TrialPlan, reason: str) -> list[Event]:
    """Return the events that close an open plan: why, and the outcomes of all arms, as no trial is made any more."""
    results = workspace.store.find(TrialResult, {"plan": plan.id})
    outcomes = [OutcomeRecorded(make_trial_outcome(plan, result)) for result in results]
    return [PlanClosed(dataclasses.replace(plan, closed=reason)), *outcomes]


def _refuse_second_plan(workspace: Workspace, version: PolicyVersion, going: TrialPlan) -> None:
    if len(find_results(workspace, going)) == len(going.trials):
        raise Refused(
            f"All trials of the plan {going.id} of {version.name} are made. Ask the gate: fieldloop gate {version.name}"
        )
    raise Refused(
        f"The plan {going.id} of {version.name} still has trials to make. Make them: fieldloop gate next {going.id}. "
        f"If it was made by mistake: fieldloop gate plan {version.name} --replace REASON"
    )


def show_trials(
    workspace: Workspace, policy: str, *, site: str = "", seed: int = 0, html: Path | None = None
) -> TrialSheet:
    """Show the trials of the gate's plan: their order, how to set each up, and which are done.

    Where nothing is planned, it shows what a plan would contain.

    Arguments:
        policy: a plan's id, or the policy's id, a unique beginning of it, or its name
        site: without a plan: trials of this site only
        seed: without a plan: seed of the trials' order and conditions
        html: write a sheet to print to this file, with a picture of every setup
    """
    plan = find_plan(workspace, policy, need=False)
    if plan is None:
        drafted = make_plan(workspace, find_policy(workspace, policy), site=site, seed=seed)
        sheet = dataclasses.replace(_draw_up(drafted, {}, {}, ()), plan="")
    else:
        sheet = describe_plan(workspace, plan)
    if html is None:
        return sheet
    write_atomically(html, render_trial_sheet(sheet))
    return dataclasses.replace(sheet, html=str(html))


def list_trials(workspace: Workspace, policy: str, *, site: str = "", seed: int = 0) -> tuple[Trial, ...]:
    """Return the trials that the next plan of this policy would have."""
    return make_plan(workspace, find_policy(workspace, policy), site=site, seed=seed).trials


def make_plan(
    workspace: Workspace, version: PolicyVersion, *, control: str = "", site: str = "", seed: int = 0
) -> TrialPlan:
    """Draw the trials of a policy's next gate; the positions are those of its first plan, so that results add up."""
    settings, release = workspace.operations["gate"], find_release_of_policy(workspace, version)
    other = find_policy(workspace, control).id if control else ""
    if other == version.id:
        raise BadInput(f"{version.name} cannot be its own control. Name another version: --control")
    look = 1 + workspace.store.count(Decision, {"policy": version.id})
    earlier = workspace.store.find(TrialPlan, {"policy": version.id})
    rng = np.random.default_rng([seed, look])
    trials = plan_gate_trials(
        version.id,
        find_exposures(workspace, release, site),
        settings,
        # fresh trials at every look, at the same positions: results are added up by position
        rng,
        known_lightings=find_trained_lighting_levels(release),
        position_rng=np.random.default_rng(earlier[0].seed if earlier else seed),
        kept=list_kept(workspace, site),
        control=other,
    )
    policies = [version.id, other] if other else [version.id]
    letters = zip(string.ascii_uppercase, (policies[i] for i in rng.permutation(len(policies))), strict=False)
    return TrialPlan(
        workspace.ids.new("trials"), version.id, tuple(letters), site, look, seed, settings.fingerprint,
        tuple(settings["steps"]), workspace.clock(), workspace.actor.id, trials,
    )  # fmt: skip


def find_plan(workspace: Workspace, plan: str, *, need: bool = True) -> TrialPlan | None:
    """Find a plan by its id or a unique beginning of it, or a policy's plan: the open one, else the newest."""
    if plan.startswith("trials_"):
        return workspace.store.get(TrialPlan, plan)
    version = find_policy(workspace, plan)
    going = find_open_plan(workspace, version)  # a plan that was simulated meanwhile does not hide it
    found = [going] if going else workspace.store.find(TrialPlan, {"policy": version.id}, newest=True, limit=1)
    if not found and need:
        raise UnknownName("plan of trials", plan, [], f"none for {version.name}; plan them: fieldloop gate plan {plan}")
    return found[0] if found else None


def require_plan(workspace: Workspace, plan: str) -> TrialPlan:
    """Find a plan by its id or its policy; refuse where there is none."""
    found = find_plan(workspace, plan)
    assert found is not None
    return found


def find_open_plan(workspace: Workspace, version: PolicyVersion) -> TrialPlan | None:
    """Return the newest plan of a policy that is neither closed nor decided."""
    plans = workspace.store.find(TrialPlan, {"policy": version.id}, newest=True)
    return next((p for p in plans if not p.closed and not is_revealed(workspace, p)), None)


def is_revealed(workspace: Workspace, plan: TrialPlan) -> bool:
    """Has the gate decided with this plan, so that its arms may be named? Its outcomes are recorded then."""
    return bool(workspace.store.count(Outcome, {"id": [name_outcome(plan, t.order) for t in plan.trials]}))


def is_blind(workspace: Workspace, plan: TrialPlan) -> bool:
    """Do people still make the trials of this plan, so that no result may be shown or used together with its arm?"""
    if not plan.control or plan.closed or is_revealed(workspace, plan):
        return False
    return workspace.store.count(TrialResult, {"plan": plan.id}) < len(plan.trials)


def refuse_to_simulate(workspace: Workspace, version: PolicyVersion) -> None:
    """Refuse simulated trials while people make those of a plan: the two must not mix, nor the decision reveal it."""
    plan, now_ns = find_open_plan(workspace, version), workspace.clock()
    if plan is None:
        return
    held = any(taken.until_ns > now_ns for taken in workspace.store.find(TrialTaken, {"plan": plan.id}))
    if held or workspace.store.count(TrialResult, {"plan": plan.id}):
        raise Refused(
            f"People are making the trials of {plan.id}. Finish it, or close it: "
            f"fieldloop gate plan {version.name} --replace REASON"
        )


def find_results(workspace: Workspace, plan: TrialPlan) -> dict[int, TrialResult]:
    """Return the results of a plan by their place in the order; those of the simulated floor are outcomes."""
    names = {name_outcome(plan, t.order): t.order for t in plan.trials}
    recorded = workspace.store.find(Outcome, {"id": sorted(names)})
    floor = {names[o.id]: make_trial_result(plan, names[o.id], o) for o in recorded}
    return floor | {result.order: result for result in workspace.store.find(TrialResult, {"plan": plan.id})}


def list_kept(workspace: Workspace, site: str) -> tuple[KeptScenario, ...]:
    """Return the kept scenarios that a gate of this site tries, '' for the whole deployment, in order."""
    return tuple(kept for kept in workspace.store.find(KeptScenario) if kept.concerns(site))


def describe_plan(workspace: Workspace, plan: TrialPlan) -> TrialSheet:
    """Return a plan as its sheet shows it; the arms are named once the gate has decided."""
    results, now_ns = find_results(workspace, plan), workspace.clock()
    taken = {t.order: t.taken_by for t in workspace.store.find(TrialTaken, {"plan": plan.id}) if t.until_ns > now_ns}
    arms = plan.arms if is_revealed(workspace, plan) else ()
    sheet = _draw_up(plan, results, taken, arms)
    deviations = note_deviations(plan, results.values(), workspace.operations["gate"]) if results else ()
    mine = (row.order for row in sheet.rows if row.taken_by == workspace.actor.id)
    return dataclasses.replace(sheet, deviations=deviations, held=next(mine, 0))


def _draw_up(
    plan: TrialPlan, results: Mapping[int, TrialResult], taken: Mapping[int, str], arms: tuple[tuple[str, str], ...]
) -> TrialSheet:
    rows = tuple(
        SheetRow(
            t.order, plan.get_arm(t), t.scenario, t.stratum, t.parameters, t.scene, t.seed,
            "" if t.order in results else taken.get(t.order, ""), results.get(t.order),
        )
        for t in plan.trials
    )  # fmt: skip
    return TrialSheet(plan.id, plan.policy, plan.site, plan.planned_ns, plan.steps, rows, len(results), arms)


def find_trained_lighting_levels(release: Release | None) -> set[str]:
    """Return the levels of lighting in the training data; none where it is not known."""
    if release is None:
        return set()
    return {level for share in release.shares if share.sampled and (level := share.stratum.level("lighting"))}


def find_exposures(workspace: Workspace, release: Release | None, site: str) -> Sequence[Exposure]:
    """Return the deployment's strata; at a site that is not deployed (a laboratory), the release's own."""
    deployed = require_latest_deployment(workspace).exposures
    if not site:
        return deployed
    shares = release.shares if release else ()
    everywhere = [*deployed, *(Exposure(s.stratum, s.sampled) for s in shares)]
    if site not in (known := {name for e in everywhere if (name := e.stratum.level("site"))}):
        raise UnknownName("site", site, known)
    here = [e for e in deployed if e.stratum.level("site") == site]
    return here or [e for e in everywhere if e.stratum.level("site") == site]
