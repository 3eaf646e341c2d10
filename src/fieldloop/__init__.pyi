"""Types of the Python interface. Made by `python -m docs.generate`; change the use cases, not this file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from fieldloop.annotate.interchange.elan import Tiers
from fieldloop.annotate.interchange.recognise import FrameBase
from fieldloop.calibrate.hand_eye.poses import Setup
from fieldloop.calibrate.intrinsics.lens import Lens
from fieldloop.errors import FieldloopError as FieldloopError
from fieldloop.loop.annotate.adjudicate import Adjudicated
from fieldloop.loop.annotate.compare.annotators import Agreed
from fieldloop.loop.annotate.deal import Dealt
from fieldloop.loop.annotate.decision_draft import DecisionDraft
from fieldloop.loop.annotate.exchange.export_labels import Exported
from fieldloop.loop.annotate.exchange.export_labels import Target
from fieldloop.loop.annotate.exchange.import_labels import Imported
from fieldloop.loop.annotate.labels import EpisodeLabels
from fieldloop.loop.annotate.labels import Revision
from fieldloop.loop.annotate.propose import Annotated
from fieldloop.loop.annotate.propose import SnapPoint
from fieldloop.loop.annotate.qualify import CalibrationMade
from fieldloop.loop.annotate.qualify import Qualifications
from fieldloop.loop.annotate.save import LabelsKept
from fieldloop.loop.annotate.spot_check import SpotChecks
from fieldloop.loop.annotate.tasks import NextTask
from fieldloop.loop.annotate.tasks import TasksShown
from fieldloop.loop.annotate.taxonomy.change import TaxonomyChanges
from fieldloop.loop.annotate.taxonomy.edited import TaxonomyEdited
from fieldloop.loop.annotate.taxonomy.taxonomies import TaxonomyLinted
from fieldloop.loop.annotate.taxonomy.taxonomies import TaxonomyShown
from fieldloop.loop.annotate.taxonomy.taxonomies import TaxonomyStarted
from fieldloop.loop.audit.audit import Audited
from fieldloop.loop.audit.audit import Compared
from fieldloop.loop.audit.velocity import Velocity
from fieldloop.loop.calibrate.camera_pair import CameraPairResult
from fieldloop.loop.calibrate.force_torque import ForceTorqueResult
from fieldloop.loop.calibrate.hand_eye import HandEyeResult
from fieldloop.loop.calibrate.intrinsics import IntrinsicsResult
from fieldloop.loop.calibrate.schedule import Schedule
from fieldloop.loop.calibrate.touch import Touched
from fieldloop.loop.calibrate.verification import Verified
from fieldloop.loop.data.check import CheckReport
from fieldloop.loop.data.dry_run import Contents
from fieldloop.loop.data.ingest import Ingested
from fieldloop.loop.data.ingest import LogShown
from fieldloop.loop.data.read_again import ReadAgain
from fieldloop.loop.data.relabel import EpisodesChanged
from fieldloop.loop.data.streams import StreamShown
from fieldloop.loop.data.watch import Watched
from fieldloop.loop.floor.picking import SimulatedCase
from fieldloop.loop.floor.simulate import SimulatedAttempts
from fieldloop.loop.floor.simulate import SimulatedLogs
from fieldloop.loop.home.annotations import AnnotationsShown
from fieldloop.loop.home.deployment import DeploymentShown
from fieldloop.loop.home.diagnoses import DiagnosisShown
from fieldloop.loop.home.episode import EpisodeShown
from fieldloop.loop.home.episodes import FoundEpisodes
from fieldloop.loop.home.floor import Floor
from fieldloop.loop.home.home import Home
from fieldloop.loop.home.incidents import IncidentsShown
from fieldloop.loop.home.policies import PoliciesShown
from fieldloop.loop.home.policies import PolicyShown
from fieldloop.loop.home.protocol import ProtocolShown
from fieldloop.loop.home.quality import QualityShown
from fieldloop.loop.home.releases import ReleaseShown
from fieldloop.loop.home.settings import SettingsShown
from fieldloop.loop.home.taxonomy import TaxonomiesShown
from fieldloop.loop.house.doctor import Examination
from fieldloop.loop.house.tokens import Issued
from fieldloop.loop.look.view import EpisodeView
from fieldloop.loop.plan.plan import OrdersWritten
from fieldloop.loop.plan.plan import PlanNow
from fieldloop.loop.plan.work import Start
from fieldloop.loop.protocol.diff import ProtocolChanges
from fieldloop.loop.protocol.lint import LintReport
from fieldloop.loop.protocol.new import ProtocolStarted
from fieldloop.loop.protocol.numbers import Numbers
from fieldloop.loop.protocol.sheet import SheetWritten
from fieldloop.loop.protocol.versions import LockedVersion
from fieldloop.loop.run.guard import Guarded
from fieldloop.loop.run.guard import Replay
from fieldloop.loop.run.incident import IncidentNow
from fieldloop.loop.run.outcomes import RecordedOutcomes
from fieldloop.loop.run.serve import PolicyHealth
from fieldloop.loop.run.served import ServerShown
from fieldloop.loop.run.trust import EvidenceRecord
from fieldloop.loop.ship.convert import Converted
from fieldloop.loop.ship.gate_trials import TrialToMake
from fieldloop.loop.ship.policy_check import PolicyCheck
from fieldloop.loop.ship.policy_export import PolicyExported
from fieldloop.model.alarm import Watch
from fieldloop.model.audit import Audit
from fieldloop.model.calibration import Calibration
from fieldloop.model.comparison import Question
from fieldloop.model.comparison import VersionComparison
from fieldloop.model.decision import Decision
from fieldloop.model.delivery import Acceptance
from fieldloop.model.delivery import Scorecard
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Defect
from fieldloop.model.episode import Episode
from fieldloop.model.episode import Recording
from fieldloop.model.episode import Session
from fieldloop.model.event import SynchronisationVerified
from fieldloop.model.finding import Status
from fieldloop.model.fix import FixKind
from fieldloop.model.gate_report import GateReport
from fieldloop.model.hardware import Robot
from fieldloop.model.incident import Step
from fieldloop.model.integrity import Integrity
from fieldloop.model.labelling import LabelTask
from fieldloop.model.labelling import TaskState
from fieldloop.model.person import Duty
from fieldloop.model.person import Operator
from fieldloop.model.person import Provider
from fieldloop.model.person import Role
from fieldloop.model.person import Token
from fieldloop.model.plan import Plan
from fieldloop.model.plan import PlanScore
from fieldloop.model.plan import Progress
from fieldloop.model.policy import FailureClass
from fieldloop.model.policy import Outcome
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.policy import Stage
from fieldloop.model.release import Release
from fieldloop.model.release_diff import ReleaseDiff
from fieldloop.model.rollout import Rollout
from fieldloop.model.touched import Dependents
from fieldloop.model.trial import KeptScenario
from fieldloop.model.trial import TrialResult
from fieldloop.model.trial import TrialTaken
from fieldloop.model.trial_sheet import TrialSheet
from fieldloop.model.worth import Worth
from fieldloop.model.worth import WorthMethod
from fieldloop.model.written_poses import Side
from fieldloop.release.frames import FrameDataset
from fieldloop.report.plan.sheet import OrderSheet
from fieldloop.store.contract import Swept
from fieldloop.trust.lineage import Lineage

__version__: str
NAMES: tuple[str, ...]
PathLike = str | Path

class Recordings:
    """The recordings of a log, read one at a time as they are asked for."""
    @property
    def format(self) -> str: ...
    @property
    def defects(self) -> tuple[Defect, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Recording]: ...
    def __getitem__(self, index: int) -> Recording: ...

def read(path: PathLike, *, mapping: PathLike | None = ...) -> Recordings:
    """Open a log file, a dataset folder or a folder of logs, and read its recordings as arrays."""

def open_dataset(
    path: PathLike, split: str = ..., *, streams: Sequence[str] = ...,
    deltas_s: Mapping[str, Sequence[float]] | None = ..., chunk: int = ..., hz: float | None = ...,
    clock: str = ..., tensors: bool | None = ..., on_broken: Literal["raise", "zeros"] = ...,
) -> FrameDataset:
    """Open a log or a dataset folder as frames for a trainer: a map-style dataset, with or without PyTorch."""

def register_trainer(name: str, trainer: Callable[[Any, Any, Path, int], Mapping[str, Any] | None]) -> None:
    """Make a trainer of your own known by name, for `ws.train("r1", trainer=name)` in this process."""

def text(result: object) -> str:
    """Return a result as the text that the command line prints."""

def init(folder: PathLike, *, name: str = ..., task: str = ...) -> OpenWorkspace:
    """Make a workspace in a folder and open it."""

def open(folder: PathLike) -> OpenWorkspace:
    """Open the workspace in a folder; its methods are the commands."""

def check(paths: PathLike | Sequence[PathLike] = ..., *, html: PathLike | None = ..., protocol: PathLike | None = ..., mapping: PathLike | None = ..., set_: str | Sequence[str] = ..., numbers_only: bool = ..., keep: PathLike | None = ..., again: bool = ..., all: bool = ..., on: Literal['cores', 'ray'] = ...) -> CheckReport | PolicyCheck:
    """Check whether logs or datasets are fit for training; without a path, judge the workspace's episodes again."""
