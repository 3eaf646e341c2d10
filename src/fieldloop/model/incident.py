"""Incidents in production, with the deadlines of their runbook."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note


class Step(StrEnum):
    """The steps of the runbook, in order; each has a clock from the alert."""

    DETECTED = "detected"
    CONTAINED = "contained"
    CLASSIFIED = "classified"
    DIAGNOSED = "diagnosed"
    RESOLVED = "resolved"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True)
class StepDone:
    """A step of the runbook that was taken: when, by whom, and what was done."""

    step: Step
    at_ns: int
    actor: str
    note: str


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident: what happened, where, since when, and which steps are done."""

    id: str
    policy: str
    site: str
    stratum: Stratum
    what: Note
    alerted_ns: int
    alarm: str | None = None
    steps: tuple[StepDone, ...] = ()

    def find_done_step(self, step: Step) -> StepDone | None:
        """Return this step if it was taken."""
        return next((s for s in self.steps if s.step is step), None)


@dataclass(frozen=True, slots=True)
class IncidentClock:
    """A deadline of an incident: its limit, the time elapsed, and whether it was met (None while it runs)."""

    step: Step
    limit_s: float
    elapsed_s: float
    met: bool | None
    owner: str
