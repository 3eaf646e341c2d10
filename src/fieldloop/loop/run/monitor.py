"""Monitor production: rates with intervals, and alarms beyond chance."""

import dataclasses
from collections.abc import Iterator, Mapping

from fieldloop.loop.audit.audit import latest_deployment
from fieldloop.loop.run.possible_outcomes import NOMINAL, TRIALS
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Watch
from fieldloop.model.attempts import known_results
from fieldloop.model.days import day_span_ns
from fieldloop.model.event import AlarmRaised
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.monitor import Baseline, rate, watch
from fieldloop.store import TrialCount


def monitor(workspace: Workspace) -> Watch:
    """Evaluate production once: the success rate of every policy and site, and an alarm for each drop beyond chance."""
    zones = {site.id: site.time_zone for site in latest_deployment(workspace).sites}
    days = tuple(
        rate(day.policy, day.site, day.successes, day.episodes, day_span_ns(day.day, zones.get(day.site, "UTC")))
        for day in workspace.store.views.daily_counts(zones)
    )
    seen = watch(
        days, baselines(workspace), workspace.operations["monitor"], workspace.clock(), workspace.ids,
        workspace.store.find(Alarm),
    )  # fmt: skip
    if seen.alarms:
        workspace.write(*(AlarmRaised(alarm) for alarm in seen.alarms))
    return dataclasses.replace(seen, unknown=tuple(unknown_results(workspace)))


def unknown_results(workspace: Workspace) -> Iterator[Note]:
    """Report the attempts in production whose result is not known, by policy and site."""
    for (policy, site), attempts in sorted(workspace.store.views.unknown_counts().items()):
        yield note("monitor.unknown_results", policy=policy, site=site, attempts=attempts)


def baselines(workspace: Workspace) -> list[Baseline]:
    """Return each policy's success before deployment under nominal conditions; an attempt counts once."""
    counts = workspace.store.views.trial_counts(TRIALS, NOMINAL)
    found = {policy.id: _baseline_trials(counts, policy.id) for policy in workspace.store.find(PolicyVersion)}
    return [Baseline(policy, shown.successes, shown.attempts) for policy, shown in found.items() if shown.attempts]


def trials_before_production(workspace: Workspace, policy: str) -> TrialCount:
    """Return the trials that a policy was trusted on, under nominal conditions."""
    return _baseline_trials(workspace.store.views.trial_counts(TRIALS, NOMINAL, [policy]), policy)


def baseline_of(workspace: Workspace, policy: str) -> float | None:
    """Return the success rate that a policy was trusted on; None where it was not tried under nominal conditions."""
    shown = trials_before_production(workspace, policy)
    return shown.successes / shown.attempts if shown.attempts else None


def _baseline_trials(counts: Mapping[tuple[str, str], TrialCount], policy: str) -> TrialCount:
    """Return the trials that a policy was trusted on: in the laboratory where it was tried there, else in its gate."""
    found = (counts[policy, stage] for stage in TRIALS if (policy, stage) in counts)
    return next(found, TrialCount(0, 0, 0))


def nominal_outcomes(workspace: Workspace, policy: str) -> list[Outcome]:
    """Return the outcomes a policy was trusted on: lab outcomes if there are any, else those of its gate.

    Where a lab figure exists, the decision to deploy was based on it.
    """
    for stage in (Stage.LAB, Stage.GATE):
        tried = workspace.store.find(Outcome, {"policy": policy, "stage": stage})
        if shown := [o for o in known_results(tried) if o.scenario in NOMINAL]:
            return shown
    return []