def convert(source: PathLike, target: PathLike, *, to: Literal['lerobot', 'hdf5', 'rlds', 'mcap'] = ..., clock: str = ..., hz: float | None = ..., codec: Literal['keep', 'h264', 'av1'] = ..., actions_from: str = ..., pair: Literal['', 'index', 'time'] = ..., mapping: PathLike | None = ...) -> Converted:
    """Convert a log or dataset into a training format, and list what the target cannot hold."""
def diagnose(folder: PathLike, *, site: str = ..., seed: int = ..., html: PathLike | None = ...) -> Diagnosis:
    """Diagnose a policy from a folder of tables: demonstrations, baseline trials and production outcomes."""
def hand_eye(files: PathLike | Sequence[PathLike], *, setup: Setup | str = ..., rotation: str | Sequence[str] = ..., units: str | Sequence[str] = ..., inverse: Side | str | Sequence[Side | str] = ..., clock_offset: float = ..., sensor: str = ..., robot: str = ..., since: str = ...) -> HandEyeResult:
    """Find a camera's pose on the wrist or beside the robot, tested on held-out poses."""
def intrinsics(images: PathLike | Sequence[PathLike], *, board: str, lens: Lens | str = ..., precision: bool = ..., sensor: str = ..., robot: str = ..., since: str = ..., undistorted: PathLike | None = ...) -> IntrinsicsResult:
    """Find a camera's focal length, centre and distortion from pictures of a board."""
def lint(files: PathLike | Sequence[PathLike] = ...) -> LintReport:
    """Check protocol files for contradictions, omissions and wrong units; an error fails."""
def mapping(paths: PathLike | Sequence[PathLike], *, out: PathLike | None = ...) -> str:
    """Propose a mapping file for logs: names, units and frames of their streams, each with a reason."""
