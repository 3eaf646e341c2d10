"""Events of what follows a loss of success, in the past tense; `event.py` lists them with all others."""

from dataclasses import dataclass

from fieldloop.model.alarm import Alarm
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.incident import Incident
from fieldloop.model.plan import Demand


@dataclass(frozen=True, slots=True)
class AlarmRaised:
    """Production fell below its baseline."""

    alarm: Alarm


@dataclass(frozen=True, slots=True)
class DiagnosisMade:
    """A loss of success was attributed to its causes."""

    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class IncidentOpened:
    """An incident was opened."""

    incident: Incident


@dataclass(frozen=True, slots=True)
class IncidentMoved:
    """A step of the runbook was taken."""

    incident: Incident


@dataclass(frozen=True, slots=True)
class DemandPlaced:
    """A diagnosis or an incident requested demonstrations."""

    demand: Demand
