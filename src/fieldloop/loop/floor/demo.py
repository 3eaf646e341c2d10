"""`fieldloop demo`: the whole loop once on the simulated floor. A policy from the laboratory fails in production.

Every step is a use case that a user can run by hand. The clock is simulated, so that four weeks pass in minutes.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop.errors import Refused, WorkspaceError
from fieldloop.loop.annotate import propose
from fieldloop.loop.audit import audit
from fieldloop.loop.calibrate import extrinsics as calibrate
from fieldloop.loop.collect import sessions as collect
from fieldloop.loop.data import ingest
from fieldloop.loop.floor import simulate
from fieldloop.loop.floor.floor import Turn, alternate_operators, verify_clocks, write_demonstrations
from fieldloop.loop.house import setup
from fieldloop.loop.plan import plan
from fieldloop.loop.protocol import lock
from fieldloop.loop.run import diagnose, incident, monitor, rollout
from fieldloop.loop.ship import gate, release, train
from fieldloop.loop.workspace import SETTINGS_FILE, Track, Workspace, open_workspace, track_silently
from fieldloop.model.alarm import Watch
from fieldloop.model.condition import Stratum
from fieldloop.model.decision import Decision
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.event import RobotRegistered
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.model.plan import Plan
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.say import write_sentence
from fieldloop.say.findings import write_finding
from fieldloop.say.numbers import format_fixed, format_points, percent
from fieldloop.simulate.arm.catalogue import get_item_master_csv
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata, get_deployment_toml, get_protocol_toml
from fieldloop.simulate.clock import SimulatedClock

DAYS = 49
"""Length of the story, which ends about now. It starts at midnight, so that a seed gives the same story all day."""
SITTING = 10
SITES = ("lab", "leipzig", "gdansk")
Tell = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of demonstrations and attempts in the demo."""

    lab_demonstrations: int = 40
    lab_attempts: int = 100
    production_attempts: int = 360
    budget: int = 72
    candidate_attempts: int = 250
    """Attempts of the new version in each week of its rollout; the incumbent makes the others."""
    fleet_attempts: int = 300
    most_looks: int = 4
    most_weeks: int = 6


@dataclass(frozen=True, slots=True)
class Story:
    """The demo in numbers: success in the laboratory, in production, and in production after the loop closed."""

    workspace: str
    seed: int
    audit_score: float
    episodes: int
    rejected: int
    laboratory: float
    gate_before: Status
    floor_before: float
    alarms: int
    cause: str
    cause_share: float
    demonstrations_planned: int
    expected_gain: float
    gate_after: Status
    floor_after: float
    rung: Rung
    seconds: float


