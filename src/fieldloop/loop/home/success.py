"""Success in production over time: the version's rolling rate, baseline and alarm limit, beside its rival's rate."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fieldloop.loop.home.changes import Change
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.note import note
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.rollout import Rollout
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.report.diagnose.content import first_cause_text
from fieldloop.say.marks import BAD, RUN
from fieldloop.stats.binomial import interval

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


def policies_shown(success: Success) -> str:
    """Return the names of the versions in a chart."""
    return f"{success.policy} beside {success.rival.policy}" if success.rival else success.policy


def success_over_time(workspace: Workspace) -> Success:
    """Rolling success of the version in production over the last weeks, with what happened to it meanwhile."""
    from fieldloop.loop.run.monitor import baseline_of  # a workspace without production needs no monitor

    store, settings = workspace.store, workspace.operations["monitor"]
    window_days, last = settings.number("window_days"), _last_outcome_to_show(workspace)
    if last is None:
        return Success(window_days)
    policy, end = last.policy, last.at_ns + 1
    names = {version.id: version.name for version in workspace.all_of(PolicyVersion)}
    first = store.find(Outcome, {"stage": Stage.PRODUCTION, "policy": policy}, limit=1)[0].at_ns
    window_ns = int(window_days * NS_PER_DAY)
    rival = _rival(workspace, policy, names, (end - CHART_DAYS * NS_PER_DAY, end), window_ns)
    shown = {policy, *(point.policy for point in (rival.points if rival else ()))}
    since = min([first, *(point.start_ns for point in (rival.points if rival else ()))])
    alarms, found = workspace.all_of(Alarm)[::-1], workspace.all_of(Diagnosis)[::-1]
    moments = [Change(a.raised_ns, BAD, note("home.alarm"), a.message) for a in alarms if a.policy in shown]
    moments += [Change(d.made_ns, RUN, note("home.diagnosis"), first_cause_text(d)) for d in found if d.policy in shown]
    baseline = baseline_of(workspace, policy)
    return Success(
        window_days, tuple(_points(workspace, policy, (first, end), window_ns)), baseline,
        None if baseline is None else baseline - settings.number("max_drop"),
        tuple(m for m in sorted(moments, key=lambda m: m.at_ns) if m.at_ns >= since),
        names.get(policy, policy), rival,
    )  # fmt: skip


def _rival(
    workspace: Workspace, policy: str, names: Mapping[str, str], span_ns: tuple[int, int], window_ns: int
) -> Rival | None:
    """Return the version that shared the newest rollout with this one, if enough is known of it to draw."""
    for climb in workspace.all_of(Rollout):
        arms = {climb.candidate, climb.incumbent}
        if policy in arms and (other := climb.incumbent if climb.candidate == policy else climb.candidate):
            points = tuple(_points(workspace, other, span_ns, window_ns))
            return Rival(names.get(other, other), points) if points else None
    return None


def _last_outcome_to_show(workspace: Workspace) -> Outcome | None:
    """Return the last outcome of the version to show; None where production has reported nothing.

    That is the version in production. Before one is, or before it has outcomes, it is the newest version that has.
    """
    from fieldloop.loop.run.rollout import version_in_production

    for version in (version_in_production(workspace), *(p.id for p in workspace.all_of(PolicyVersion))):
        if version and (found := _last_production_outcome(workspace, policy=version)):
            return found
    newest = _last_production_outcome(workspace)  # of a version that is not registered here
    return newest and _last_production_outcome(workspace, policy=newest.policy)


def _last_production_outcome(workspace: Workspace, **where: str) -> Outcome | None:
    found = workspace.store.find(Outcome, {"stage": Stage.PRODUCTION, **where}, newest=True, limit=1)
    return found[0] if found else None


def _points(workspace: Workspace, policy: str, span_ns: tuple[int, int], window_ns: int) -> Iterator[Rate]:
    """Count in bins that fit the window whole, back from the newest outcome; then sum as many as the window has."""
    first, end = span_ns
    begin = max(first, end - CHART_DAYS * NS_PER_DAY)
    bins = -(-window_ns * CHART_POINTS // (end - begin))
    step = -(-window_ns // bins)
    edges = range(end, max(first, begin - window_ns), -step)
    counts = workspace.store.views.success_rates([(edge - step, edge) for edge in edges], policy=policy)
    least = workspace.operations["monitor"]["min_episodes"]  # fewer say nothing
    for place, edge in reversed(list(enumerate(edges))):
        inside = [rate for part in counts[place : place + bins] for rate in part]
        won, tried = sum(r.successes for r in inside), sum(r.episodes for r in inside)
        if tried >= least and edge > begin:
            yield Rate(policy, "", won, tried, won / tried, *interval(won, tried), edge - window_ns, edge)