def plan(folder: PathLike, *, budget: int | None = ..., strategy: str = ..., seed: int = ..., html: PathLike | None = ..., orders: PathLike | None = ...) -> Plan:
    """Make a collection plan from a folder of tables: the deployment map, demonstrations and production outcomes."""
def protocol(*, task: str = ...) -> Numbers:
    """Show the protocol in force: every limit, parameter and setting with unit, reason and source."""
def simulate(folder: PathLike, *, count: int = ..., mix: Literal['lab', 'production'] = ..., stratum: str = ..., session: str = ..., seed: int = ...) -> SimulatedLogs:
    """Write MCAP logs of scripted pick demonstrations on the simulated floor."""
def simulate_case(folder: PathLike, *, preset: Literal['broad', 'covered_traps', 'drift', 'unequal_cost', 'multi_site'] = ..., shown: Literal['laboratory', 'production'] = ..., demonstrations: int = ..., episodes: int = ..., days: float = ..., fault: str | Sequence[str] = ..., seed: int = ...) -> SimulatedCase:
    """Simulate a case: train a policy on the picking floor, run it, and write tables to diagnose and plan from."""
def velocity(lines: PathLike, *, out: PathLike = ..., master: PathLike | None = ..., count: Literal['pieces', 'lines'] = ..., dates: Literal['', 'day-first', 'month-first'] = ..., sku_column: str = ..., date_column: str = ..., pieces_column: str = ..., site_column: str = ..., overwrite: bool = ...) -> Velocity:
    """Make the catalogue of articles, with how often each is picked, from an export of order lines."""

