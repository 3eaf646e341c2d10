"""Diagnoses made so far, and one of them with the daily success rates around it."""

from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.loop.home.names import find_numbered
from fieldloop.loop.home.pages import read_daily_rates
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Rate
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.policy import PolicyVersion


@dataclass(frozen=True, slots=True)
class DiagnosisShown:
    """One diagnosis, success by day and site before it, and all diagnoses newest first.

    `policies` gives the name of each version by its id.
    """

    diagnosis: Diagnosis | None
    days: tuple[Rate, ...]
    diagnoses: tuple[Diagnosis, ...]
    policies: Mapping[str, str]


def show_diagnosis(workspace: Workspace, *, diagnosis: str = "") -> DiagnosisShown:
    """Show a diagnosis with success by day before it, and list all diagnoses.

    Arguments:
        diagnosis: the diagnosis's number or id (default: the newest)
    """
    here = workspace.with_read_cache()
    known = here.find_all_of_several(Diagnosis, PolicyVersion)
    newest = next(iter(known[Diagnosis]), None)
    shown = find_numbered(here, Diagnosis, diagnosis) if diagnosis else newest
    days = read_daily_rates(here, shown.policy, shown.site, shown.made_ns) if shown else ()
    return DiagnosisShown(shown, days, known[Diagnosis], {one.id: one.name for one in known[PolicyVersion]})
