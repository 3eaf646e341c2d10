"""Open incidents, take the steps of their runbook, and write post-mortems."""

from dataclasses import dataclass

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.home.names import find_numbered
from fieldloop.loop.run.policies import find_policy
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.incident import Incident, IncidentClock, Step
from fieldloop.model.plan import Demand
from fieldloop.model.policy import Stage
from fieldloop.model.response_event import DemandPlaced, IncidentMoved, IncidentOpened
from fieldloop.report.post_mortem import write_post_mortem
from fieldloop.respond import compute_incident_clocks, demand_demonstrations, report_incident
from fieldloop.respond import open_incident as open_from_alarm
from fieldloop.respond import take_incident_step as take_step
from fieldloop.store import Expected


@dataclass(frozen=True, slots=True)
class IncidentNow:
    """An incident with its six deadlines now, and the demonstrations it demands."""

    incident: Incident
    clocks: tuple[IncidentClock, ...]
    demands: tuple[Demand, ...] = ()


def list_incidents(workspace: Workspace) -> tuple[IncidentNow, ...]:
    """Show incidents with their deadlines, newest first."""
    return tuple(_add_deadlines(workspace, incident) for incident in workspace.store.find(Incident, newest=True))


def open_incident(
    workspace: Workspace, what: str = "", *, alarm: str = "", policy: str = "", site: str = "", stratum: str = ""
) -> IncidentNow:
    """Open an incident, from an alarm or a person's report.

    Arguments:
        what: what went wrong, in a sentence; not needed with an alarm
        alarm: the alarm's number or id
        policy: the policy version that was running
        site: the site of the incident
        stratum: the conditions under which the policy fails, such as lighting=dim,bin=back
    """
    where, seen = Stratum.parse(stratum), workspace.store.get_last_seq()
    if alarm:
        raised = find_numbered(workspace, Alarm, alarm)
        for known in workspace.store.find(Incident, {"alarm": raised.id}):
            raise Refused(f"{raised.id} already has an incident: {known.id}. Continue there: fieldloop incident move")
        opened = open_from_alarm(raised, workspace.clock(), workspace.ids, workspace.actor.id, where)
    elif not policy:
        raise BadInput("Name the policy that was running (--policy), or the alarm that was raised (--alarm).")
    else:
        version = find_policy(workspace, policy)
        opened = report_incident(version.id, site, what, workspace.clock(), workspace.ids, workspace.actor.id, where)
    workspace.write(
        IncidentOpened(opened), expect=Expected(Incident, seen, {"alarm": opened.alarm}) if opened.alarm else None
    )
    return _add_deadlines(workspace, opened)


def record_incident_step(workspace: Workspace, incident: str, step: Step, *, note: str) -> IncidentNow:
    """Record a step of the incident's runbook; once diagnosed, the incident asks the plan for demonstrations.

    Arguments:
        incident: the incident's number or id
        step: detected, contained, classified, diagnosed, resolved or reviewed
        note: what was done, for the post-mortem
    """
    seen = workspace.store.get_last_seq()
    known = find_numbered(workspace, Incident, incident)
    moved = take_step(known, step, workspace.clock(), workspace.actor.id, note)
    asked = _make_demands(workspace, moved) if step is Step.DIAGNOSED else ()
    workspace.write(
        IncidentMoved(moved), *(DemandPlaced(one) for one in asked), expect=Expected(Incident, seen, {"id": known.id})
    )
    return _add_deadlines(workspace, moved)


def write_incident_report(workspace: Workspace, incident: str) -> str:
    """Write the post-mortem of an incident from the record, as Markdown.

    Arguments:
        incident: the incident's number or id
    """
    known = find_numbered(workspace, Incident, incident)
    end = known.find_done_step(Step.RESOLVED)
    # an alarm concerns the days before it
    start_ns = workspace.store.get(Alarm, known.alarm).rate.start_ns if known.alarm else known.alerted_ns
    span = range(start_ns, (end.at_ns if end else workspace.clock()) + 1)
    rates = workspace.store.compute_success_rates(span.start, span.stop, Stage.PRODUCTION)
    mine = [rate for rate in rates if rate.policy == known.policy and known.site in ("", rate.site)]
    return write_post_mortem(
        known,
        compute_incident_clocks(known, workspace.operations["respond"], workspace.clock()),
        _find_diagnosis(workspace, known),
        workspace.store.find(Demand),
        sum(rate.episodes - rate.successes for rate in mine),
    )


def _add_deadlines(workspace: Workspace, incident: Incident) -> IncidentNow:
    diagnosis = _find_diagnosis(workspace, incident)
    sources = [incident.id, *([diagnosis.id] if diagnosis else [])]
    asked = [d for source in sources for d in workspace.store.find(Demand, {"source": source})]
    return IncidentNow(
        incident, compute_incident_clocks(incident, workspace.operations["respond"], workspace.clock()), tuple(asked)
    )


def _make_demands(workspace: Workspace, incident: Incident) -> tuple[Demand, ...]:
    diagnosis = _find_diagnosis(workspace, incident)
    if diagnosis is None and not incident.stratum.conditions:
        raise Refused(
            "Diagnose the policy first (fieldloop diagnose), or state the conditions under which it fails (--stratum)."
        )
    settings, at_ns = workspace.operations["plan"], workspace.clock()
    if diagnosis and workspace.store.count(Demand, {"source": diagnosis.id}):
        return ()  # another incident of the same cause has already asked
    asked = demand_demonstrations(diagnosis, settings, workspace.ids, at_ns) if diagnosis else ()
    return asked or (
        demand_demonstrations(incident, settings, workspace.ids, at_ns) if incident.stratum.conditions else ()
    )


def _find_diagnosis(workspace: Workspace, incident: Incident) -> Diagnosis | None:
    """Return the last diagnosis of this policy since the alert: of its site where there is one, else of all sites."""
    made = workspace.store.find(Diagnosis, {"policy": incident.policy}, newest=True)
    since = [d for d in made if d.made_ns >= incident.alerted_ns]
    return next((d for site in (incident.site, "") for d in since if d.site == site), None)