class OpenWorkspace:
    """An open workspace. Close it, or use it in a `with` statement."""
    def __init__(self, folder: PathLike) -> None: ...
    @property
    def folder(self) -> Path: ...
    @property
    def name(self) -> str: ...
    def open_dataset(
        self, release: str, split: str = ..., *, streams: Sequence[str] = ...,
        deltas_s: Mapping[str, Sequence[float]] | None = ..., chunk: int = ..., hz: float | None = ...,
        clock: str = ..., tensors: bool | None = ..., on_broken: Literal["raise", "zeros"] = ...,
    ) -> FrameDataset:
        """Open a release as frames for a trainer, with its fixes, weights and labels; see `fl.open_dataset`."""
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def home(self) -> Home:
        """Show each stage of the loop, what to do next, and what changed."""
    def audit(self, deployment_map: PathLike | None = ..., *, skus: PathLike | None = ..., example: bool = ..., measured: bool = ..., html: PathLike | None = ...) -> Audited:
        """Audit the deployment map: ask five questions about what is missing, and compare the map with logs."""
    def audit_write(self, map_text: str, *, skus_text: str = ..., put_in_force: bool = ...) -> Audited:
        """Check the text of a deployment map; with `put_in_force`, also write it to deployment.toml and audit it."""
    def audit_override(self, *, reason: str) -> Audit:
        """Override an incomplete audit; the ledger records who did it and why."""
    def audit_show(self) -> DeploymentShown:
        """Show the deployment map in force, its audit, and what changed since."""
    def audit_compare(self, *, traffic: bool = ...) -> Compared:
        """Compare the map with the logs: mixes of conditions, articles, light, air, edge cases, speed."""
    def audit_velocity(self, lines: PathLike, *, out: PathLike = ..., master: PathLike | None = ..., count: Literal['pieces', 'lines'] = ..., dates: Literal['', 'day-first', 'month-first'] = ..., sku_column: str = ..., date_column: str = ..., pieces_column: str = ..., site_column: str = ..., overwrite: bool = ...) -> Velocity:
        """Make the catalogue of articles, with how often each is picked, from an export of order lines."""
    def protocol(self, *, task: str = ...) -> Numbers:
        """Show the protocol in force: every limit, parameter and setting with unit, reason and source."""
    def protocol_operations(self) -> Numbers:
        """Show the operations settings of this workspace: gate, guard, alarms, rollout, plan weights."""
    def protocol_settings(self) -> SettingsShown:
        """Show the workspace with every number of its protocol and operations."""
    def protocol_new(self, name: str, *, like: str = ...) -> ProtocolStarted:
        """Write a protocol file with comments into the workspace, as a start."""
    def protocol_lint(self, files: PathLike | Sequence[PathLike] = ...) -> LintReport:
        """Check protocol files for contradictions, omissions and wrong units; an error fails."""
    def protocol_show(self, version: str = ...) -> str:
        """Show a whole protocol as text: task, phases, instructions, edge cases, cameras, sensors."""
    def protocol_overview(self, *, interface: str = ...) -> ProtocolShown:
        """Show the protocol in force: sheet, lint remarks, clocks of devices, locked versions."""
    def protocol_sheet(self, file: PathLike | None = ..., *, interface: str = ..., html: PathLike | None = ...) -> str | SheetWritten:
        """Write the operator's sheet: steps, limits, prohibitions, edge cases, cameras."""
    def protocol_diff(self, older: PathLike, newer: PathLike | None = ...) -> ProtocolChanges:
        """Compare two protocols: which changes need new measurements, which a new judgement, which are only wording."""
    def protocol_versions(self) -> tuple[LockedVersion, ...]:
        """List the locked versions of this workspace's protocols, newest first."""
    def protocol_lock(self, *, task: str = ...) -> Numbers:
        """Lock the protocol's version; later changes need a new version."""
    def plan(self, *, budget: int | None = ..., strategy: str = ..., seed: int = ..., html: PathLike | None = ...) -> Plan:
        """Make the next collection plan from coverage, failures in production and open demands."""
    def plan_show(self) -> PlanNow:
        """Show the plan in force with its live progress and forecast, and the coverage of the deployed strata."""
    def plan_page(self, file: PathLike) -> PlanNow:
        """Write the plan in force as an HTML page: what to collect, why, and progress."""
    def plan_orders(self, file: PathLike, *, site: str = ..., operator: str = ...) -> OrdersWritten:
        """Write the work orders of the plan in force as CSV, JSON or sheets to print, by the file's ending."""
    def plan_sheet(self, *, operator: str = ...) -> tuple[OrderSheet, ...]:
        """Show the work orders of the plan in force by operator, with hours, cost and due day."""
    def plan_templates(self, file: PathLike) -> Plan:
        """Make the next plan from order templates for recurring work."""
    def plan_starts(self, order: str, *, seed: int = ...) -> tuple[Start, ...]:
        """Draw the initial conditions of an order's demonstrations, spread evenly over their ranges."""
    def plan_returned(self, file: PathLike, *, surplus: bool = ...) -> tuple[Progress, ...]:
        """Compare a returned order sheet with what was ingested and accepted."""
    def plan_score(self, policy: str = ..., *, plan: str = ...) -> PlanScore:
        """Score a plan: compare the promised gain with the gain measured in production. Later plans learn from it."""
    def plan_folder(self, folder: PathLike, *, budget: int | None = ..., strategy: str = ..., seed: int = ..., html: PathLike | None = ..., orders: PathLike | None = ...) -> Plan:
        """Make a collection plan from a folder of tables: the deployment map, demonstrations and production outcomes."""
    def collect(self, robot: str, operator: str, *, checked: str | Sequence[str] = ..., work_order: str | None = ..., on_floor: bool = ...) -> Session:
        """Open a collection session if the checklist is done, calibrations are valid and every clock is verified."""
    def collect_close(self, session: str) -> Session:
        """Close a session."""
    def collect_synchronise(self, stream: str, *, robot: str = ..., offset_ms: float | None = ..., how: str = ..., from_content: bool = ...) -> SynchronisationVerified:
        """Record how far a device's timestamps are off, measured end to end."""
    def collect_enrol(self, pseudonym: str, *, band: str | Sequence[str] = ...) -> Operator:
        """Enrol a demonstrator under a pseudonym."""
    def collect_robot(self, robot: str, *, model: str, site: str, sensor: str | Sequence[str] = ...) -> Robot:
        """Register a robot at a site, with its sensors."""
    def ingest(self, paths: PathLike | Sequence[PathLike], *, dry_run: bool = ..., mapping: PathLike | None = ..., set_: str | Sequence[str] = ..., overrule: bool = ...) -> Ingested | Contents:
        """Ingest logs: store the raw files, measure and judge each episode. Safe to repeat."""
    def ingest_watch(self, folder: PathLike, *, seconds: float | None = ..., mapping: PathLike | None = ...) -> Watched:
        """Watch a folder and ingest every log that appears, once it stops changing; Ctrl-C ends it."""
    def ingest_again(self, log: str | Sequence[str] = ..., *, mapping: PathLike | None = ..., set_: str | Sequence[str] = ..., overrule: bool = ...) -> ReadAgain:
        """Read ingested logs again from the shelf, under the mapping in force now; measure and judge them anew."""
    def ingest_relabel(self, episode: str | Sequence[str], *, set_: str | Sequence[str]) -> EpisodesChanged:
        """Change facts of episodes: task, site, robot, operator, outcome, failure, object, conditions."""
    def ingest_set_aside(self, episode: str | Sequence[str], *, reason: str) -> EpisodesChanged:
        """Set episodes aside: they stay on record and enter no release, no coverage and no check of the dataset."""
    def ingest_restore(self, episode: str | Sequence[str], *, reason: str = ...) -> EpisodesChanged:
        """Use episodes again that were set aside; their last verdict counts again."""
    def ingest_list(self, *, status: Status | str | None = ..., site: str = ..., limit: int = ...) -> tuple[Episode, ...]:
        """List episodes, newest first."""
    def ingest_find(self, *, status: str = ..., text: str = ..., where: str | Sequence[str] = ..., limit: int = ...) -> FoundEpisodes:
        """Find episodes by status, text and labels, newest first, with counts by status."""
    def ingest_show(self, episode: str, *, at_s: float | None = ...) -> EpisodeShown:
        """Show one episode: its last report, phases, releases and streams."""
    def ingest_history(self, *, limit: int = ...) -> tuple[LogShown, ...]:
        """List the ingested logs, newest first, each with its defects."""
    def ingest_streams(self, episode: str) -> tuple[StreamShown, ...]:
        """List an episode's streams: kind, unit, rate and every clock it came with, the most trusted first."""
    def check(self, paths: PathLike | Sequence[PathLike] = ..., *, html: PathLike | None = ..., protocol: PathLike | None = ..., mapping: PathLike | None = ..., set_: str | Sequence[str] = ..., numbers_only: bool = ..., keep: PathLike | None = ..., again: bool = ..., all: bool = ..., on: Literal['cores', 'ray'] = ...) -> CheckReport | PolicyCheck:
        """Check whether logs or datasets are fit for training; without a path, judge the workspace's episodes again."""
    def check_show(self) -> QualityShown:
        """Show the last judgement of the dataset, which metrics changed, and the calibration of every sensor."""
    def look_episode(self, episode: str) -> EpisodeView:
        """Show one episode's cameras, signals, segments, findings and calibrations on one timeline."""
    def calibrate(self, points: PathLike, *, robot: str, sensor: str, since: str = ...) -> Calibration:
        """Find a camera's pose from marker points, and store it with the time from which it is valid."""
    def calibrate_list(self, *, robot: str = ...) -> tuple[Calibration, ...]:
        """List calibrations with their validity, newest first."""
    def calibrate_intrinsics(self, images: PathLike | Sequence[PathLike], *, board: str, lens: Lens | str = ..., precision: bool = ..., sensor: str = ..., robot: str = ..., since: str = ..., undistorted: PathLike | None = ...) -> IntrinsicsResult:
        """Find a camera's focal length, centre and distortion from pictures of a board."""
    def calibrate_cameras(self, left: PathLike, right: PathLike, *, board: str = ..., lens: Lens | str = ..., precision: bool = ...) -> CameraPairResult:
        """Find the pose between two cameras, or compare their point clouds."""
    def calibrate_hand_eye(self, files: PathLike | Sequence[PathLike], *, setup: Setup | str = ..., rotation: str | Sequence[str] = ..., units: str | Sequence[str] = ..., inverse: Side | str | Sequence[Side | str] = ..., clock_offset: float = ..., sensor: str = ..., robot: str = ..., since: str = ...) -> HandEyeResult:
        """Find a camera's pose on the wrist or beside the robot, tested on held-out poses."""
    def calibrate_verify(self, views: PathLike, *, sensor: str, robot: str, rotation: str | Sequence[str] = ..., units: str | Sequence[str] = ..., at: str = ...) -> Verified:
        """Verify that a camera has not moved since its calibration; if it has, flag the affected episodes."""
    def calibrate_touch(self, points: PathLike, *, robot: str, sensor: str, at: str = ...) -> Touched:
        """Test a calibration by touch: compare points the camera saw with where the tool tip touched them."""
    def calibrate_force_torque(self, file: PathLike, *, rotation: str = ..., inverse: bool = ..., negated: bool = ..., mounted: float | Sequence[float] = ..., sensor: str = ..., robot: str = ..., since: str = ...) -> ForceTorqueResult:
        """Find how a force-torque sensor is turned on the wrist, its bias, and the tool's weight."""
    def calibrate_schedule(self, *, robot: str = ..., precise: bool = ...) -> Schedule:
        """List which sensors must be calibrated or verified, and when; overdue first."""
    def taxonomy(self, *, task: str = ..., version: str = ...) -> TaxonomyShown:
        """Show the taxonomy in force: kinds and labels with definitions, boundaries, keys and reference cards."""
    def taxonomy_overview(self, *, task: str = ..., older: str = ..., newer: str = ...) -> TaxonomiesShown:
        """Show the taxonomies of a workspace: labels, text, lint, locked versions, and what a lock would change."""
    def taxonomy_write(self, name: str, *, text: str, seen: str = ..., write: bool = ...) -> TaxonomyEdited:
        """Look over the text of a taxonomy; with --write, also put it into its file."""
    def taxonomy_new(self, name: str) -> TaxonomyStarted:
        """Write a taxonomy file as a start: the shipped labels with all comments."""
    def taxonomy_fork(self, name: str, *, version: str = ...) -> TaxonomyStarted:
        """Write a copy of a taxonomy as a new file: the next version under its own name, or version 1 under another."""
    def taxonomy_lint(self, *, task: str = ...) -> TaxonomyLinted:
        """Look over a taxonomy file: what must be mended before it can be locked, and what annotators will miss."""
    def taxonomy_diff(self, older: str = ..., newer: str = ..., *, map_: str | Sequence[str] = ..., task: str = ...) -> TaxonomyChanges:
        """Compare two versions of a taxonomy: changed labels, and the episodes that would be labelled again."""
    def taxonomy_lock(self, *, task: str = ...) -> TaxonomyChanges:
        """Lock the taxonomy's version; labels that a change touches are dealt again, and only those."""
    def taxonomy_migrate(self, *, map_: str | Sequence[str], task: str = ...) -> TaxonomyChanges:
        """Lock a new version and carry labels over: renamed labels are replaced, split ones are labelled again."""
    def annotate(self, episode: str | Sequence[str] = ..., *, again: bool = ..., every: bool = ...) -> Annotated:
        """Propose phases and other labels from signals, each with its confidence, for accepted episodes that have none."""
    def annotate_changes(self, episode: str) -> tuple[SnapPoint, ...]:
        """List the moments at which the signals of an episode change, for boundaries to snap to; nothing is stored."""
    def annotate_import(self, file: PathLike, *, label: str | Sequence[str] = ..., fps: float | None = ..., frames_from: FrameBase | str | None = ...) -> Imported:
        """Import labels from another annotation tool: Label Studio, ELAN, Praat, or a CSV or Parquet table with results."""
    def annotate_export(self, episode: str | Sequence[str] = ..., *, to: Target | str, out: PathLike, author: str | Sequence[str] = ..., fps: float | None = ...) -> Exported:
        """Write labels of episodes for another tool: Label Studio, ELAN or a table."""
    def annotate_paste(self, text: str, *, label: str | Sequence[str] = ...) -> Imported:
        """Import labels and results of episodes from the text of a CSV table, as a page or another program sends it."""
    def annotate_template(self, *, out: PathLike | None = ...) -> str:
        """Write an example table of labels with episodes of this workspace."""
    def annotate_show(self) -> AnnotationsShown:
        """Show the annotated phases, how well authors agree, and how many accepted episodes are not annotated."""
    def annotate_labels(self, episode: str, *, author: str = ...) -> EpisodeLabels:
        """Show the labels of one episode: every author's lanes, proposals, your drafts, and the taxonomy with its keys."""
    def annotate_save(self, episode: str, *, kind: str = ..., segments_text: str, revision: int = ..., submit: bool = ..., author: str = ..., reaction_ms: float | None = ...) -> LabelsKept:
        """Save a person's labels of one kind in one episode: a draft, or with --submit the labels that count."""
    def annotate_undo(self, episode: str, *, kind: str = ..., to: int, revision: int, author: str = ...) -> LabelsKept:
        """Go back to an earlier revision of a person's labels, as a new draft; later revisions stay on record."""
    def annotate_next(self, *, task: str = ..., annotator: str = ...) -> NextTask:
        """Take the next task under a lease; a task that you hold already is returned first."""
    def annotate_tasks(self, *, state: TaskState | str | None = ..., annotator: str = ..., every: bool = ...) -> TasksShown:
        """List tasks of annotation: open, leased, done and overdue."""
    def annotate_deal(self, episode: str | Sequence[str] = ..., *, kind: str | Sequence[str] = ..., annotator: str | Sequence[str] = ..., count: int | None = ..., salt: str = ...) -> Dealt:
        """Deal episodes to annotators: one task each, and two independent tasks for a share of the episodes."""
    def annotate_withdraw(self, task: str) -> LabelTask:
        """Withdraw a task that was dealt by mistake; drafts stay."""
    def annotate_calibration(self, episode: str | Sequence[str], *, kind: str = ..., labels_of: str = ...) -> CalibrationMade:
        """Make a calibration set of episodes whose labels are right: adjudicated ones, else those of the lead."""
    def annotate_qualify(self, annotator: str | Sequence[str] = ...) -> Qualifications:
        """Show who qualifies on the calibration set; name annotators to deal them the set again."""
    def annotate_spot_check(self, episode: str = ..., *, annotator: str = ..., verdict: Literal['good', 'wrong', ''] = ..., comment: str = ...) -> SpotChecks:
        """Draw finished tasks for the lead to look at; or state the verdict on one annotator's labels of an episode."""
    def annotate_decision(self, episode: str, *, kind: str = ..., to: int = ...) -> DecisionDraft:
        """Show what leads drew so far for a decision between authors; `annotate adjudicate` decides."""
    def annotate_draft(self, episode: str, *, kind: str = ..., segments_text: str, revision: int = ...) -> DecisionDraft:
        """Keep what a lead drew so far for a decision, as a revision that any lead goes on from; it counts nowhere."""
    def annotate_adjudicate(self, episode: str, *, kind: str = ..., take: str = ..., segments_text: str = ..., comment: str = ..., seen: str = ...) -> Adjudicated:
        """Decide between authors of one kind of labels in an episode; releases then take the decided labels."""
    def annotate_revisions(self, episode: str, *, kind: str = ..., author: str = ...) -> tuple[Revision, ...]:
        """List the revisions of a person's labels of one episode, oldest first; `annotate undo` goes back to one."""
    def agree(self, author: str | Sequence[str] = ..., *, kind: str | Sequence[str] = ..., fps: float | None = ..., edge: str | Sequence[str] = ..., html: PathLike | None = ...) -> Agreed:
        """Compare annotators on the episodes that at least two of them labelled."""
    def agree_files(self, files: PathLike | Sequence[PathLike], *, fps: float | None = ..., frames_from: FrameBase | str | None = ..., columns: str = ..., tiers: Tiers | str | None = ..., html: PathLike | None = ...) -> Agreed:
        """Compare annotators on files of labels: CSV, start times, Label Studio, ELAN, TextGrid or LeRobot datasets."""
    def release(self, name: str, *, where: str | Sequence[str] = ..., plan: str = ..., seed: int = ..., fix: FixKind | str | Sequence[FixKind | str] = ..., apart: str | Sequence[str] = ..., unlabelled: bool = ..., without_worst: float = ..., worst_by: WorthMethod | str = ..., override: str = ...) -> Release:
        """Freeze accepted episodes into an immutable release: all, those of a plan, or those that match a query."""
    def release_list(self) -> tuple[Release, ...]:
        """List releases, newest first."""
    def release_show(self, release: str) -> ReleaseShown:
        """Show one release: its episodes, shares, checks, labels, excluded episodes, datasheet, exports and policies."""
    def release_diff(self, older: str, newer: str, *, html: PathLike | None = ..., facts_only: bool = ..., kept_only: bool = ...) -> ReleaseDiff:
        """List what changed between two releases, or two datasets: episodes and why, labels, splits, shifts, features."""
    def release_verify(self, release: str) -> Integrity:
        """Hash a release, or exported files, again, and name what has changed since it was frozen or written."""
    def release_verified(self, release: str) -> Integrity:
        """Show what verifying a release found the last time, without hashing anything."""
    def release_worth(self, release: str, *, method: WorthMethod | str = ...) -> Worth:
        """List the episodes of a release by estimated worth, the least valuable first, with interval and evidence."""
    def release_datasheet(self, release: str, *, to: Literal['markdown', 'html'] = ...) -> str:
        """Write a release's datasheet as Markdown, or as an HTML page with plots."""
    def release_export(self, release: str, target: PathLike, *, to: Literal['lerobot', 'hdf5', 'rlds', 'mcap'] = ..., clock: str = ..., hz: float | None = ..., codec: Literal['keep', 'h264', 'av1'] = ..., actions_from: str = ..., pair: Literal['', 'index', 'time'] = ...) -> Converted:
        """Write a release's episodes in a training format; the ledger records how they were resampled."""
    def train(self, release: str, *, name: str = ..., seed: int = ..., trainer: str = ...) -> PolicyVersion:
        """Train a policy on a release; the bundle is stored with its guard limits."""
    def train_list(self) -> tuple[PolicyVersion, ...]:
        """List policy versions, newest first."""
    def train_show(self) -> PoliciesShown:
        """Show every policy with the gate's last decision about it."""
    def policy(self) -> tuple[PolicyVersion, ...]:
        """List policy versions, newest first."""
    def policy_add(self, name: str, source: PathLike | None = ..., *, settings: PathLike | None = ..., data: PathLike | None = ..., digest: str = ..., release: str = ..., control_hz: float | None = ...) -> PolicyVersion:
        """Add a policy that was trained elsewhere, so that it can be gated, served, rolled out, monitored and diagnosed."""
    def policy_check(self, path: PathLike, *, data: PathLike | None = ..., control_hz: float | None = ...) -> PolicyCheck:
        """Check whether a policy folder agrees with itself and with its dataset; weights are not loaded."""
    def policy_export(self, policy: str, out: PathLike, *, to: Literal['onnx', 'torchserve', 'triton', 'trtexec'] = ...) -> PolicyExported:
        """Write a policy for another server: one ONNX graph, an archive of TorchServe, a repository of Triton."""
    def policy_register(self, name: str, *, digest: str = ..., release: str = ..., control_hz: float | None = ...) -> PolicyVersion:
        """Add a policy whose weights stay elsewhere, by name and digest alone, as a page or another program does."""
    def gate(self, policy: str, *, simulate: bool = ..., control: str = ..., site: str = ..., seed: int = ..., html: PathLike | None = ...) -> Decision:
        """Decide whether a policy version is admitted: pass, fail, or how many more trials are needed."""
    def gate_report(self, policy: str, *, html: PathLike | None = ...) -> GateReport:
        """Show the report of a policy's last gate decision: verdict, evidence, method, uncertainty and deviations."""
    def gate_plan(self, policy: str, *, control: str = ..., site: str = ..., seed: int = ..., replace: str = ...) -> TrialSheet:
        """Plan the trials of a policy's next gate: what to try in which order, blind to the operator."""
    def gate_trials(self, policy: str, *, site: str = ..., seed: int = ..., html: PathLike | None = ...) -> TrialSheet:
        """Show the trials of the gate's plan: their order, how to set each up, and which are done."""
    def gate_next(self, plan: str, *, taker: str = ..., order: int = ..., for_robot: bool = ...) -> TrialToMake:
        """Take the next trial of a plan under a lease, so that two robots do not make the same one."""
    def gate_return(self, plan: str, order: int, *, taker: str = ...) -> TrialTaken:
        """Give a trial back that was taken and not made, so that others need not wait for the end of its lease."""
    def gate_result(self, plan: str, order: int, result: Literal['success', 'failure', 'unknown'], *, steps_done: int | None = ..., failure: FailureClass | str | None = ..., cycle_s: float | None = ..., latency_ms: float | None = ..., confidence: float | None = ..., interventions: int = ..., robot: str = ..., remark: str = ..., facts: str | Sequence[str] = ..., chunks: str = ..., at: str = ...) -> TrialResult:
        """Record how a trial of a plan ended; a second result of the same trial is refused."""
    def gate_correct(self, plan: str, order: int, result: Literal['success', 'failure', 'unknown'], *, reason: str, steps_done: int | None = ..., failure: FailureClass | str | None = ..., cycle_s: float | None = ..., interventions: int | None = ..., remark: str | None = ...) -> TrialResult:
        """Correct the result of a trial, with a reason; the earlier result stays on record."""
    def gate_keep(self, *, incident: str = ..., outcome: str = ..., stratum: str = ..., what: str = ...) -> KeptScenario:
        """Keep a failure in production as a scenario of every later gate, of every policy."""
    def gate_scenarios(self) -> tuple[KeptScenario, ...]:
        """List the failures that every gate tries, in the order in which they were kept."""
    def gate_compare(self, policy: str, against: str, *, question: Question | str = ..., simulate: bool = ..., seed: int = ...) -> VersionComparison:
        """Compare two policy versions by their trials: better, worse, no difference, or how many more pairs are needed."""
    def gate_show(self, policy: str) -> PolicyShown:
        """Show one policy with every decision of the gate about it."""
    def gate_decisions(self) -> tuple[Decision, ...]:
        """List gate decisions, newest first."""
    def serve(self, policies: str | Sequence[str] = ..., *, host: str = ..., port: int = ..., grpc: int = ..., robots: int = ..., follow: bool = ..., override: str = ...) -> None:
        """Serve policy versions over HTTP and WebSocket until interrupted; one that is too slow is refused."""
    def serve_list(self) -> tuple[ServerShown, ...]:
        """Show the running policy servers: versions, which is in force, robots and latency."""
    def serve_load(self, policy: str, *, override: str = ..., server: str = ..., token: str = ...) -> ServerShown:
        """Load a version on a running server, beside the one in force; it is measured first."""
    def serve_activate(self, policy: str, *, reason: str = ..., override: str = ..., server: str = ..., token: str = ...) -> ServerShown:
        """Put a loaded version in force on a running server; episodes that run now end with theirs."""
    def serve_back(self, *, reason: str = ..., override: str = ..., server: str = ..., token: str = ...) -> ServerShown:
        """Put the version before in force on a running server; no socket is closed."""
    def serve_health(self, policy: str) -> PolicyHealth:
        """Time a thousand inferences, and judge whether the policy is fast enough for its robot."""
    def guard(self, policy: str) -> Guarded:
        """Show the guard limits that a policy carries to the robot, and the rules that enforce them."""
    def guard_replay(self, episode: str, *, policy: str) -> Replay:
        """Replay a policy's guard at every step of a recorded episode."""
    def monitor(self) -> Watch:
        """Evaluate production once: the success rate of every policy and site, and an alarm for each drop beyond chance."""
    def monitor_add(self, policy: str, result: Literal['success', 'failure', 'unknown'], *, stratum: str = ..., site: str = ..., robot: str = ..., failure: FailureClass | str | None = ..., cycle_s: float | None = ..., confidence: float | None = ..., latency_ms: float | None = ..., interventions: int = ..., stage: Stage | str = ..., scenario: str = ..., outcome: str = ...) -> Outcome:
        """Record how one attempt ended, as a robot or an operator reports it."""
    def monitor_record(self, file: PathLike, *, policy: str = ..., stage: Stage | str = ...) -> RecordedOutcomes:
        """Record outcomes from a table: CSV or Parquet with any columns, or JSON lines. Safe to repeat."""
    def monitor_paste(self, text: str, *, policy: str = ..., stage: Stage | str = ...) -> RecordedOutcomes:
        """Record outcomes from the text of a table, as a page or another program sends it. Safe to repeat."""
    def monitor_template(self, *, out: PathLike | None = ...) -> str:
        """Write an example table of outcomes with the conditions of this workspace's map."""
    def monitor_floor(self) -> Floor:
        """Show production: success over time and by site, the rollout, alarms and the last outcomes."""
    def monitor_outcomes(self, *, policy: str = ..., stage: Stage | str | None = ..., limit: int = ...) -> tuple[Outcome, ...]:
        """List outcomes, the latest attempts first, in whatever order they were recorded."""
    def rollout(self) -> tuple[Rollout, ...]:
        """Show every rollout, newest first: rung, share of tasks, results of candidate and incumbent."""
    def rollout_start(self, policy: str, *, shadow: bool = ..., override: str = ..., rung: Literal['first', 'trial', 'quarter', 'half', 'fleet'] = ...) -> Rollout:
        """Start the rollout of a policy version that passed its gate."""
    def rollout_advance(self) -> Rollout:
        """Compare candidate and incumbent since this rung began: climb to the next rung, stay, or roll back."""
    def rollout_back(self, *, production: bool = ..., reason: str = ...) -> Rollout:
        """Roll the candidate back now, whatever its success rate."""
    def diagnose(self, policy: str = ..., *, site: str = ..., seed: int = ..., html: PathLike | None = ...) -> Diagnosis:
        """Diagnose a drop of success in production: whether it is real, and what caused it."""
    def diagnose_show(self, *, diagnosis: str = ...) -> DiagnosisShown:
        """Show a diagnosis with success by day before it, and list all diagnoses."""
    def diagnose_folder(self, folder: PathLike, *, site: str = ..., seed: int = ..., html: PathLike | None = ...) -> Diagnosis:
        """Diagnose a policy from a folder of tables: demonstrations, baseline trials and production outcomes."""
    def incident(self) -> tuple[IncidentNow, ...]:
        """Show incidents with their deadlines, newest first."""
    def incident_show(self) -> IncidentsShown:
        """Show every incident with its clocks, open ones first, and the newest diagnosis."""
    def incident_open(self, what: str = ..., *, alarm: str = ..., policy: str = ..., site: str = ..., stratum: str = ...) -> IncidentNow:
        """Open an incident, from an alarm or a person's report."""
    def incident_move(self, incident: str, step: Step | str, *, note: str) -> IncidentNow:
        """Record a step of the incident's runbook; once diagnosed, the incident asks the plan for demonstrations."""
    def incident_report(self, incident: str) -> str:
        """Write the post-mortem of an incident from the record, as Markdown."""
    def trace(self, policy: str = ..., *, calibration: str = ..., operator: str = ..., robot: str = ..., session: str = ..., site: str = ..., provider: str = ..., protocol: str = ..., episode: str = ...) -> Lineage | Dependents:
        """Trace a policy back to all that it rests on, or one thing forward to every release and policy it touched."""
    def evidence(self, policy: str, file: PathLike) -> EvidenceRecord:
        """Write a hash-chained record of a policy: its lineage, then every event of the ledger up to now."""
    def supply(self, provider: str, *, session: str = ...) -> Acceptance:
        """Accept a provider's delivery, or reject it with reasons."""
    def supply_provider(self, provider: str, *, name: str = ..., min_acceptance: float = ..., cost: float | None = ...) -> Provider:
        """Record a provider of episodes and the contract's terms."""
    def supply_score(self, provider: str) -> Scorecard:
        """Summarise a provider's deliveries: acceptance, cost per accepted episode, repeatability."""
    def simulate_planned(self, folder: PathLike, *, seed: int = ...) -> SimulatedLogs:
        """Write MCAP logs of the demonstrations that the plan in force still lacks, as operators would collect them."""
    def simulate_production(self, policy: str = ..., *, episodes: int = ..., days: float = ..., seed: int = ...) -> SimulatedAttempts:
        """Simulate production for some days up to now; the rollout decides which policy makes each attempt."""
    def simulate_laboratory(self, policy: str, *, episodes: int = ..., seed: int = ...) -> SimulatedAttempts:
        """Run a policy in the simulated laboratory, as you would before a rollout."""
    def token(self, name: str, *, role: Role | str = ..., provider: str | None = ..., duty: Duty | str | Sequence[Duty | str] = ...) -> Issued:
        """Issue a token with a role; the secret is shown once."""
    def token_revoke(self, token: str) -> Token:
        """Revoke a token; requests that carry it are refused from now on."""
    def doctor(self) -> Examination:
        """Check this machine and workspace: extras, disk, protocols, ledger, shelf."""
    def doctor_sweep(self) -> Swept:
        """Remove leftovers of a killed or refused ingest: blobs that no event refers to, and unfinished files."""
