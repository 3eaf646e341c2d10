"""Gather what the report of a gate's decision states, from the record."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from fieldloop import __version__
from fieldloop.errors import Refused
from fieldloop.evaluate import note_deviations
from fieldloop.evaluate.results import make_trial_outcome
from fieldloop.evaluate.trial import CONSECUTIVE
from fieldloop.loop.run.policies import find_policy, find_release_of_policy
from fieldloop.loop.ship.gate_plan import find_results, is_blind, is_revealed, list_kept
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.decision import Decision, StatedLimit
from fieldloop.model.gate_report import ArmTally, GateReport, PlanUsed
from fieldloop.model.note import note
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.trial import TrialPlan, TrialResult
from fieldloop.protocol import Section
from fieldloop.report.gate.page import render_gate_report
from fieldloop.say.numbers import format_exact


def show_gate_report(workspace: Workspace, policy: str, *, html: Path | None = None) -> GateReport:
    """Show the report of a policy's last gate decision: verdict, evidence, method, uncertainty and deviations.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        html: also write the report to this file
    """
    version = find_policy(workspace, policy)
    decided = workspace.store.find(Decision, {"policy": version.id}, newest=True, limit=1)
    if not decided:
        raise Refused(f"The gate has not judged {version.name} yet. Ask it: fieldloop gate {version.name}")
    report = collect_report(workspace, decided[0])
    if html is not None:
        write_atomically(html, render_gate_report(report))
    return report


def collect_report(workspace: Workspace, decision: Decision) -> GateReport:
    """Gather the report of a decision."""
    version = find_policy(workspace, decision.policy)
    release, settings = find_release_of_policy(workspace, version), workspace.operations["gate"]
    where = {"policy": version.id, "stage": Stage.GATE} | ({"site": decision.site} if decision.site else {})
    plans = [p for p in workspace.store.find(TrialPlan, {"policy": version.id}) if p.planned_ns <= decision.at_ns]
    used = tuple(_describe_plan(workspace, plan) for plan in plans)
    outcomes = workspace.store.find(Outcome, where)
    typed_in = _list_not_recorded(workspace, plans, decision, {o.id for o in outcomes})
    basis, shown = decision.basis, [*outcomes, *typed_in]
    kept = list_kept(workspace, decision.site)
    if basis:
        shown = [o for o in shown if o.id in set(basis.outcomes)]
        kept = tuple(one for one in kept if one.name in basis.kept)
    else:
        shown = [o for o in shown if o.at_ns <= decision.at_ns]
        kept = tuple(one for one in kept if one.kept_ns <= decision.at_ns)
    changed = basis is None and decision.operations != settings.fingerprint
    return GateReport(
        decision, version, workspace.name, release.name if release else "", decision.decided_by, __version__, used,
        tuple(sorted(shown, key=lambda o: (o.at_ns, o.id))), kept,
        basis.limits if basis else list_limits(settings), 1 - settings.number("confidence"), workspace.clock(),
        (note("evaluate.limits_changed"),) if changed else (),
    )  # fmt: skip


def list_limits(settings: Section) -> tuple[StatedLimit, ...]:
    """Return every number of the decision rule with its reason and source."""
    return tuple(
        StatedLimit(name, _write_value(s.value), s.unit, s.why, f"{s.source.kind}: {s.source.ref}")
        for name, s in settings.settings.items()
    )


def _list_not_recorded(
    workspace: Workspace, plans: Iterable[TrialPlan], decision: Decision, known: Collection[str]
) -> list[Outcome]:
    """Return outcomes that results of a plan state while its trials are still being made; none of a blind plan."""
    stated = [
        make_trial_outcome(plan, result)
        for plan in plans
        if not is_blind(workspace, plan)
        for result in workspace.store.find(TrialResult, {"plan": plan.id})
    ]
    return [o for o in stated if o.policy == decision.policy and o.id not in known and decision.site in ("", o.site)]


def _describe_plan(workspace: Workspace, plan: TrialPlan) -> PlanUsed:
    results = find_results(workspace, plan)
    deviations = note_deviations(plan, results.values(), workspace.operations["gate"])
    arms = []
    for letter, policy in plan.arms if plan.control and is_revealed(workspace, plan) else ():
        mine = [t.order for t in plan.trials if t.policy == policy and t.scenario != CONSECUTIVE and t.order in results]
        won = sum(bool(results[order].succeeded) for order in mine)
        arms.append(ArmTally(letter, policy, find_policy(workspace, policy).name, won, len(mine)))
    return PlanUsed(
        plan.id, plan.seed, plan.planned_ns, plan.planned_by, len(plan.trials), len(results), deviations, tuple(arms)
    )


def _write_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return format_exact(value) if isinstance(value, int | float) else str(value)
