"""Record outcomes, and monitor production: rates with intervals and alarms beyond chance."""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.audit.audit import latest_deployment
from fieldloop.loop.run.policies import find_policy
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Watch
from fieldloop.model.codec import from_plain, iso
from fieldloop.model.condition import Stratum
from fieldloop.model.days import day_span_ns
from fieldloop.model.deployment import Deployment
from fieldloop.model.event import AlarmRaised, OutcomeRecorded
from fieldloop.model.person import Role
from fieldloop.model.policy import FailureClass, Outcome, PolicyVersion, Stage
from fieldloop.model.stream import NS_PER_S
from fieldloop.monitor import Baseline, rate, watch
from fieldloop.store import TrialCount
from fieldloop.text_files import read_text

NOMINAL = ("", "base", "consecutive")
"""Scenarios under nominal conditions."""
SCENARIOS = ("lighting:", "position:", "distractors", "edge:", "incident:")
TRIALS = (Stage.LAB, Stage.GATE)


@dataclass(frozen=True, slots=True)
class RecordedOutcomes:
    """How many outcomes were recorded, and how many were already known."""

    recorded: int
    known: int


def record(workspace: Workspace, file: Path) -> RecordedOutcomes:
    """Record outcomes from a file of JSON lines, as robots spool them; known ids are skipped.

    Arguments:
        file: the file, with one outcome per line as JSON
    """
    reported = [_outcome(workspace, n, line) for n, line in enumerate(_lines(file), 1)]
    return record_outcomes(workspace, reported)


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
    """Record how one attempt ended, as a robot or an operator reports it.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        result: success or failure
        stratum: the conditions of the attempt, such as site=gdansk,lighting=dim
        site: the site of the attempt (default: the stratum's site)
        robot: the robot that made the attempt
        failure: the class of the failure
        cycle_s: seconds from the start of the attempt to its end
        confidence: the policy's confidence, 0 to 1
        latency_ms: how long the policy took to answer
        interventions: how often a person stepped in
        stage: lab, gate, shadow or production
        scenario: the gate scenario that this attempt was a trial of
        outcome: the report's id, so that repeated delivery counts once
    """
    where, at_ns = Stratum.parse(stratum), workspace.clock()
    reported = Outcome(
        id=outcome or workspace.ids.new("outcome"),
        policy=find_policy(workspace, policy).id,
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
    _refuse_invalid_outcome(workspace, reported)
    record_outcomes(workspace, [reported])
    return workspace.store.get(Outcome, reported.id)


def record_outcomes(workspace: Workspace, outcomes: Sequence[Outcome]) -> RecordedOutcomes:
    """Record outcomes once each, however often they are delivered."""
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
        policy: only this policy version (id)
        stage: only this stage
        limit: maximum number of outcomes
    """
    where: dict[str, Any] = {"policy": policy} if policy else {}
    if stage:
        where["stage"] = stage
    return tuple(workspace.store.find(Outcome, where, newest=True, limit=limit))


def monitor(workspace: Workspace) -> Watch:
    """Evaluate production once: the success rate of every policy and site, and an alarm for each drop beyond chance."""
    zones = {site.id: site.time_zone for site in latest_deployment(workspace).sites}
    days = tuple(
        rate(day.policy, day.site, day.successes, day.episodes, day_span_ns(day.day, zones.get(day.site, "UTC")))
        for day in workspace.store.views.daily_counts(zones)
    )
    seen = watch(
        days, baselines(workspace), workspace.operations["monitor"], workspace.clock(), workspace.ids,
        workspace.store.find(Alarm),
    )  # fmt: skip
    if seen.alarms:
        workspace.write(*(AlarmRaised(alarm) for alarm in seen.alarms))
    return seen


def baselines(workspace: Workspace) -> list[Baseline]:
    """Return each policy's success before deployment under nominal conditions; an attempt counts once."""
    counts = workspace.store.views.trial_counts(TRIALS, NOMINAL)
    found = {policy.id: _baseline_trials(counts, policy.id) for policy in workspace.store.find(PolicyVersion)}
    return [Baseline(policy, shown.successes, shown.attempts) for policy, shown in found.items() if shown.attempts]


def baseline_of(workspace: Workspace, policy: str) -> float | None:
    """Return the success rate that a policy was trusted on; None where it was not tried under nominal conditions."""
    shown = _baseline_trials(workspace.store.views.trial_counts(TRIALS, NOMINAL, [policy]), policy)
    return shown.successes / shown.attempts if shown.attempts else None


def _baseline_trials(counts: Mapping[tuple[str, str], TrialCount], policy: str) -> TrialCount:
    """Return the trials that a policy was trusted on: in the laboratory where it was tried there, else in its gate."""
    found = (counts[policy, stage] for stage in TRIALS if (policy, stage) in counts)
    return next(found, TrialCount(0, 0, 0))


def nominal_outcomes(workspace: Workspace, policy: str) -> list[Outcome]:
    """Return the outcomes a policy was trusted on: lab outcomes if there are any, else those of its gate.

    Where a lab figure exists, the decision to deploy was based on it.
    """
    for stage in (Stage.LAB, Stage.GATE):
        tried = workspace.store.find(Outcome, {"policy": policy, "stage": stage})
        if shown := [o for o in tried if o.scenario in NOMINAL]:
            return shown
    return []


def _lines(file: Path) -> list[str]:
    return [line for line in read_text(file).splitlines() if line.strip()]


def _outcome(workspace: Workspace, number: int, line: str) -> Outcome:
    try:
        reported = from_plain(Outcome, json.loads(line))
        _refuse_invalid_outcome(workspace, reported)
    except (ValueError, KeyError, TypeError, BadInput) as wrong:
        raise BadInput(f"Line {number} is not a valid outcome: {wrong} Nothing was written.") from wrong
    return dataclasses.replace(reported, judged_by=reported.judged_by or workspace.actor.id)


def _refuse_invalid_outcome(workspace: Workspace, reported: Outcome) -> None:
    """Refuse impossible values, and gate trials that are not reported by an engineer."""
    if reported.stage in TRIALS and workspace.actor.role not in (Role.ADMIN, Role.ENGINEER):
        raise Refused(f"Only engineers may record outcomes of stage {reported.stage}; {workspace.actor.id} is not one.")
    if (
        reported.stage is Stage.GATE
        and reported.scenario not in NOMINAL[1:]
        and not reported.scenario.startswith(SCENARIOS)
    ):
        raise BadInput(f"{reported.scenario!r} is not a scenario of a gate. List them with: fieldloop gate trials")
    find_policy(workspace, reported.policy)
    for name in ("cycle_s", "confidence", "latency_ms"):
        value = getattr(reported, name)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise BadInput(f"{name} = {value} is not a valid measurement. Leave it out where nothing was measured.")
    if reported.confidence is not None and reported.confidence > 1:
        raise BadInput(f"confidence = {reported.confidence} is above 1.")
    if reported.succeeded and reported.failure:
        raise BadInput(f"An attempt that succeeded cannot have failed by {reported.failure}.")
    _refuse_unknown_factors(workspace, reported.stratum)
    if reported.interventions < 0:
        raise BadInput(f"interventions = {reported.interventions} is not a valid count.")
    ahead_s = workspace.operations["monitor"].number("max_clock_ahead_s")
    if reported.at_ns > workspace.clock() + ahead_s * NS_PER_S:
        raise BadInput(f"Outcome {reported.id} is from the future ({iso(reported.at_ns)}). Set the robot's clock.")


def _refuse_unknown_factors(workspace: Workspace, stratum: Stratum) -> None:
    """Refuse unknown factors: a misspelt one would split a condition in two."""
    mapped = workspace.newest(Deployment)
    factors = {c.factor for e in mapped.exposures for c in e.stratum.conditions} if mapped else set()
    for condition in stratum.conditions:
        if factors and condition.factor not in factors:
            raise BadInput(str(UnknownName("factor of the deployment", condition.factor, factors)))
