"""What happens to the story's policy in the field: outcomes, an alarm, its diagnosis, an incident."""

import random

from tests.doors.story_setting import DAY, NOW, S, written

from fieldloop.loop.workspace import Workspace
from fieldloop.model import event as happened
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Cause, Diagnosis, Gap
from fieldloop.model.finding import Status
from fieldloop.model.incident import Incident, Step, StepDone
from fieldloop.model.note import note
from fieldloop.model.plan import Demand
from fieldloop.model.policy import FailureClass, Outcome, PolicyVersion, Stage
from fieldloop.model.response_event import AlarmRaised, DemandPlaced, DiagnosisMade, IncidentMoved, IncidentOpened
from fieldloop.model.rollout import Rollout, Rung


def run(
    workspace: Workspace, policy: PolicyVersion, strata: list[Stratum], shares: list[float], rng: random.Random
) -> None:
    workspace.write(
        happened.RolloutMoved(
            Rollout(
                "rollout_1",
                policy.id,
                None,
                Rung.QUARTER,
                0.25,
                NOW - 40 * DAY,
                Status.PASSED,
                written("214 episodes, no loss."),
                "f2",
                214,
                186,
            )
        )
    )
    outcomes = [
        happened.OutcomeRecorded(
            Outcome(
                f"trial_{n:03d}",
                policy.id,
                strata[0],
                Stage.GATE,
                "leipzig-b",
                "arm-1",
                NOW - 41 * DAY + n,
                n % 10 != 0,
                "machine:scale",
                None if n % 10 else FailureClass.GRASP,
                "consecutive",
                cycle_s=7.0,
            )
        )
        for n in range(100)
    ]
    for n in range(40 * 24):
        at = NOW - 40 * DAY + n * 3600 * S
        stratum = rng.choices(strata, shares)[0]
        dark = stratum.level("lighting") == "dim"
        p = 0.55 if dark and at > NOW - 16 * DAY else 0.9
        won = rng.random() < p
        outcomes.append(
            happened.OutcomeRecorded(
                Outcome(
                    f"outcome_{n:05d}",
                    policy.id,
                    stratum,
                    Stage.PRODUCTION,
                    "leipzig-b",
                    "arm-1",
                    at,
                    won,
                    "machine:scale",
                    None if won else FailureClass.GRASP,
                    cycle_s=7.4,
                    confidence=0.88,
                    latency_ms=11.0,
                )
            )
        )
    workspace.write(*outcomes)
    rate = Rate(policy.id, "leipzig-b", 120, 168, 0.714, 0.64, 0.777, NOW - 17 * DAY, NOW - 10 * DAY)
    workspace.write(
        AlarmRaised(
            Alarm(
                "alarm_1",
                policy.id,
                "leipzig-b",
                NOW - 10 * DAY,
                0.9,
                rate,
                12.0,
                8.0,
                written("71.4 % over 7 days, 18.6 points under the baseline."),
                "f3",
            )
        )
    )
    cause = Cause(
        Gap.ENVIRONMENT,
        0.61,
        0.47,
        0.72,
        Stratum.of(lighting="dim"),
        True,
        written("Dim light fails 45 %, bright 10 %."),
        written("Collect 24 demonstrations in dim light."),
    )
    workspace.write(
        DiagnosisMade(
            Diagnosis(
                "diagnosis_1",
                policy.id,
                "leipzig-b",
                Status.FAILED,
                0.9,
                0.714,
                0.186,
                0.05,
                0.34,
                0.61,
                (cause,),
                168,
                NOW - 9 * DAY,
                "f4",
            )
        )
    )
    incident = Incident(
        "incident_01",
        policy.id,
        "leipzig-b",
        Stratum.of(lighting="dim"),
        written("Night shift drops items"),
        NOW - 6 * 3600 * S,
        "alarm_1",
    )
    workspace.write(IncidentOpened(incident))
    steps = tuple(
        StepDone(step, incident.alerted_ns + k * 600 * S, "local", "done")
        for k, step in enumerate((Step.DETECTED, Step.CONTAINED), 0)
    )
    moved = Incident(
        incident.id,
        incident.policy,
        incident.site,
        incident.stratum,
        incident.what,
        incident.alerted_ns,
        incident.alarm,
        steps,
    )
    workspace.write(IncidentMoved(moved))
    workspace.write(
        DemandPlaced(
            Demand(
                "demand_1",
                Stratum.of(lighting="dim"),
                24,
                note("as_written", text="Dim light explains 61 % of the loss."),
                "incident_01",
                NOW - 3600 * S,
            )
        )
    )
