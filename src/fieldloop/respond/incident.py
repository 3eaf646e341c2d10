"""The runbook of an incident: its steps, their order, their owners and their deadlines."""

from dataclasses import replace

from fieldloop.errors import BadInput, Refused
from fieldloop.model.alarm import Alarm
from fieldloop.model.condition import Stratum
from fieldloop.model.identity import Ids
from fieldloop.model.incident import Incident, IncidentClock, Step, StepDone
from fieldloop.model.note import note as fact
from fieldloop.model.person import Duty
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section

MINUTE_S, HOUR_S, DAY_S = 60.0, 3_600.0, 86_400.0  # for durations in words

CLOCKS: dict[Step, tuple[str, float, str]] = {
    Step.DETECTED: ("detect_minutes", MINUTE_S, "fieldloop"),
    Step.CONTAINED: ("contain_minutes", MINUTE_S, Duty.ON_CALL_OPERATOR.value),
    Step.CLASSIFIED: ("classify_minutes", MINUTE_S, Duty.ON_CALL_OPERATOR.value),
    Step.DIAGNOSED: ("diagnose_hours", HOUR_S, Duty.ML_ENGINEER.value),
    Step.RESOLVED: ("resolve_hours", HOUR_S, Duty.ML_ENGINEER.value),
    Step.REVIEWED: ("review_days", DAY_S, Duty.TEAM_LEAD.value),
}
"""Step → the setting with its limit, that setting's unit in seconds, and who owns it."""

NEEDS: dict[Step, tuple[Step, ...]] = {
    Step.DETECTED: (),
    Step.CONTAINED: (Step.DETECTED,),
    Step.CLASSIFIED: (Step.DETECTED,),
    Step.DIAGNOSED: (Step.DETECTED,),
    # a fleet that still fails is not resolved, and a review needs the cause
    Step.RESOLVED: (Step.CONTAINED,),
    Step.REVIEWED: (Step.RESOLVED, Step.DIAGNOSED),
}


def open_incident(
    alarm: Alarm, at_ns: int, ids: Ids, actor: str = "fieldloop", stratum: Stratum | None = None
) -> Incident:
    """Open an incident from an alarm; its clocks run from when the alarm was raised."""
    opened = Incident(
        ids.new("incident"), alarm.policy, alarm.site, stratum or Stratum(), alarm.message, alarm.raised_ns, alarm.id
    )
    return take_incident_step(opened, Step.DETECTED, at_ns, actor, "Raised by the monitor.")


def report_incident(
    policy: str, site: str, description: str, at_ns: int, ids: Ids, actor: str, stratum: Stratum | None = None
) -> Incident:
    """Open an incident that a person reports."""
    if not description.strip():
        raise BadInput("Describe in a sentence what went wrong.")
    opened = Incident(
        ids.new("incident"),
        policy,
        site,
        stratum or Stratum(),
        fact("respond.reported", what=description.strip()),
        at_ns,
    )
    return take_incident_step(opened, Step.DETECTED, at_ns, actor, "Reported by a person.")


def take_incident_step(incident: Incident, step: Step, at_ns: int, actor: str, note: str) -> Incident:
    """Take a step of the runbook: once, after the steps it needs, with a note of what was done."""
    if done := incident.find_done_step(step):
        raise Refused(f"{incident.id} was already {step}, by {done.actor}.")
    if missing := [need for need in NEEDS[step] if not incident.find_done_step(need)]:
        raise Refused(f"{incident.id} cannot be {step} before it is {' and '.join(missing)}.")
    if at_ns < max((s.at_ns for s in incident.steps), default=incident.alerted_ns):
        raise BadInput(f"{incident.id} cannot be {step} at a time before its last step; check the clock.")
    if not note.strip():
        raise BadInput(f"Describe what was done when {incident.id} was {step}; the post-mortem needs it.")
    return replace(incident, steps=(*incident.steps, StepDone(step, at_ns, actor, note.strip())))


def compute_incident_clocks(incident: Incident, settings: Section, at_ns: int) -> tuple[IncidentClock, ...]:
    """Return every deadline: met, missed, or still running (None)."""
    return tuple(_compute_clock(incident, step, settings, at_ns) for step in Step)


def _compute_clock(incident: Incident, step: Step, settings: Section, at_ns: int) -> IncidentClock:
    name, unit_s, owner = CLOCKS[step]
    limit_s = settings.number(name) * unit_s
    done = incident.find_done_step(step)
    elapsed_s = max(0, (done.at_ns if done else at_ns) - incident.alerted_ns) / NS_PER_S
    met = elapsed_s <= limit_s if done or elapsed_s > limit_s else None
    return IncidentClock(step, limit_s, elapsed_s, met, owner)
