"""Incidents and their deadlines, the demonstrations they demand, and when to train again.

`open_incident` and `report_incident` begin one, `take_incident_step` takes a step of the runbook,
`compute_incident_clocks` reads its deadlines, `demand_demonstrations` asks the plan for demonstrations,
`list_retraining_triggers` lists the reasons to train again.
"""

from fieldloop.respond.demand import demand_demonstrations
from fieldloop.respond.incident import compute_incident_clocks, open_incident, report_incident, take_incident_step
from fieldloop.respond.triggers import Trigger, list_retraining_triggers

__all__ = [
    "Trigger",
    "compute_incident_clocks",
    "demand_demonstrations",
    "list_retraining_triggers",
    "open_incident",
    "report_incident",
    "take_incident_step",
]
