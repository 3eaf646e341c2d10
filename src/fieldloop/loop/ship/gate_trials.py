"""Make the trials of a plan one by one: take the next under a lease, record how it ended, correct a mistyped result."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fieldloop.errors import BadInput, ChangedMeanwhile, Refused
from fieldloop.evaluate.results import (
    make_trial_outcome,
    name_outcome,
    refuse_contradictory_result,
    require_trial,
)
from fieldloop.evaluate.smoothness import measure_chunks, parse_chunks
from fieldloop.loop.calibrate.attach import parse_time_ns
from fieldloop.loop.run.possible_outcomes import refuse_impossible_outcomes
from fieldloop.loop.ship.gate_plan import find_results, is_revealed, require_plan
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.event import Event, OutcomeRecorded
from fieldloop.model.gate_event import TrialCorrected, TrialJudged, TrialLeased
from fieldloop.model.person import Role
from fieldloop.model.policy import FailureClass, Outcome
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.trial import Trial, TrialPlan, TrialResult, TrialTaken
from fieldloop.store import Expected

Result = Literal["success", "failure", "unknown"]
SUCCEEDED = {"success": True, "failure": False, "unknown": None}


@dataclass(frozen=True, slots=True)
class TrialToMake:
    """The trial to make now and how to set it up; `order` is 0 where none is left.

    `policy` is empty unless the program that drives the robot asked for it: who judges does not see it.
    """

    plan: str
    order: int
    arm: str
    scenario: str
    stratum: Stratum
    parameters: tuple[tuple[str, float], ...]
    seed: int
    until_ns: int
    done: int
    left: int
    policy: str = ""


def take_next_trial(
    workspace: Workspace, plan: str, *, taker: str = "", order: int = 0, for_robot: bool = False
) -> TrialToMake:
    """Take the next trial of a plan under a lease, so that two robots do not make the same one.

    A trial that you hold already is returned first. A lease that ends frees the trial for others.

    Arguments:
        plan: the plan's id, or the policy that it is for
        taker: the robot or person that makes it (default: you)
        order: take this trial instead of the next
        for_robot: also name the policy to run; only for the program that drives the robot, never for who judges
    """
    if for_robot and workspace.actor.role is Role.OPERATOR:
        raise Refused("An operator judges without knowing the version. Let the robot's own token ask with --for-robot.")
    known, person = require_plan(workspace, plan), taker or workspace.actor.id
    while True:
        try:
            return _take(workspace, known, person, order, for_robot=for_robot)
        except ChangedMeanwhile:  # another robot took it just now: choose again
            continue


def give_trial_back(workspace: Workspace, plan: str, order: int, *, taker: str = "") -> TrialTaken:
    """Give a trial back that was taken and not made, so that others need not wait for the end of its lease.

    Arguments:
        plan: the plan's id, or the policy that it is for
        order: the trial's place in the order
        taker: the robot or person that took it (default: you)
    """
    known, now_ns = require_plan(workspace, plan), workspace.clock()
    held = _find_leases(workspace, known, now_ns).get(order)
    if held is None or held.taken_by != (taker or workspace.actor.id):
        raise Refused(f"Trial {order} of {known.id} is not held by {taker or workspace.actor.id}.")
    workspace.write(TrialLeased(free := replace(held, until_ns=now_ns)))
    return free


def record_trial(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace,
    plan: str,
    order: int,
    result: Result,
    *,
    steps_done: int | None = None,
    failure: FailureClass | None = None,
    cycle_s: float | None = None,
    latency_ms: float | None = None,
    confidence: float | None = None,
    interventions: int = 0,
    robot: str = "",
    remark: str = "",
    facts: tuple[str, ...] = (),
    chunks: str = "",
    at: str = "",
) -> TrialResult:
    """Record how a trial of a plan ended; a second result of the same trial is refused.

    Arguments:
        plan: the plan's id, or the policy that it is for
        order: the trial's place in the order
        result: success, failure or unknown
        steps_done: how many steps of the rubric were done (default: all for a success, none for a failure)
        failure: the class of the failure
        cycle_s: seconds from the start of the attempt to its end
        latency_ms: how long the policy took to answer
        confidence: the policy's confidence, 0 to 1
        interventions: how often a person intervened
        robot: the robot that made the attempt
        remark: what else was seen
        facts: numbers measured in this trial, such as grip_n=14.2 (repeatable)
        chunks: the executed chunks as JSON, from which jumps and jitter are measured: chunks of commands of numbers
        at: when the trial was made, of a sheet that is typed in later: 2026-11-15T08:00:00Z (default: now)
    """
    known, seen = require_plan(workspace, plan), workspace.store.get_last_seq()
    now_ns, made_ns = workspace.clock(), parse_time_ns(at)
    if made_ns is not None and not known.planned_ns <= made_ns <= now_ns:
        raise BadInput(f"at = {at} is before the plan was made or in the future. State when the trial was made.")
    made = TrialResult(
        known.id, order, SUCCEEDED[result], _count_steps(known, result, steps_done),
        now_ns if made_ns is None else made_ns,
        workspace.actor.id, robot, failure, cycle_s, latency_ms, confidence, interventions, remark.strip(),
        (*parse_facts(facts), *(measure_chunks(parse_chunks(chunks)) if chunks else ())), typed_ns=now_ns,
    )  # fmt: skip
    _refuse_impossible(workspace, known, made)
    if order in find_results(workspace, known):
        raise Refused(
            f"Trial {order} of {known.id} has a result already. "
            f"Correct it with a reason: fieldloop gate correct {known.id} {order} RESULT --reason"
        )
    _refuse_closed(workspace, known)
    held = _find_leases(workspace, known, now_ns).get(order)
    if held is not None and held.taken_by not in (workspace.actor.id, robot):
        raise Refused(f"{held.taken_by} is making trial {order} of {known.id} now. Take another: fieldloop gate next")
    where = {"plan": known.id, "order": order}
    workspace.write(TrialJudged(made), expect=Expected(TrialResult, seen, where))
    return made


def correct_trial(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace,
    plan: str,
    order: int,
    result: Result,
    *,
    reason: str,
    steps_done: int | None = None,
    failure: FailureClass | None = None,
    cycle_s: float | None = None,
    interventions: int | None = None,
    remark: str | None = None,
) -> TrialResult:
    """Correct the result of a trial, with a reason; the earlier result stays on record.

    What you do not state again stays as it is, apart from the steps and the failure, which follow the result.

    Arguments:
        plan: the plan's id, or the policy that it is for
        order: the trial's place in the order
        result: success, failure or unknown
        reason: why the earlier result is wrong
        steps_done: how many steps of the rubric were done (default: all for a success, none for a failure)
        failure: the class of the failure
        cycle_s: seconds from the start of the attempt to its end
        interventions: how often a person intervened
        remark: what else was seen
    """
    known, seen = require_plan(workspace, plan), workspace.store.get_last_seq()
    if not reason.strip():
        raise BadInput("State why the earlier result is wrong: --reason. The correction stays on record with it.")
    require_trial(known, order)
    before = find_results(workspace, known).get(order)
    if before is None:
        raise Refused(f"Trial {order} of {known.id} has no result to correct. Record it: fieldloop gate result")
    after = replace(
        before,
        succeeded=SUCCEEDED[result],
        steps_done=_count_steps(known, result, steps_done),
        failure=failure,
        cycle_s=before.cycle_s if cycle_s is None else cycle_s,
        interventions=before.interventions if interventions is None else interventions,
        remark=before.remark if remark is None else remark,
        judged_by=workspace.actor.id,
        revision=before.revision + 1,
        reason=reason.strip(),
    )
    _refuse_impossible(workspace, known, after)
    events: list[Event] = [TrialCorrected(after, before)]
    if workspace.store.count(Outcome, {"id": name_outcome(known, order)}):  # the gate has used it already
        events.append(OutcomeRecorded(make_trial_outcome(known, after)))
    workspace.write(*events, expect=Expected(TrialResult, seen, {"plan": known.id, "order": order}))
    return after


def parse_facts(facts: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Read numbers by name.

    >>> parse_facts(["grip_n=14.2", "lux=430"])
    (('grip_n', 14.2), ('lux', 430.0))
    """
    read = []
    for fact in facts:
        name, _, value = fact.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not (name.strip() and math.isfinite(number)):
            raise BadInput(f"{fact!r} is not a number with its name. Write it as grip_n=14.2")
        read.append((name.strip(), number))
    return tuple(read)


