"""What the store says at this moment, read once for everything that home shows."""

from dataclasses import dataclass

from fieldloop.loop.audited_map import map_changed
from fieldloop.loop.home_sensors import SlippedSensor, slipped_sensors
from fieldloop.loop.home_success import Success, success_over_time
from fieldloop.loop.page_reads import UNPASSED
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm
from fieldloop.model.annotation import PHASES, Annotation
from fieldloop.model.decision import Decision
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Episode, Session
from fieldloop.model.finding import Status
from fieldloop.model.incident import Incident, Step
from fieldloop.model.plan import Coverage, Demand, Plan, Progress
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.quality import DatasetReport
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout


@dataclass(frozen=True, slots=True)
class Now:
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
    unattended: tuple[Alarm, ...]
    dataset: DatasetReport | None = None
    slipped: tuple[SlippedSensor, ...] = ()
    map_changed: tuple[str, ...] = ()

    @property
    def unexplained(self) -> Alarm | None:
        """An alarm that no diagnosis has answered yet."""
        answered = self.alarm and self.diagnosis and self.diagnosis.made_ns >= self.alarm.raised_ns
        return None if answered else self.alarm

    @property
    def asked_why(self) -> str:
        """Why the field asks for demonstrations: in the words of the largest demand; '' where there is none."""
        if not self.demands:
            return ""
        largest = max(self.demands, key=lambda demand: demand.demonstrations)
        return largest.why if len(self.demands) == 1 else f"{largest.demonstrations:,} of them: {largest.why}"


def read_now(workspace: Workspace) -> Now:
    """Ask the store everything once."""
    store = workspace.store
    deployment, plan = workspace.newest(Deployment), workspace.newest(Plan)
    progress: tuple[Progress, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    demands: tuple[Demand, ...] = ()
    if deployment is not None:
        from fieldloop.loop import plan_known  # an empty workspace needs no planner

        progress = plan_known.progress_of(workspace, plan) if plan else ()
        coverage, demands = plan_known.coverage_now(workspace), tuple(plan_known.open_demands(workspace))
    return Now(
        deployment, workspace.newest(Audit), plan, progress, coverage,
        demands=demands,
        passed=store.count(Episode, {"status": Status.PASSED}), held=store.count(Episode, {"status": UNPASSED}),
        left=sum(p.left for p in progress),
        episodes=store.count(Episode), sessions=store.count(Session, {"closed_ns": None}),
        annotated=len({a.episode for a in store.find(Annotation, {"label": PHASES[0]})}),
        release=workspace.newest(Release), policy=workspace.newest(PolicyVersion),
        decision=workspace.newest(Decision), rollout=workspace.newest(Rollout),
        success=success_over_time(workspace), alarm=workspace.newest(Alarm), diagnosis=workspace.newest(Diagnosis),
        incidents=tuple(i for i in store.find(Incident) if i.done(Step.REVIEWED) is None),
        unattended=tuple(a for a in store.find(Alarm) if not store.count(Incident, {"alarm": a.id})),
        dataset=workspace.newest(DatasetReport), slipped=slipped_sensors(workspace),
        map_changed=map_changed(workspace),
    )  # fmt: skip
