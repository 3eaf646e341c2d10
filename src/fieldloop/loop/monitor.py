"""Watching production: every outcome, rates with intervals, alarms beyond chance."""

import dataclasses
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.audit import latest_deployment
from fieldloop.loop.policies import named
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Watch
from fieldloop.model.attempts import settled
from fieldloop.model.codec import from_plain, iso
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.event import AlarmRaised, OutcomeRecorded
from fieldloop.model.person import Role
from fieldloop.model.policy import FailureClass, Outcome, PolicyVersion, Stage
from fieldloop.model.stream import NS_PER_S
from fieldloop.monitor import Baseline, daily, watch

NOMINAL = ("", "base", "consecutive")
"""Scenarios in which nothing was made harder on purpose."""
SCENARIOS = ("lighting:", "position:", "distractors", "edge:", "incident:")
TRIALS = (Stage.LAB, Stage.GATE)


@dataclass(frozen=True, slots=True)
class RecordedOutcomes:
    """How many outcomes were written down, and how many were known already."""

    recorded: int
    known: int


def record(workspace: Workspace, file: Path) -> RecordedOutcomes:
    """Write outcomes down from a file of JSON lines, as robots spool them; known ids are passed over.

    Arguments:
        file: one outcome a line
    """
    told = [_outcome(workspace, n, line) for n, line in enumerate(_lines(file), 1)]
    return record_outcomes(workspace, told)


def add(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace,
    policy: str,
    result: Literal["success", "failure"],
    *,
    stratum: str = "",
    site: str = "",
    robot: str = "",
    failure: FailureClass | None = None,
    cycle_s: float | None = None,
    confidence: float | None = None,
    latency_ms: float | None = None,
    interventions: int = 0,
    stage: Stage = Stage.PRODUCTION,
    scenario: str = "",
    outcome: str = "",
) -> Outcome:
    """Write down how one attempt ended, as a robot or an operator reports it.

    Arguments:
        policy: id, beginning of it, or name
        result: success or failure
        stratum: under which conditions, such as site=gdansk,lighting=dim
        site: where; the stratum's site unless given
        robot: which robot
        failure: how it failed
        cycle_s: seconds from start to end
        confidence: how sure the policy was, 0 to 1
        latency_ms: how long the policy took to answer
        interventions: how often a person stepped in
        stage: lab, gate, shadow or production
        scenario: which trial of a gate this was
        outcome: the report's own id, so that it counts once however often it is delivered
    """
    where, at_ns = Stratum.parse(stratum), workspace.clock()
    told = Outcome(
        id=outcome or workspace.ids.new("outcome"),
        policy=named(workspace, policy).id,
        stratum=where,
        stage=stage,
        site=site or where.level("site") or "",
        robot=robot,
        at_ns=at_ns,
        succeeded=result == "success",
        judged_by=workspace.actor.id,
        failure=failure,
        scenario=scenario,
        cycle_s=cycle_s,
        confidence=confidence,
        latency_ms=latency_ms,
        interventions=interventions,
    )
    _refuse_untrue(workspace, told)
    record_outcomes(workspace, [told])
    return workspace.store.get(Outcome, told.id)


def record_outcomes(workspace: Workspace, outcomes: Sequence[Outcome]) -> RecordedOutcomes:
    """Write outcomes down once each, however often they are delivered."""
    known = {o.id for o in workspace.store.find(Outcome, {"id": [o.id for o in outcomes]})} if outcomes else set()
    fresh = {o.id: o for o in outcomes if o.id not in known}
    if fresh:
        workspace.write(*(OutcomeRecorded(outcome) for outcome in fresh.values()))
    return RecordedOutcomes(len(fresh), len(outcomes) - len(fresh))


def outcomes(
    workspace: Workspace, *, policy: str = "", stage: Stage | None = None, limit: int = 100
) -> tuple[Outcome, ...]:
    """List outcomes, newest first.

    Arguments:
        policy: only of one policy version (its id)
        stage: only in one setting
        limit: at most so many
    """
    where: dict[str, Any] = {"policy": policy} if policy else {}
    if stage:
        where["stage"] = stage
    return tuple(workspace.store.find(Outcome, where, newest=True, limit=limit))