def _take(workspace: Workspace, plan: TrialPlan, person: str, order: int, *, for_robot: bool) -> TrialToMake:
    now_ns, seen = workspace.clock(), workspace.store.get_last_seq()
    done, leases = set(find_results(workspace, plan)), _find_leases(workspace, plan, now_ns)
    if order:
        chosen: Trial | None = require_trial(plan, order)
        if order in done:
            raise Refused(f"Trial {order} of {plan.id} has a result already. Take another: fieldloop gate next")
        if (held := leases.get(order)) and held.taken_by != person:
            raise Refused(f"{held.taken_by} is making trial {order} of {plan.id} now.")
    else:
        chosen = _choose(plan, done, leases, person)
    left = len(plan.trials) - len(done)
    if chosen is not None:
        _refuse_closed(workspace, plan)
    if chosen is None:
        return TrialToMake(plan.id, 0, "", "", Stratum(), (), 0, 0, len(done), left)
    until_ns = now_ns + round(workspace.operations["gate"].number("trial_lease_s") * NS_PER_S)
    taken = TrialTaken(plan.id, chosen.order, person, until_ns)
    lock = Expected(TrialTaken, seen, {"plan": plan.id, "order": chosen.order})
    workspace.write(TrialLeased(taken), expect=lock)
    return TrialToMake(
        plan.id, chosen.order, plan.get_arm(chosen), chosen.scenario, chosen.stratum, chosen.parameters, chosen.seed,
        until_ns, len(done), left, chosen.policy if for_robot else "",
    )  # fmt: skip


