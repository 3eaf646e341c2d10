"""The loop at a glance: what is in each stage now, what to do next, how production fares, what changed last."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fieldloop.loop.workspace import Workspace
from fieldloop.model import event as happened
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.annotation import PHASES, Annotation
from fieldloop.model.codec import iso, to_plain
from fieldloop.model.decision import Decision
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Episode, Session
from fieldloop.model.event import Event, Recorded
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.incident import Incident, Step
from fieldloop.model.plan import Coverage, Demand, Plan, Progress
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.stats.binomial import interval

N = TypeVar("N")
NS_PER_DAY = 86_400_000_000_000
CHART_DAYS, CHART_POINTS = 56, 40  # eight weeks; a shorter history gets about as many points
UNPASSED = [status for status in Status if status is not Status.PASSED]
CHANGES, LOOK_BACK = 8, 300
GOOD, WARN, BAD, RUN, IDLE = "good", "warn", "bad", "run", "idle"
MARK = dict(zip(Status, (BAD, BAD, WARN, IDLE, GOOD), strict=True))
BY_THE_HUNDRED: dict[type[Event], str] = {
    happened.LogIngested: "logs taken in", happened.EpisodeJudged: "episodes judged",
    happened.EpisodeAnnotated: "episodes annotated", happened.OutcomeRecorded: "outcomes recorded",
}  # fmt: skip
NOT_TOLD = (happened.EpisodesMeasured, happened.TokenIssued, happened.SessionClosed)
RUNG_MARK = {None: IDLE, Rung.BACK: BAD, Rung.FLEET: GOOD}
GATE_WORD = {Status.PASSED: "admitted", Status.FAILED: "held back", Status.CANNOT_TELL: "more needed"}


@dataclass(frozen=True, slots=True)
class StageNow:
    """One stage of the loop: its mark, a count, one fact, and the page that shows more."""

    key: str
    name: str
    mark: str
    count: str
    fact: str
    page: str


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one thing to do next: what is so, why it matters, and the command and page for it."""

    mark: str
    sentence: str
    why: str
    command: str
    page: str


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened, in a few words."""

    at_ns: int
    mark: str
    text: str
    detail: str = ""
    seq: int = 0
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Success:
    """Production over time: rolling rate, the baseline it is held against, where it alarms, what happened meanwhile."""

    window_days: float
    points: tuple[Rate, ...] = ()
    baseline: float | None = None
    alarm: float | None = None
    moments: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Home:
    """Everything the home page shows."""

    workspace: str
    at_ns: int
    seq: int
    next: NextStep
    stages: tuple[StageNow, ...]
    way_back: str
    success: Success
    changes: tuple[Change, ...]
    coverage: tuple[Coverage, ...]
    plan: Plan | None
    progress: tuple[Progress, ...]


@dataclass(frozen=True, slots=True)
class _Now:
    """What the store says at this moment, read once."""

    deployment: Deployment | None
    audit: Audit | None
    plan: Plan | None
    progress: tuple[Progress, ...]
    coverage: tuple[Coverage, ...]
    demands: tuple[Demand, ...]
    passed: int
    held: int
    left: int
    episodes: int
    annotated: int
    sessions: int
    release: Release | None
    policy: PolicyVersion | None
    decision: Decision | None
    rollout: Rollout | None
    success: Success
    alarm: Alarm | None
    diagnosis: Diagnosis | None
    incidents: tuple[Incident, ...]

    @property
    def unexplained(self) -> Alarm | None:
        """An alarm that no diagnosis has answered yet."""
        answered = self.alarm and self.diagnosis and self.diagnosis.made_ns >= self.alarm.raised_ns
        return None if answered else self.alarm


def home(workspace: Workspace) -> Home:
    """Show the loop: what is in each stage now, what to do next, and what changed."""
    now = _read(workspace)
    return Home(
        workspace.name, workspace.clock(), workspace.store.last(), next(_rules(now)), tuple(_stages(now)),
        _way_back(now), now.success, tuple(_changes(workspace)), now.coverage, now.plan, now.progress,
    )  # fmt: skip


def tail(workspace: Workspace, after: int = 0, limit: int = 100) -> tuple[dict[str, Any], ...]:
    """Return ledger entries behind a sequence number, oldest first; following it skips nothing."""
    found = workspace.store.tail(after, limit)
    return tuple({"kind": type(r.event).__name__, **to_plain(r), "at": iso(r.at_ns)} for r in found)


def rates(workspace: Workspace) -> tuple[Rate, ...]:
    """Return success by policy and site over the rolling window that ends with the newest outcome."""
    last = workspace.store.find(Outcome, {"stage": Stage.PRODUCTION}, newest=True, limit=1)
    end = last[0].at_ns + 1 if last else 0
    window_ns = int(workspace.operations["monitor"].number("window_days") * NS_PER_DAY)
    return tuple(workspace.store.success_rates(end - window_ns, end))


def attention(workspace: Workspace) -> dict[str, int]:
    """Count what waits for somebody, by page."""
    return {
        "/episodes": workspace.store.count(Episode, {"status": UNPASSED}),
        "/incidents": sum(i.done(Step.REVIEWED) is None for i in workspace.store.find(Incident)),
    }


def reports(workspace: Workspace, limit: int | None = None) -> tuple[EpisodeReport, ...]:
    """Return the last verdict on each episode, newest first."""
    found = workspace.store.find(EpisodeReport, newest=True, limit=limit)
    return tuple({report.episode: report for report in reversed(found)}.values())[::-1]


def every(workspace: Workspace, noun: type[N], where: Mapping[str, Any] | None = None) -> tuple[N, ...]:
    """Return the nouns of a kind, newest first."""
    return tuple(workspace.store.find(noun, where, newest=True))


def newest(workspace: Workspace, noun: type[Any]) -> Any:
    """Return the last noun of a kind, None where there is none."""
    return next(iter(workspace.store.find(noun, newest=True, limit=1)), None)


def success_over_time(workspace: Workspace) -> Success:
    """Rolling success of production over the last weeks, with what happened meanwhile."""
    from fieldloop.loop.monitor import baselines  # a workspace without production needs no monitor

    store, settings = workspace.store, workspace.operations["monitor"]
    window_days = settings.number("window_days")
    last = store.find(Outcome, {"stage": Stage.PRODUCTION}, newest=True, limit=1)
    if not last:
        return Success(window_days)
    end, first = last[0].at_ns + 1, store.find(Outcome, {"stage": Stage.PRODUCTION}, limit=1)[0].at_ns
    moments = [Change(a.raised_ns, BAD, "Alarm", a.message) for a in store.find(Alarm)]
    moments += [Change(d.made_ns, RUN, "Diagnosis", _cause(d)) for d in store.find(Diagnosis)]
    baseline = next((b.rate for b in baselines(workspace) if b.policy == last[0].policy), None)
    return Success(
        window_days, tuple(_points(workspace, first, end, int(window_days * NS_PER_DAY))), baseline,
        None if baseline is None else baseline - settings.number("max_drop"),
        tuple(m for m in sorted(moments, key=lambda m: m.at_ns) if m.at_ns >= first),
    )  # fmt: skip


def _points(workspace: Workspace, first: int, end: int, window_ns: int) -> Iterator[Rate]:
    """Count in bins that fit the window whole, back from the newest outcome; then sum as many as the window has."""
    begin = max(first, end - CHART_DAYS * NS_PER_DAY)
    bins = -(-window_ns * CHART_POINTS // (end - begin))
    step = -(-window_ns // bins)
    edges = range(end, max(first, begin - window_ns), -step)
    counts = [workspace.store.success_rates(edge - step, edge) for edge in edges]
    least = workspace.operations["monitor"]["min_episodes"]  # fewer say nothing
    for place, edge in reversed(list(enumerate(edges))):
        inside = [rate for part in counts[place : place + bins] for rate in part]
        won, tried = sum(r.successes for r in inside), sum(r.episodes for r in inside)
        if tried >= least and edge > begin:
            yield Rate("", "", won, tried, won / tried, *interval(won, tried), edge - window_ns, edge)


def _read(workspace: Workspace) -> _Now:
    store = workspace.store
    deployment, plan = newest(workspace, Deployment), newest(workspace, Plan)
    progress: tuple[Progress, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    if deployment is not None:
        from fieldloop.loop.plan import show  # an empty workspace needs no planner

        shown = show(workspace)
        progress, coverage = shown.progress, shown.coverage
    since = plan.drawn_ns if plan else 0
    return _Now(
        deployment, newest(workspace, Audit), plan, progress, coverage,
        demands=tuple(d for d in store.find(Demand) if d.at_ns >= since),
        passed=store.count(Episode, {"status": Status.PASSED}), held=store.count(Episode, {"status": UNPASSED}),
        left=sum(p.left for p in progress),
        episodes=store.count(Episode), sessions=store.count(Session, {"closed_ns": None}),
        annotated=len({a.episode for a in store.find(Annotation, {"label": PHASES[0]})}),
        release=newest(workspace, Release), policy=newest(workspace, PolicyVersion),
        decision=newest(workspace, Decision), rollout=newest(workspace, Rollout),
        success=success_over_time(workspace), alarm=newest(workspace, Alarm), diagnosis=newest(workspace, Diagnosis),
        incidents=tuple(i for i in store.find(Incident) if i.done(Step.REVIEWED) is None),
    )  # fmt: skip


def _rules(now: _Now) -> Iterator[NextStep]:
    """What to do, most urgent first: the field, then the loop in its order."""
    yield from _field_rules(now)
    yield from _data_rules(now)
    yield from _ship_rules(now)
    done = "Production is watched; new outcomes come in here."
    yield NextStep(GOOD, "Nothing waits for you", done, "fieldloop monitor", "/floor")


def _field_rules(now: _Now) -> Iterator[NextStep]:
    for incident in now.incidents:
        step, what = (
            next(s for s in Step if not incident.done(s)).value,
            f"Incident at {incident.site}: {incident.what}",
        )
        move = f"fieldloop incident move {incident.id} {step}"
        yield NextStep(BAD, what, f"It is not {step} yet, and its clock runs.", move, "/incidents")
    if alarm := now.unexplained:
        yield NextStep(BAD, f"Production fell at {alarm.site}", alarm.message, "fieldloop diagnose", "/floor")
    if now.audit is None:
        why = "Everything else is measured against the deployment map."
        yield NextStep(
            IDLE, "Describe where the robot will work", why, "fieldloop audit deployment.toml", "/deployment"
        )
    elif not (now.audit.complete or now.audit.overridden_by):
        gaps, why = sum(len(a.missing) for a in now.audit.answers), f"Its score is {100 * now.audit.score:.0f} %."
        yield NextStep(WARN, f"The map leaves {gaps} gaps", why, "fieldloop audit", "/deployment")
    if now.demands:
        asked = f"The field asks for {sum(d.demonstrations for d in now.demands):,} demonstrations"
        yield NextStep(WARN, asked, now.demands[-1].why, "fieldloop plan", "/plan")


def _data_rules(now: _Now) -> Iterator[NextStep]:
    if now.plan is None:
        why = "Coverage says what is missing, stratum by stratum."
        yield NextStep(RUN, "Draw the first plan", why, "fieldloop plan", "/plan")
    elif now.left:
        why = f"The plan is expected to bring {100 * now.plan.expected_gain:+.1f} points on the floor."
        yield NextStep(RUN, f"Collect {now.left:,} more demonstrations", why, "fieldloop ingest PATH", "/plan")
    if now.passed > now.annotated:
        waiting = f"{now.passed - now.annotated:,} accepted episodes have no phases yet"
        yield NextStep(RUN, waiting, "A release holds annotated episodes.", "fieldloop annotate", "/annotate")
    if now.annotated and (now.release is None or len(now.release.episodes) < now.annotated):
        why = f"{now.annotated:,} accepted episodes are annotated."
        yield NextStep(RUN, "Freeze a release", why, "fieldloop release NAME", "/releases")


def _ship_rules(now: _Now) -> Iterator[NextStep]:
    release, policy, gate, climb = now.release, now.policy, now.decision, now.rollout
    if release and (policy is None or policy.release != release.id):
        train = f"fieldloop train {release.name}"
        yield NextStep(RUN, f"Train on release {release.name}", "No policy has seen it yet.", train, "/policies")
    if policy is None:
        return
    if climb and climb.candidate == policy.id and climb.rung not in (Rung.FLEET, Rung.BACK):
        said = f"{policy.name} is on rung {climb.rung.value}"
        yield NextStep(RUN, said, climb.reason, "fieldloop rollout advance", "/floor")
    if gate is None or gate.policy != policy.id:
        run = f"fieldloop gate {policy.name}"
        yield NextStep(RUN, f"Put {policy.name} through the gate", "It has no decision yet.", run, "/policies")
    elif gate.status is Status.CANNOT_TELL:
        more = f"The gate needs {sum(t.more_trials for t in gate.tests):,} more trials of {policy.name}"
        yield NextStep(WARN, more, "Nobody can tell yet.", f"fieldloop gate {policy.name}", "/policies")
    elif gate.status is not Status.PASSED:
        why = next((f"{t.name}: {t.message}" for t in gate.tests if t.status is gate.status), "")
        yield NextStep(BAD, f"The gate held {policy.name} back", why, "fieldloop plan", "/policies")
    elif climb is None or climb.candidate != policy.id:
        start = f"fieldloop rollout start {policy.name}"
        yield NextStep(RUN, f"Roll {policy.name} out", "The gate admitted it.", start, "/floor")


def _stages(now: _Now) -> Iterator[StageNow]:
    yield from _data_stages(now)
    gate, climb, found = now.decision, now.rollout, now.diagnosis
    fact = f"trials, {GATE_WORD.get(gate.status, gate.status.value)}" if gate else "no trial yet"
    trials = f"{sum(t.trials for t in gate.tests) if gate else 0:,}"
    yield StageNow("gate", "Gate", MARK[gate.status] if gate else IDLE, trials, fact, "/policies")
    fact = f"{100 * climb.share:.0f} % of tasks" if climb else "nothing rolled out"
    rung = climb.rung if climb else None
    yield StageNow("serve", "Serve", RUNG_MARK.get(rung, RUN), rung.value if rung else "none", fact, "/floor")
    last, base = now.success.points[-1] if now.success.points else None, now.success.baseline
    mark = IDLE if last is None else BAD if last.rate < (now.success.alarm or 0.0) else GOOD
    beside = "" if base is None else f", base {100 * base:.0f} %"
    fact = f"{now.success.window_days:g} days{beside}" if last else "too few outcomes"
    yield StageNow("monitor", "Monitor", mark, f"{100 * last.rate:.1f} %" if last else "none", fact, "/floor")
    mark = BAD if now.unexplained else MARK[found.status] if found else IDLE
    fact = "an alarm waits" if now.unexplained else _cause(found) if found else "nothing to explain"
    yield StageNow("diagnose", "Diagnose", mark, str(len(found.causes)) if found else "0", fact, "/incidents")


def _data_stages(now: _Now) -> Iterator[StageNow]:
    audit, release, sites = now.audit, now.release, len(now.deployment.sites) if now.deployment else 0
    mark = IDLE if audit is None else GOOD if audit.complete else WARN if audit.overridden_by else BAD
    fact = f"{'site' if sites == 1 else 'sites'}, audit {100 * audit.score:.0f} %" if audit else "no map yet"
    yield StageNow("map", "Map", mark, str(sites), fact, "/deployment")
    accepted, planned = sum(p.accepted for p in now.progress), sum(p.planned for p in now.progress)
    mark, fact = (RUN if now.left else GOOD, f"of {planned:,} demos") if now.plan else (IDLE, "no plan yet")
    yield StageNow("plan", "Plan", mark, f"{accepted:,}", fact, "/plan")
    mark, fact = (
        (RUN, f"episodes, {now.sessions} live") if now.sessions else (GOOD if now.episodes else IDLE, "episodes")
    )
    yield StageNow("collect", "Collect", mark, f"{now.episodes:,}", fact, "/episodes")
    mark, fact = (
        (WARN if now.held else GOOD, f"passed, {now.held:,} held")
        if now.passed + now.held
        else (IDLE, "nothing judged")
    )
    yield StageNow("check", "Check", mark, f"{now.passed:,}", fact, "/quality")
    queue = max(0, now.passed - now.annotated)
    mark = IDLE if not now.annotated else RUN if queue else GOOD
    yield StageNow("annotate", "Annotate", mark, f"{now.annotated:,}", f"done, {queue:,} queued", "/annotate")
    mark, count = (GOOD, release.name) if release else (IDLE, "none")
    fact = f"{len(release.episodes):,} episodes" if release else "nothing frozen"
    yield StageNow("release", "Release", mark, count, fact, "/releases")


def _cause(found: Diagnosis) -> str:
    top = max(found.causes, key=lambda c: c.share, default=None)
    return top.gap.value if top else "no cause named"


def _way_back(now: _Now) -> str:
    if now.demands:
        asked = sum(d.demonstrations for d in now.demands)
        return f"Back to plan: {asked:,} demonstrations asked for, {now.demands[-1].why}"
    if now.plan:
        gain = f"expected {100 * now.plan.expected_gain:+.1f} points on the floor"
        return f"Back to plan: {now.plan.budget:,} demonstrations, {gain}"
    return "Back to plan: what production shows becomes the next plan"


def _changes(workspace: Workspace) -> Iterator[Change]:
    """The newest things worth a line; what comes by the hundred is summed up by kind."""
    recent = workspace.store.tail(max(0, workspace.store.last() - LOOK_BACK))
    told = [_sentence(r) for r in recent if not isinstance(r.event, (*BY_THE_HUNDRED, *NOT_TOLD))]
    for kind, plural in BY_THE_HUNDRED.items():
        if same := [r for r in recent if isinstance(r.event, kind)]:
            told.append(Change(same[-1].at_ns, RUN, f"{len(same):,} {plural}", "", same[-1].seq, same[-1].actor))
    yield from sorted(told, key=lambda c: -c.seq)[:CHANGES]


def _sentence(recorded: Recorded[Event]) -> Change:
    """Events are in the past tense already: `PlanDrawn` reads 'Plan drawn'; the noun inside says the rest."""
    noun = getattr(recorded.event, dataclasses.fields(recorded.event)[0].name)
    named = [noun, *(getattr(noun, name, "") for name in ("name", "site", "deployment", "provider", "rung", "status"))]
    which = next((name for name in named if name and isinstance(name, str)), "")
    more = [getattr(noun, name, "") for name in ("message", "what", "reason", "why", "strategy", "trainer")]
    status = getattr(noun, "status", getattr(noun, "verdict", Status.PASSED))
    mark = BAD if isinstance(noun, Alarm | Incident) else MARK.get(status, GOOD)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(recorded.event).__name__).capitalize()
    detail = next((said for said in more if said and isinstance(said, str)), "")
    return Change(recorded.at_ns, mark, f"{text}: {which}" if which else text, detail, recorded.seq, recorded.actor)