def monitor(workspace: Workspace) -> Watch:
    """Look at production once: the rolling rate of every policy and site, and alarms beyond chance."""
    deployment = latest_deployment(workspace)
    days = daily(
        workspace.store.find(Outcome, {"stage": Stage.PRODUCTION}),
        {site.id: site.time_zone for site in deployment.sites},
    )
    seen = watch(
        days, baselines(workspace), workspace.operations["monitor"], workspace.clock(), workspace.ids,
        workspace.store.find(Alarm),
    )  # fmt: skip
    if seen.alarms:
        workspace.write(*(AlarmRaised(alarm) for alarm in seen.alarms))
    return seen


def baselines(workspace: Workspace) -> list[Baseline]:
    """Return what each policy showed before deployment, under nominal conditions; an attempt counts once."""
    found = {policy.id: settled(nominal(workspace, policy.id))[0] for policy in workspace.store.find(PolicyVersion)}
    return [Baseline(policy, sum(o.succeeded for o in shown), len(shown)) for policy, shown in found.items() if shown]


def nominal(workspace: Workspace, policy: str) -> list[Outcome]:
    """Return verdicts on what a policy was trusted on: in the laboratory where it was tried there, else in its gate.

    A laboratory's figure, where there is one, is what people went ahead on.
    """
    for stage in (Stage.LAB, Stage.GATE):
        tried = workspace.store.find(Outcome, {"policy": policy, "stage": stage})
        if shown := [o for o in tried if o.scenario in NOMINAL]:
            return shown
    return []


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        raise BadInput(f"{file} is not there.")
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def _outcome(workspace: Workspace, number: int, line: str) -> Outcome:
    try:
        told = from_plain(Outcome, json.loads(line))
        _refuse_untrue(workspace, told)
    except (ValueError, KeyError, TypeError, BadInput) as wrong:
        raise BadInput(f"Line {number} is no outcome: {wrong} Nothing was written.") from wrong
    return dataclasses.replace(told, judged_by=told.judged_by or workspace.actor.id)


def _refuse_untrue(workspace: Workspace, told: Outcome) -> None:
    """Refuse what cannot have happened, and trials reported by whom they would let through."""
    if told.stage in TRIALS and workspace.actor.role not in (Role.ADMIN, Role.ENGINEER):
        raise Refused(f"Outcomes of stage {told.stage} are recorded by engineers; {workspace.actor.id} is not one.")
    if told.stage is Stage.GATE and told.scenario not in NOMINAL[1:] and not told.scenario.startswith(SCENARIOS):
        raise BadInput(f"{told.scenario!r} is no scenario of a gate: fieldloop gate trials lists them.")
    named(workspace, told.policy)
    for name in ("cycle_s", "confidence", "latency_ms"):
        value = getattr(told, name)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise BadInput(f"{name} = {value} is no measurement; leave it out where nothing was measured.")
    if told.confidence is not None and told.confidence > 1:
        raise BadInput(f"confidence = {told.confidence} is above 1.")
    if told.succeeded and told.failure:
        raise BadInput(f"An attempt that succeeded cannot have failed by {told.failure}.")
    _refuse_unknown_factors(workspace, told.stratum)
    if told.interventions < 0:
        raise BadInput(f"interventions = {told.interventions}; count from 0.")
    ahead_s = workspace.operations["monitor"].number("max_clock_ahead_s")
    if told.at_ns > workspace.clock() + ahead_s * NS_PER_S:
        raise BadInput(f"Outcome {told.id} is from the future ({iso(told.at_ns)}). Set the robot's clock.")


def _refuse_unknown_factors(workspace: Workspace, stratum: Stratum) -> None:
    """A misspelt factor would split one condition into two, for good."""
    mapped = workspace.store.find(Deployment, newest=True, limit=1)
    factors = {c.factor for e in mapped[0].exposures for c in e.stratum.conditions} if mapped else set()
    for condition in stratum.conditions:
        if factors and condition.factor not in factors:
            raise BadInput(str(UnknownName("factor of the deployment", condition.factor, factors)))