def _choose(plan: TrialPlan, done: set[int], leases: dict[int, TrialTaken], person: str) -> Trial | None:
    """Choose the trial that the person holds, else the first that is free."""
    open_trials = [t for t in plan.trials if t.order not in done]
    held = [t for t in open_trials if t.order in leases and leases[t.order].taken_by == person]
    return next(iter([*held, *(t for t in open_trials if t.order not in leases)]), None)


def _find_leases(workspace: Workspace, plan: TrialPlan, now_ns: int) -> dict[int, TrialTaken]:
    return {t.order: t for t in workspace.store.find(TrialTaken, {"plan": plan.id}) if t.until_ns > now_ns}


def _refuse_closed(workspace: Workspace, plan: TrialPlan) -> None:
    """Refuse further trials of a plan that is closed, or with which the gate has decided: its arms may be known."""
    if plan.closed:
        raise Refused(f"{plan.id} is closed: {plan.closed}. Make the trials of the newest plan: fieldloop gate next")
    if is_revealed(workspace, plan):
        raise Refused(f"The gate has decided with {plan.id}. Plan further trials: fieldloop gate plan")


def _count_steps(plan: TrialPlan, result: Result, stated: int | None) -> int:
    return stated if stated is not None else len(plan.steps) if result == "success" else 0


def _refuse_impossible(workspace: Workspace, plan: TrialPlan, result: TrialResult) -> None:
    """Refuse what cannot be; a plan was made by an engineer, so that operators and robots may report its trials."""
    refuse_contradictory_result(plan, result)
    refuse_impossible_outcomes(workspace, [make_trial_outcome(plan, result)], planned=True)
