"""The state of the store at one moment, read once for everything that home shows."""

from dataclasses import dataclass

from fieldloop.loop.audit.audited_map import FILES, find_edited_map_files
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.home.pages import UNPASSED
from fieldloop.loop.home.sensors import SlippedSensor, find_slipped_sensors
from fieldloop.loop.home.success import Success, compute_success_over_time
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm
from fieldloop.model.annotation import Annotation
from fieldloop.model.decision import Decision
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Episode, Session
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.incident import Incident, Step
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Coverage, Demand, Plan, Progress
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.quality import DatasetReport
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout
from fieldloop.model.taxonomy import PHASES
from fieldloop.model.verification import Verification
from fieldloop.store import Count


@dataclass(frozen=True, slots=True)
class Now:
    """The state of the store at one moment."""

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
    unattended: tuple[Alarm, ...]
    dataset: DatasetReport | None = None
    slipped: tuple[SlippedSensor, ...] = ()
    map_changed: tuple[Note, ...] = ()
    beside: int = 0
    """Episodes accepted since the plan that count for no quota."""
    map_written: bool = False
    """The workspace has a deployment.toml, in force or not."""
    set_aside: int = 0
    unknown_results: int = 0
    gate_trials: int = 0
    repaired: int = 0
    """Episodes held back by their checks that the newest release holds, with fixes."""
    release_trained: bool = False
    """Some policy was trained on the newest release."""
    held_why: Note | None = None
    """Why an episode was held back, where none passed."""

    @property
    def unexplained_alarm(self) -> Alarm | None:
        """An alarm that no diagnosis has answered yet."""
        answered = self.alarm and self.diagnosis and self.diagnosis.made_ns >= self.alarm.raised_ns
        return None if answered else self.alarm

    @property
    def largest_demand_reason(self) -> Note:
        """Return why the field asks for demonstrations: the reason of the largest demand."""
        largest = max(self.demands, key=lambda demand: demand.demonstrations)
        if len(self.demands) == 1:
            return largest.why
        return note("home.largest_demand", demonstrations=largest.demonstrations, why=largest.why)


def read_workspace_state(workspace: Workspace) -> Now:
    """Read everything that home shows from the store, with one query for each kind."""
    workspace = workspace.with_read_cache()
    newest = workspace.find_newest_of_several(Deployment, Audit, Plan, Decision, DatasetReport)
    every = workspace.find_all_of_several(
        Alarm, Incident, Diagnosis, PolicyVersion, Release, Rollout, Verification, Demand
    )
    deployment, plan = newest[Deployment], newest[Plan]
    progress: tuple[Progress, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    demands: tuple[Demand, ...] = ()
    beside = 0
    if deployment is not None:
        from fieldloop.loop.plan import known as plan_known

        progress, beside = plan_known.compute_plan_progress(workspace, plan) if plan else ((), 0)
        coverage, demands = (
            plan_known.compute_workspace_coverage(workspace),
            tuple(plan_known.find_open_demands(workspace)),
        )
    gate = newest[Decision]
    release = next(iter(every[Release]), None)
    frozen = list(release.episodes) if release else []
    passed, held, repaired, episodes, every_episode, sessions, annotated, verdicts = workspace.store.views.count_rows(
        Count(Episode, {"status": Status.PASSED}), Count(Episode, {"status": UNPASSED}),
        Count(Episode, {"status": UNPASSED, "id": frozen}),
        Count(Episode, IN_USE), Count(Episode),
        Count(Session, {"closed_ns": None}), Count(Annotation, {"label": PHASES[0]}, distinct="episode"),
        Count(Outcome, {"policy": gate.policy if gate else "", "stage": Stage.GATE}),
    )  # fmt: skip
    success = compute_success_over_time(workspace)
    attended = {incident.alarm for incident in every[Incident]}
    return Now(
        deployment, newest[Audit], plan, progress, coverage,
        demands=demands, passed=passed, held=held, left=sum(p.left for p in progress),
        episodes=episodes, annotated=annotated, sessions=sessions,
        release=release, policy=next(iter(every[PolicyVersion]), None),
        decision=newest[Decision], rollout=next(iter(every[Rollout]), None),
        success=success,
        alarm=next(iter(every[Alarm]), None), diagnosis=next(iter(every[Diagnosis]), None),
        incidents=tuple(i for i in reversed(every[Incident]) if i.find_done_step(Step.REVIEWED) is None),
        unattended=tuple(a for a in reversed(every[Alarm]) if a.id not in attended),
        dataset=newest[DatasetReport], slipped=find_slipped_sensors(workspace),
        map_changed=find_edited_map_files(workspace), beside=beside, map_written=(workspace.root / FILES[0]).is_file(),
        set_aside=every_episode - episodes, gate_trials=(gate.trials or verdicts) if gate else 0,
        repaired=repaired,
        release_trained=any(version.release == release.id for version in every[PolicyVersion]) if release else False,
        held_why=_explain_held_episode(workspace) if held and not passed else None,
        unknown_results=_count_unknown_results(workspace, success),
    )  # fmt: skip


def _count_unknown_results(workspace: Workspace, success: Success) -> int:
    """Count the attempts without a known result of the version shown, in its window; all where none is shown."""
    shown = success.current
    counts = workspace.store.views.count_unknown_results(span_ns=(shown.start_ns, shown.end_ns) if shown else None)
    return sum(count for (policy, _), count in counts.items() if shown is None or policy == shown.policy)


def _explain_held_episode(workspace: Workspace) -> Note | None:
    """Return the first finding against the episode that was judged last, with its name."""
    for report in workspace.store.find(EpisodeReport, newest=True, limit=1):
        against = next((finding for finding in report.findings if finding.counts), None)
        if against is not None:
            return note("home.held_why", episode=report.name, check=against.check, finding=against.fact)
    return None
