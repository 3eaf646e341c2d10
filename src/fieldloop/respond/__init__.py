"""Incidents and their deadlines, the demonstrations they demand, and when to train again.

`open_incident` and `report_incident` begin one, `move` takes a step of the runbook, `clocks` reads its deadlines,
`demand` asks the plan for demonstrations, `due` lists the reasons to train again.
"""

from fieldloop.respond.demand import demand
from fieldloop.respond.incident import clocks, move, open_incident, report_incident
from fieldloop.respond.triggers import Trigger, due

__all__ = ["Trigger", "clocks", "demand", "due", "move", "open_incident", "report_incident"]
