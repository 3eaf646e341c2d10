"""Monitor production: rates with intervals, and alarms beyond chance."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.run.possible_outcomes import NOMINAL, TRIALS
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Rate, Watch
from fieldloop.model.attempts import select_known_results
from fieldloop.model.days import get_day_span_ns
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.response_event import AlarmRaised
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.monitor import Baseline, make_rate, watch_production
from fieldloop.store import TrialCount


def monitor(workspace: Workspace) -> Watch:
    """Evaluate production once: the success rate of every policy and site, and an alarm for each drop beyond chance.

    The rates are those of the last days before now (`monitor.window_days`), as on home and on the Floor page.
    """
    zones = {site.id: site.time_zone for site in require_latest_deployment(workspace).sites}
    days = tuple(
        make_rate(
            day.policy, day.site, day.successes, day.episodes, get_day_span_ns(day.day, zones.get(day.site, "UTC"))
        )
        for day in workspace.store.views.count_by_day(zones)
    )
    at_ns = workspace.clock()
    span = compute_window_span(workspace, at_ns)
    window = add_silent_sites(
        workspace.store.compute_success_rates(*span), {(day.policy, day.site) for day in days}, span
    )
    seen = watch_production(
        days, list_baselines(workspace), workspace.operations["monitor"], at_ns, workspace.ids,
        workspace.store.find(Alarm), window,
    )  # fmt: skip
    if seen.alarms:
        workspace.write(*(AlarmRaised(alarm) for alarm in seen.alarms))
    standing = tuple(alarm for alarm in seen.standing if not is_replaced_on_fleet(workspace, alarm.policy))
    nothing = () if days else (note("monitor.no_outcomes"),)
    return dataclasses.replace(
        seen, cannot_tell=(*seen.cannot_tell, *nothing), unknown=tuple(note_unknown_results(workspace)),
        start_ns=span[0], end_ns=span[1], standing=standing,
    )  # fmt: skip


def is_replaced_on_fleet(workspace: Workspace, policy: str) -> bool:
    """Tell whether the fleet runs another version by now; then an earlier alarm about this one is settled."""
    from fieldloop.loop.run.rollout import find_rollout_in_progress, find_version_in_production

    running = find_version_in_production(workspace)
    climbing = find_rollout_in_progress(workspace)
    return bool(running) and running != policy and not (climbing and climbing.candidate == policy)


def compute_window_span(workspace: Workspace, at_ns: int) -> tuple[int, int]:
    """Return the window [start, end) in which production is judged: the last days up to a moment, itself included."""
    days = workspace.operations["monitor"].number("window_days")
    return at_ns + 1 - int(days * NS_PER_DAY), at_ns + 1


def add_silent_sites(
    window: Iterable[Rate], known: Iterable[tuple[str, str]], span_ns: tuple[int, int]
) -> tuple[Rate, ...]:
    """Add the policies and sites that reported before and not in the window, except where another version took over."""
    inside = {(found.policy, found.site): found for found in window}
    taken_over = {site for _, site in inside}
    silent = {
        pair: make_rate(*pair, 0, 0, span_ns) for pair in known if pair not in inside and pair[1] not in taken_over
    }
    return tuple(found for _, found in sorted((inside | silent).items()))


def note_unknown_results(workspace: Workspace) -> Iterator[Note]:
    """Report the attempts in production whose result is not known, by policy and site."""
    for (policy, site), attempts in sorted(workspace.store.views.count_unknown_results().items()):
        yield note("monitor.unknown_results", policy=policy, site=site, attempts=attempts)


def list_baselines(workspace: Workspace) -> list[Baseline]:
    """Return each policy's success before deployment under nominal conditions; an attempt counts once."""
    counts = workspace.store.views.count_trials(TRIALS, NOMINAL)
    found = {policy.id: _select_baseline_trials(counts, policy.id) for policy in workspace.store.find(PolicyVersion)}
    return [Baseline(policy, shown.successes, shown.attempts) for policy, shown in found.items() if shown.attempts]


def count_trials_before_production(workspace: Workspace, policy: str) -> TrialCount:
    """Count the trials under nominal conditions that a policy passed before production."""
    return _select_baseline_trials(workspace.store.views.count_trials(TRIALS, NOMINAL, [policy]), policy)


def compute_baseline(workspace: Workspace, policy: str) -> float | None:
    """Return the baseline of a policy; None if it was not tried under nominal conditions."""
    shown = count_trials_before_production(workspace, policy)
    return shown.successes / shown.attempts if shown.attempts else None


def _select_baseline_trials(counts: Mapping[tuple[str, str], TrialCount], policy: str) -> TrialCount:
    """Return the trials that a policy was trusted on: in the laboratory where it was tried there, else in its gate."""
    found = (counts[policy, stage] for stage in TRIALS if (policy, stage) in counts)
    return next(found, TrialCount(0, 0, 0))


def find_nominal_outcomes(workspace: Workspace, policy: str) -> list[Outcome]:
    """Return the outcomes behind a policy's baseline: lab outcomes if there are any, else those of its gate.

    Where a lab figure exists, the decision to deploy was based on it.
    """
    for stage in (Stage.LAB, Stage.GATE):
        tried = workspace.store.find(Outcome, {"policy": policy, "stage": stage})
        if shown := [o for o in select_known_results(tried) if o.scenario in NOMINAL]:
            return shown
    return []
