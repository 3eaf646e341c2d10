"""Incidents with their clocks, open ones first, and the newest diagnosis."""

from dataclasses import dataclass

from fieldloop.loop.run.incident import IncidentNow, list_incidents
from fieldloop.loop.workspace import Workspace
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.incident import Step
from fieldloop.model.trial import KeptScenario


@dataclass(frozen=True, slots=True)
class IncidentsShown:
    """Every incident, open ones first, the newest diagnosis, and the failures that every gate tries."""

    incidents: tuple[IncidentNow, ...]
    diagnosis: Diagnosis | None
    kept: tuple[KeptScenario, ...] = ()


def show_incidents(workspace: Workspace) -> IncidentsShown:
    """Show every incident with its clocks, open ones first, and the newest diagnosis."""
    known = sorted(list_incidents(workspace), key=lambda now: now.incident.find_done_step(Step.REVIEWED) is not None)
    return IncidentsShown(tuple(known), workspace.find_newest(Diagnosis), workspace.find_all(KeptScenario))
