"""How the version in production fares over time: its rolling rate, its own baseline, where it alarms."""

from collections.abc import Iterator
from dataclasses import dataclass

from fieldloop.loop.home_changes import Change
from fieldloop.loop.home_marks import BAD, RUN
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.attempts import settled
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.stream import NS_PER_S
from fieldloop.report.diagnose.content import in_short
from fieldloop.stats.binomial import interval

NS_PER_DAY = 86_400 * NS_PER_S
CHART_DAYS, CHART_POINTS = 56, 40  # eight weeks; a shorter history gets about as many points


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


def success_over_time(workspace: Workspace) -> Success:
    """Rolling success of the version in production over the last weeks, with what happened to it meanwhile."""
    from fieldloop.loop.monitor import nominal  # a workspace without production needs no monitor

    store, settings = workspace.store, workspace.operations["monitor"]
    window_days, policy = settings.number("window_days"), _shown(workspace)
    if policy is None:
        return Success(window_days)
    mine = {"stage": Stage.PRODUCTION, "policy": policy}
    end = store.find(Outcome, mine, newest=True, limit=1)[0].at_ns + 1
    first = store.find(Outcome, mine, limit=1)[0].at_ns
    moments = [Change(a.raised_ns, BAD, "Alarm", a.message) for a in store.find(Alarm) if a.policy == policy]
    found = [d for d in store.find(Diagnosis) if d.policy == policy]
    moments += [Change(d.made_ns, RUN, "Diagnosis", in_short(d)) for d in found]
    trusted = settled(nominal(workspace, policy))[0]
    baseline = sum(o.succeeded for o in trusted) / len(trusted) if trusted else None
    return Success(
        window_days, tuple(_points(workspace, policy, (first, end), int(window_days * NS_PER_DAY))), baseline,
        None if baseline is None else baseline - settings.number("max_drop"),
        tuple(m for m in sorted(moments, key=lambda m: m.at_ns) if m.at_ns >= first),
        next((version.name for version in store.find(PolicyVersion, {"id": policy})), policy),
    )  # fmt: skip


def _shown(workspace: Workspace) -> str | None:
    """The version in production; before one is, or before it has outcomes, the newest that has; None without any."""
    from fieldloop.loop.rollout import in_production

    last = workspace.store.find(Outcome, {"stage": Stage.PRODUCTION}, newest=True, limit=1)
    if not last:
        return None
    versions = [in_production(workspace), *(p.id for p in workspace.store.find(PolicyVersion, newest=True))]
    where = {"stage": Stage.PRODUCTION}
    tried = (v for v in versions if v and workspace.store.count(Outcome, where | {"policy": v}))
    return next(tried, last[0].policy)


def _points(workspace: Workspace, policy: str, span_ns: tuple[int, int], window_ns: int) -> Iterator[Rate]:
    """Count in bins that fit the window whole, back from the newest outcome; then sum as many as the window has."""
    first, end = span_ns
    begin = max(first, end - CHART_DAYS * NS_PER_DAY)
    bins = -(-window_ns * CHART_POINTS // (end - begin))
    step = -(-window_ns // bins)
    edges = range(end, max(first, begin - window_ns), -step)
    counts = [workspace.store.success_rates(edge - step, edge) for edge in edges]
    least = workspace.operations["monitor"]["min_episodes"]  # fewer say nothing
    for place, edge in reversed(list(enumerate(edges))):
        inside = [rate for part in counts[place : place + bins] for rate in part if rate.policy == policy]
        won, tried = sum(r.successes for r in inside), sum(r.episodes for r in inside)
        if tried >= least and edge > begin:
            yield Rate(policy, "", won, tried, won / tried, *interval(won, tried), edge - window_ns, edge)
