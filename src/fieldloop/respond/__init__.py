"""Incidents with their clocks, what they ask of the plan, and when to train again.

`open_incident` and `report_incident` begin one, `move` takes a step of the runbook, `clocks` reads its clocks,
`post_mortem` writes it up, `demand` asks the plan for demonstrations, `due` says why to train again.
"""

from fieldloop.respond.demand import demand
from fieldloop.respond.incident import clocks, move, open_incident, report_incident
from fieldloop.respond.post_mortem import post_mortem
from fieldloop.respond.triggers import Trigger, due

__all__ = ["Trigger", "clocks", "demand", "due", "move", "open_incident", "post_mortem", "report_incident"]
