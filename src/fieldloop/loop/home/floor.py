"""Production now: success over time and by site, the rollout, alarms, and the last outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.loop.home.pages import read_success_rates
from fieldloop.loop.home.success import Success, compute_success_over_time
from fieldloop.loop.run.monitor import note_unknown_results
from fieldloop.loop.run.outcomes import list_outcomes, write_outcome_template
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.note import Note
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.rollout import Rollout

MOST_OUTCOMES = 40


@dataclass(frozen=True, slots=True)
class Floor:
    """Production success; `policies` gives the name of each version by its id."""

    success: Success
    rates: tuple[Rate, ...]
    rollouts: tuple[Rollout, ...]
    alarms: tuple[Alarm, ...]
    outcomes: tuple[Outcome, ...]
    policies: Mapping[str, str]
    unknown: tuple[Note, ...] = ()
    """Attempts without a known result, by policy and site; rates do not count them."""
    template: str = ""
    """An example of the table that `monitor record` reads."""


def show_floor(workspace: Workspace) -> Floor:
    """Show production: success over time and by site, the rollout, alarms and the last outcomes."""
    here = workspace.with_read_cache()
    here.find_all_of_several(Alarm, Rollout, PolicyVersion)
    return Floor(
        compute_success_over_time(here),
        read_success_rates(here),
        here.find_all(Rollout),
        here.find_all(Alarm),
        list_outcomes(here, stage=Stage.PRODUCTION, limit=MOST_OUTCOMES),
        {version.id: version.name for version in here.find_all(PolicyVersion)},
        tuple(note_unknown_results(here)),
        write_outcome_template(here),
    )
