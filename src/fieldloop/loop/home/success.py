"""Success in production over time: the version's rolling rate, baseline and alarm limit, beside its rival's rate."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fieldloop.loop.home.changes import Change
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Rate, note_standing_alarm
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.rollout import Rollout
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.report.diagnose.content import name_first_cause
from fieldloop.say.marks import BAD, RUN
from fieldloop.stats.binomial import compute_wilson_interval

if TYPE_CHECKING:
    from fieldloop.monitor import Baseline

CHART_DAYS, CHART_POINTS = 56, 40  # eight weeks; a shorter history gets about as many points


@dataclass(frozen=True, slots=True)
class Rival:
    """The other version of the newest rollout: the one before, or the candidate; with its rolling rate."""

    policy: str
    points: tuple[Rate, ...]


@dataclass(frozen=True, slots=True)
class Success:
    """One version in production over time: rolling rate, its own baseline, where it alarms, what happened meanwhile."""

    window_days: float
    points: tuple[Rate, ...] = ()
    baseline: float | None = None
    alarm: float | None = None
    moments: tuple[Change, ...] = ()
    policy: str = ""
    """Name of the version, its id where it has none."""
    rival: Rival | None = None
    current: Rate | None = None
    """Success at all sites in the window that the monitor judges, which ends now."""
    status: Status = Status.CANNOT_TELL
    """The verdict on that window, as the monitor gives it for the alarms on record."""
    reasons: tuple[Note, ...] = ()
    """Why the window cannot be judged, or which alarm stands."""

    @property
    def rate_in_window(self) -> Rate | None:
        """The current rate, None where the window holds no outcome."""
        return self.current if self.current and self.current.episodes else None


def list_policies_shown(success: Success) -> str:
    """Return the names of the versions in a chart."""
    return f"{success.policy} beside {success.rival.policy}" if success.rival else success.policy


def compute_success_over_time(workspace: Workspace) -> Success:
    """Rolling success of the version in production over the last weeks, with what happened to it meanwhile."""
    # a workspace without production needs no monitor
    from fieldloop.loop.run.monitor import compute_window_span, count_trials_before_production
    from fieldloop.monitor import Baseline

    settings, now_ns = workspace.operations["monitor"], workspace.clock()
    window_days, span = settings.number("window_days"), compute_window_span(workspace, now_ns)
    chosen, window_ns = _choose_version_to_show(workspace, span), int(window_days * NS_PER_DAY)
    if chosen is None:
        return Success(window_days)
    policy, first, last = chosen
    # the chart ends now, like the window of the monitor; an older history is drawn up to its last outcome
    end = (max(now_ns, last) if now_ns - last < window_ns else last) + 1
    names = {version.id: version.name for version in workspace.find_all(PolicyVersion)}
    rival = _find_rival_version(workspace, policy, names, (end - CHART_DAYS * NS_PER_DAY, end), window_ns)
    alarms = workspace.find_all(Alarm)[::-1]
    trials = count_trials_before_production(workspace, policy)
    baseline = trials.successes / trials.attempts if trials.attempts else None
    points, window = _compute_chart_points(workspace, policy, (first, end), window_ns, span)
    judged = _judge_window(workspace, Baseline(policy, trials.successes, trials.attempts), window, alarms, span)
    return Success(
        window_days, points, baseline,
        None if baseline is None else baseline - settings.number("max_drop"),
        _list_moments(workspace, policy, rival, first), names.get(policy, policy), rival, *judged,
    )  # fmt: skip


def _list_moments(workspace: Workspace, policy: str, rival: Rival | None, first_ns: int) -> tuple[Change, ...]:
    """Return the alarms and diagnoses of the versions in the chart, in order of time."""
    drawn = rival.points if rival else ()
    shown, since = {policy, *(point.policy for point in drawn)}, min([first_ns, *(point.start_ns for point in drawn)])
    alarms, found = workspace.find_all(Alarm)[::-1], workspace.find_all(Diagnosis)[::-1]
    moments = [Change(a.raised_ns, BAD, note("home.alarm"), a.message) for a in alarms if a.policy in shown]
    moments += [Change(d.made_ns, RUN, note("home.diagnosis"), name_first_cause(d)) for d in found if d.policy in shown]
    return tuple(m for m in sorted(moments, key=lambda m: m.at_ns) if m.at_ns >= since)


def _judge_window(
    workspace: Workspace,
    baseline: "Baseline",
    window: Sequence[Rate],
    alarms: Sequence[Alarm],
    span_ns: tuple[int, int],
) -> tuple[Rate, Status, tuple[Note, ...]]:
    """Judge the window of the monitor by its own rules: too few outcomes, no baseline, an alarm that stands."""
    from fieldloop.loop.run.monitor import is_replaced_on_fleet
    from fieldloop.monitor import explain_cannot_tell, find_standing_alarm, make_rate

    settings, policy = workspace.operations["monitor"], baseline.policy
    rates = window or [make_rate(policy, "", 0, 0, span_ns)]
    open_reasons = tuple(why for found in rates if (why := explain_cannot_tell(found, baseline, settings)))
    raised = () if is_replaced_on_fleet(workspace, policy) else alarms
    lasting = [alarm for found in rates if (alarm := find_standing_alarm(found, raised, settings))]
    others = _find_alarms_of_other_versions(workspace, policy, alarms, span_ns)
    status = Status.FAILED if lasting or others else Status.CANNOT_TELL if open_reasons else Status.PASSED
    reasons = (
        *(note_standing_alarm(alarm, rates) for alarm in lasting),
        *(note_standing_alarm(alarm, [found]) for alarm, found in others),
        *open_reasons,
    )
    won, tried = sum(found.successes for found in rates), sum(found.episodes for found in rates)
    return make_rate(policy, "", won, tried, span_ns), status, reasons


def _find_rival_version(
    workspace: Workspace, policy: str, names: Mapping[str, str], span_ns: tuple[int, int], window_ns: int
) -> Rival | None:
    """Return the version that shared the newest rollout with this one, if enough is known of it to draw."""
    for climb in workspace.find_all(Rollout):
        arms = {climb.candidate, climb.incumbent}
        if policy in arms and (other := climb.incumbent if climb.candidate == policy else climb.candidate):
            points, _ = _compute_chart_points(workspace, other, span_ns, window_ns, span_ns)
            return Rival(names.get(other, other), points) if points else None
    return None


def _find_alarms_of_other_versions(
    workspace: Workspace, policy: str, alarms: Sequence[Alarm], span_ns: tuple[int, int]
) -> list[tuple[Alarm, Rate]]:
    """Return the standing alarms about other versions in production, each with its rate, as the monitor finds them."""
    from fieldloop.loop.run.monitor import is_replaced_on_fleet
    from fieldloop.monitor import find_standing_alarm

    settings = workspace.operations["monitor"]
    named = {alarm.policy for alarm in alarms} - {policy}
    others = {version for version in named if not is_replaced_on_fleet(workspace, version)}
    if not others:
        return []
    rates = [rate for rate in workspace.store.compute_success_rates(*span_ns) if rate.policy in others]
    enough = [rate for rate in rates if rate.episodes >= settings.number("min_episodes")]
    return [(alarm, rate) for rate in enough if (alarm := find_standing_alarm(rate, alarms, settings))]


def _choose_version_to_show(workspace: Workspace, span_ns: tuple[int, int]) -> tuple[str, int, int] | None:
    """Return the version to show with the times of its first and last outcome; None where none has outcomes.

    That is the version on a rung. Where none on a rung has outcomes, it is the one with most outcomes in the window,
    or else the one that reported last.
    """
    from fieldloop.loop.run.rollout import list_versions_on_rungs

    acting, views = list_versions_on_rungs(workspace), workspace.store.views
    spans = views.find_reported_spans(span_ns[0] - CHART_DAYS * NS_PER_DAY)
    if not any(version in spans for version in acting or spans):
        spans = views.find_reported_spans()  # an older history
    if not spans:
        return None
    chosen = next((version for version in acting if version in spans), None)
    if chosen is None:
        counts = Counter[str]()
        for rate in workspace.store.compute_success_rates(*span_ns):
            counts[rate.policy] += rate.episodes
        chosen = max(spans, key=lambda version: (counts[version], spans[version][1], version))
    return chosen, *spans[chosen]


def _compute_chart_points(
    workspace: Workspace, policy: str, span_ns: tuple[int, int], window_ns: int, current_ns: tuple[int, int]
) -> tuple[tuple[Rate, ...], list[Rate]]:
    """Return the points of the chart, and in the same read the rates by site in the current window.

    Counts are made in bins that fit the window whole, back from the end; then as many are summed as the window has.
    """
    first, end = span_ns
    begin = max(first, end - CHART_DAYS * NS_PER_DAY)
    bins = -(-window_ns * CHART_POINTS // (end - begin))
    step = -(-window_ns // bins)
    edges = range(end, max(first, begin - window_ns), -step)
    spans = [(edge - step, edge) for edge in edges]
    *counts, current = workspace.store.views.compute_success_rates([*spans, current_ns], policy=policy)
    least = workspace.operations["monitor"]["min_episodes"]  # fewer say nothing
    points: list[Rate] = []
    for place, edge in reversed(list(enumerate(edges))):
        inside = [rate for part in counts[place : place + bins] for rate in part]
        won, tried = sum(r.successes for r in inside), sum(r.episodes for r in inside)
        if tried >= least and edge > begin:
            points.append(
                Rate(policy, "", won, tried, won / tried, *compute_wilson_interval(won, tried), edge - window_ns, edge)
            )
    return tuple(points), current