def demo(
    folder: Path, *, seed: int = 100, track: Track = track_silently, tell: Tell = print, size: Size | None = None
) -> Story:
    """Run the whole loop once on the simulated floor and report its numbers.

    Arguments:
        folder: the folder for the new workspace
        seed: seed of the demo; another seed gives other numbers but the same sequence of events
    """
    if (folder / SETTINGS_FILE).exists():
        raise WorkspaceError(f"{folder} is a workspace already. Look at it with: fieldloop up --workspace {folder}")
    began, clock = time.monotonic(), SimulatedClock((time.time_ns() // NS_PER_DAY - DAYS) * NS_PER_DAY)
    setup.init(folder, name="demo")
    (folder / "protocols" / "pick.toml").write_text(get_protocol_toml(), encoding="utf-8")
    workspace = open_workspace(folder, clock=clock, random_bits=random.Random(seed).getrandbits, track=track)
    try:
        return _Demo(workspace, clock, Floor(seed), tell, size or Size()).run(began)
    finally:
        workspace.close()


class _Demo:
    """One run of the demo: the workspace, its clock, the floor, and a function that prints progress."""

    def __init__(self, workspace: Workspace, clock: SimulatedClock, floor: Floor, tell: Tell, size: Size) -> None:
        self.workspace, self.clock, self.floor, self.tell, self.size = workspace, clock, floor, tell, size

    def run(self, began: float) -> Story:
        audited = self.map_the_floor()
        taken = self.collect_in_the_lab()
        laboratory, before = self.train_and_try("r1", "p1")
        floor_before, watch = self.roll_out_despite_gate("p1")
        made = self.find_the_cause(watch)
        drawn = self.plan_and_collect()
        after = self.train_and_gate("r2", "p2")
        floor_after, last = self.advance_rollout("p2")
        self.tell(
            f"\nThe loop is closed: {percent(floor_before, 0)} success in production became {percent(floor_after, 0)}."
        )
        cause = made.causes[0] if made.causes else None
        return Story(
            workspace=str(self.workspace.root), seed=self.floor.seed, audit_score=audited.audit.score,
            episodes=sum(len(log.episodes) for log in taken),
            rejected=sum(log.status is not Status.PASSED for log in taken),
            laboratory=laboratory, gate_before=before.status, floor_before=floor_before, alarms=len(watch.alarms),
            cause=f"{cause.gap.value}: {cause.stratum or 'everywhere'}" if cause else "",
            cause_share=cause.share if cause else 0.0,
            demonstrations_planned=sum(q.demonstrations for q in drawn.quotas), expected_gain=drawn.expected_gain,
            gate_after=after.status, floor_after=floor_after, rung=last.rung, seconds=time.monotonic() - began,
        )  # fmt: skip

    def map_the_floor(self) -> audit.Audited:
        """Describe the deployment, audit it, lock the protocol, register robots and operators, verify clocks."""
        self.print_heading("Map", "where the robot will work")
        root = self.workspace.root
        (root / "deployment.toml").write_text(get_deployment_toml(), encoding="utf-8")
        (root / "skus.csv").write_text(get_item_master_csv(), encoding="utf-8")
        audited = audit.audit(self.workspace)
        lock.lock_protocol(self.workspace)
        for site in SITES:
            self.workspace.write(RobotRegistered(self.floor.get_robot(site)))
            verify_clocks(self.workspace, self.floor, site)
        for person in self.floor.list_operators():
            collect.enrol_demonstrator(self.workspace, person)
        where = audited.deployment
        self.tell(
            f"  {len(where.sites)} sites, {len(where.skus)} articles, {len(where.exposures)} strata; "
            f"audit {percent(audited.audit.score, 0)}, protocol locked, clocks verified."
        )
        return audited

    def collect_in_the_lab(self) -> tuple[ingest.TakenIn, ...]:
        """Collect in the laboratory; one log is truncated on purpose."""
        self.print_heading("Collect", "in the laboratory")
        strata = draw_strata(
            self.floor.make_lab_mix(), self.size.lab_demonstrations, self.floor.make_random_generator("lab")
        )
        folder = self.demonstrate("lab", strata)
        whole = min(folder.glob("*.mcap"))
        (folder / "cut-short.mcap").write_bytes(whole.read_bytes()[: whole.stat().st_size * 3 // 5])
        self.print_heading("Check", "is it fit to learn from?")
        taken = ingest.ingest_paths(self.workspace, (folder,)).logs
        bad = [log for log in taken if log.status is not Status.PASSED]
        self.tell(f"  {len(taken)} logs ingested, {len(taken) - len(bad)} fit to learn from, {len(bad)} rejected:")
        for log in bad[:3]:
            self.tell(f"    {log.name}: {log.message or self.find_first_finding(log)}")
        return taken

    def train_and_try(self, name: str, policy: str) -> tuple[float, Decision]:
        """Make a release, train, try the policy in the laboratory, then run the gate."""
        version = self.freeze_and_train(name, policy)
        tried = simulate.simulate_laboratory_trials(
            self.workspace, version, episodes=self.size.lab_attempts, seed=self.floor.seed
        )
        self.tell(f"  {policy} in the laboratory: {tried.successes} of {tried.episodes} picks succeed.")
        return tried.successes / tried.episodes, self.ask_the_gate(policy)

    def train_and_gate(self, name: str, policy: str) -> Decision:
        """Make a release, train, and run the gate."""
        self.freeze_and_train(name, policy)
        return self.ask_the_gate(policy)

    def freeze_and_train(self, name: str, policy: str) -> str:
        """Propose phases, freeze a release, train on it."""
        self.print_heading("Annotate, release, train", "label phases, freeze the data, train a policy")
        marked = propose.propose_annotations(self.workspace)
        frozen = self.freeze_despite_reasons(name)
        version = train.train_policy_version(self.workspace, name, name=policy, seed=self.floor.seed)
        error = version.validation_error
        grasps = "" if error is None else f"; its error on unseen grasps is {format_fixed(1e3 * error, 0)} mm"
        self.tell(
            f"  {marked.annotations} phases proposed; {name} holds {len(frozen.episodes)} episodes "
            f"({frozen.id[:12]}); {policy} is trained on {version.episodes}{grasps}."
        )
        return version.id

    def freeze_despite_reasons(self, name: str) -> Release:
        """Freeze a release; what is against it is printed, and overridden on the record, as teams in a hurry do."""
        try:
            return release.freeze_release(self.workspace, name)
        except Refused as refused:
            self.tell(f"  {name} is refused at first:")
            for reason in refused.reasons:
                self.tell(f"    {write_sentence(reason)}")
            return release.freeze_release(self.workspace, name, override="All demonstrations so far are in it.")

    def ask_the_gate(self, policy: str) -> Decision:
        """Run the gate's trials under the deployment's conditions, and further ones where it requires them.

        Each further look requires more confidence, so that asking again does not help a bad policy.
        """
        self.print_heading("Gate", f"may {policy} go out?")
        for look in range(1, self.size.most_looks + 1):
            decided = gate.decide_gate(self.workspace, policy, simulate=True, seed=self.floor.seed)
            self.tell(f"  {policy}, look {look}: {decided.status.value.replace('_', ' ')}.")
            if decided.status is not Status.CANNOT_TELL:
                break
        for test in decided.tests:
            if test.status is not Status.PASSED:
                self.tell(f"    {test.name}: {write_sentence(test.message)}")
        return decided

    def roll_out_despite_gate(self, policy: str) -> tuple[float, Watch]:
        """Roll out in spite of the gate, as teams do; two weeks later the monitor raises an alarm."""
        self.print_heading(
            "Roll out", "the team trusts the laboratory's result and overrides the gate; the override is recorded"
        )
        rollout.start_policy_rollout(
            self.workspace, policy, override="The laboratory's figure was convincing.", rung="fleet"
        )
        self.clock.pass_days(14)
        worked = simulate.simulate_production(
            self.workspace, episodes=self.size.production_attempts, days=14, seed=self.floor.seed
        )
        self.print_heading("Monitor", "two weeks later")
        seen = monitor.monitor(self.workspace)
        held = f"{worked.interventions} stopped by the guard"
        self.tell(f"  {worked.successes} of {worked.episodes} picks succeed in production, {held}.")
        for alarm in seen.alarms:
            self.tell(f"  Alarm: {write_sentence(alarm.message)}")
        return worked.successes / worked.episodes, seen

    def find_the_cause(self, watch: Watch) -> Diagnosis:
        """Open an incident and diagnose; the diagnosis requests demonstrations from the plan."""
        self.print_heading("Diagnose", "what caused the drop?")
        opened = [incident.open_incident(self.workspace, alarm=alarm.id).incident for alarm in watch.alarms]
        for opened_incident in opened:
            incident.record_incident_step(
                self.workspace, opened_incident.id, Step.CONTAINED, note="Left running under observation."
            )
            incident.record_incident_step(
                self.workspace, opened_incident.id, Step.CLASSIFIED, note=self.write_failures(opened_incident.site)
            )
        made = diagnose.diagnose(self.workspace, seed=self.floor.seed)
        self.tell(
            f"  {percent(made.baseline, 0)} became {percent(made.observed, 0)}. "
            f"{percent(made.unseen_share, 0)} of the loss under conditions never demonstrated, "
            f"{percent(made.mix_share, 0)} a harder mix, {percent(made.mechanism_share, 0)} under known conditions."
        )
        for cause in made.causes[:3]:
            span = f"{percent(cause.share, 0)} ({percent(cause.low, 0)} to {percent(cause.high, 0)})"
            self.tell(f"    {span} {cause.gap.value}: {cause.stratum or 'everywhere'}. {write_sentence(cause.fix)}")
        for opened_incident in opened:
            incident.record_incident_step(
                self.workspace,
                opened_incident.id,
                Step.DIAGNOSED,
                note="See the diagnosis; demonstrations are requested.",
            )
        return made

    def plan_and_collect(self) -> Plan:
        """Plan demonstrations where they raise success most, and collect them."""
        self.print_heading("Plan", "what to collect next, and why")
        drawn = plan.plan(self.workspace, budget=self.size.budget, seed=self.floor.seed)
        amount = sum(q.demonstrations for q in drawn.quotas)
        self.tell(
            f"  {amount} demonstrations in {len(drawn.quotas)} strata, "
            f"expected {format_points(drawn.expected_gain, 0)} points. First:"
        )
        for quota in drawn.quotas[:3]:
            self.tell(f"    {quota.demonstrations:3d} × {quota.stratum} ({write_sentence(quota.why)})")
        self.clock.pass_days(3)
        strata = [q.stratum for q in drawn.quotas for _ in range(q.demonstrations)]
        for site in SITES:
            here = [s for s in strata if s.level("site") == site]
            if here:
                ingest.ingest_paths(self.workspace, (self.demonstrate(site, here),))
        done = plan.show_plan(self.workspace).progress
        self.tell(f"  collected {sum(p.done for p in done)}, accepted {sum(p.accepted for p in done)}.")
        return drawn

    def advance_rollout(self, policy: str) -> tuple[float, Rollout]:
        """Advance the rollout rung by rung, a week each, on evidence; then let the version work for a week."""
        self.print_heading("Roll out", f"{policy} advances on evidence")
        passed = rollout.has_passed_gate(self.workspace, policy)
        reason = "" if passed else "Better than the version in production; watched closely."
        current = rollout.start_policy_rollout(self.workspace, policy, override=reason)
        results: list[tuple[int, int]] = []
        for _ in range(self.size.most_weeks):
            if current.rung in rollout.FINISHED:
                break
            results.append(self.work_a_week(current, math.ceil(self.size.candidate_attempts / current.share)))
            current = rollout.advance_current_rollout(self.workspace)
            self.tell(f"  {current.rung.value}: {write_sentence(current.reason)}")
        if current.rung is Rung.FLEET:
            results.append(self.work_a_week(current, self.size.fleet_attempts))
        for now in incident.list_incidents(self.workspace):
            note = f"{policy} takes over, rung by rung; now on {current.rung.value}."
            incident.record_incident_step(self.workspace, now.incident.id, Step.RESOLVED, note=note)
        return sum(good for good, _ in results) / max(sum(tried for _, tried in results), 1), current

    def work_a_week(self, current: Rollout, attempts: int) -> tuple[int, int]:
        """Let production work for a week; return the candidate's successes and attempts."""
        self.clock.pass_days(7.1)
        worked = simulate.simulate_production(self.workspace, episodes=attempts, days=7, seed=self.floor.seed)
        return next(
            ((good, tried) for version, good, tried in worked.by_policy if version == current.candidate), (0, 0)
        )

    def demonstrate(self, site: str, strata: Sequence[Stratum]) -> Path:
        """Calibrate, then let operators take turns in short sessions; return the folder of the logs."""
        robot, people = self.floor.get_robot(site), self.floor.list_operators()
        folder = self.workspace.root / "incoming" / f"{site}-{self.workspace.ids.new('batch')[-6:]}"
        done = tuple(self.workspace.operations["collect"]["checklist"])
        turns: list[Turn] = []
        for first in range(0, len(strata), SITTING):
            for views in self.floor.take_calibration_views(
                site, self.floor.make_random_generator("markers", site, first)
            ):
                calibrate.fit_and_store_camera_pose(
                    self.workspace, views.points_camera, views.points_base, robot=robot.id, sensor=views.sensor,
                    parent=views.parent,
                )  # fmt: skip
            person = people[first // SITTING % len(people)]
            session = collect.open_session(self.workspace, robot.id, person, checked=done, on_floor=site != "lab")
            turns += alternate_operators(
                self.floor, strata[first : first + SITTING], folder, [person], start_ns=self.clock(),
                session=session.id, protocol=self.workspace.protocol().label,
            )  # fmt: skip
            self.clock.pass_days(0.1)
            collect.close_session(self.workspace, session.id)
        write_demonstrations(turns, self.workspace.track)
        sittings = -(-len(strata) // SITTING)
        self.tell(f"  {len(strata)} demonstrations at {site} in {sittings} sessions by different operators.")
        return folder

    def write_failures(self, site: str) -> str:
        """Return how the failed attempts of a site failed."""
        where = {"site": site, "stage": Stage.PRODUCTION, "succeeded": False}
        failed = Counter(o.failure.value for o in self.workspace.store.find(Outcome, where) if o.failure)
        return "Failed attempts: " + ", ".join(f"{n} {name}" for name, n in failed.most_common())

    def find_first_finding(self, log: ingest.TakenIn) -> str:
        """Return the first finding that counts against a log."""
        reports = (r for e in log.episodes for r in ingest.find_last_report(self.workspace, e))
        return next((write_finding(f) for r in reports for f in r.findings if f.counts), "")

    def print_heading(self, stage: str, what: str) -> None:
        """Print which stage of the loop begins."""
        self.tell(f"\n{stage}: {what}")
