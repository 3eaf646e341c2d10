"""All events, in the past tense and in loop order."""

from dataclasses import dataclass
from typing import Generic, TypeVar, get_args

from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.decision import Decision
from fieldloop.model.delivery import Acceptance
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.diagnosis import Lag
from fieldloop.model.episode import Blob, Episode, Log, Session
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.gate_event import PlanClosed, ScenarioKept, TrialCorrected, TrialJudged, TrialLeased, TrialsPlanned
from fieldloop.model.hardware import Robot
from fieldloop.model.intrinsics import Intrinsics
from fieldloop.model.labelling_event import (
    AnnotatorJudged,
    CalibrationSetChosen,
    LabelsAdjudicated,
    LabelsSaved,
    LabelsSpotChecked,
    LabelTaskMoved,
    LabelTasksDealt,
    TaxonomyMigrated,
)
from fieldloop.model.note import Note
from fieldloop.model.person_event import OperatorEnrolled, ProviderContracted, TokenIssued
from fieldloop.model.plan import Plan, PlanScore
from fieldloop.model.policy import Outcome, PolicyVersion
from fieldloop.model.quality import DatasetReport
from fieldloop.model.release import Release
from fieldloop.model.response_event import AlarmRaised, DemandPlaced, DiagnosisMade, IncidentMoved, IncidentOpened
from fieldloop.model.rollout import Rollout
from fieldloop.model.serving import ServingMoved
from fieldloop.model.verification import Verification


@dataclass(frozen=True, slots=True)
class WorkspaceCreated:
    """A workspace was created."""

    name: str
    fieldloop: str


@dataclass(frozen=True, slots=True)
class ProtocolLocked:
    """A version of a protocol was locked; `content` is its text and every number in force then."""

    name: str
    version: int
    fingerprint: str
    content: Blob | None = None


@dataclass(frozen=True, slots=True)
class RobotRegistered:
    """A robot and its sensors were registered or changed."""

    robot: Robot


@dataclass(frozen=True, slots=True)
class DeploymentMapped:
    """The deployment environment was described."""

    deployment: Deployment


@dataclass(frozen=True, slots=True)
class DeploymentAudited:
    """The map was audited with the five gap questions."""

    audit: Audit


@dataclass(frozen=True, slots=True)
class PlanDrawn:
    """The next collection was planned."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class PlanScored:
    """A plan's forecast was compared with the outcomes; learning curves are fitted to these scores."""

    score: PlanScore


@dataclass(frozen=True, slots=True)
class SynchronisationVerified:
    """A device's offset was measured end to end; the newest measurement of a device counts."""

    stream: str
    robot: str
    offset_ms: float
    how: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """Recording may begin."""

    session: Session


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """Recording ended."""

    session: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class LogIngested:
    """A log was ingested: its bytes are on the shelf, its episodes are in the tables."""

    log: Log
    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class LogReadAgain:
    """A log on the shelf was read again, under another mapping or with other facts; `before` is the earlier reading.

    A release that was frozen before keeps the earlier reading.
    """

    log: Log
    episodes: tuple[Episode, ...]
    before: Log
    episodes_before: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class EpisodeRelabelled:
    """A person changed facts of an episode; `before` is the episode as it was."""

    episode: Episode
    before: Episode


@dataclass(frozen=True, slots=True)
class EpisodeSetAside:
    """An episode was set aside: it stays on record and is not used."""

    episode: str
    reason: str


@dataclass(frozen=True, slots=True)
class EpisodeRestored:
    """An episode that was set aside is used again."""

    episode: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EpisodesMeasured:
    """All checks measured a log once; measurements are a Parquet blob, other arrays an archive.

    `measuring` identifies the parameters of the measurement: with other parameters the logs must be measured again.
    """

    episodes: tuple[str, ...]
    blob: Blob
    rows: int
    imprints: Blob | None = None
    measuring: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeJudged:
    """An episode's measurements were judged under a protocol.

    `named` states whether the data name the protocol, or one was written for them: without one, fewer numbers fail.
    None: judged before this was kept.
    """

    protocol: str
    report: EpisodeReport
    named: bool | None = None


@dataclass(frozen=True, slots=True)
class DatasetJudged:
    """The dataset was judged as a whole: its quality, the episodes to look at first, and sudden changes."""

    report: DatasetReport


@dataclass(frozen=True, slots=True)
class DeliveryJudged:
    """A provider's delivery was accepted or returned."""

    acceptance: Acceptance


@dataclass(frozen=True, slots=True)
class CalibrationAttached:
    """A sensor's pose was calibrated; the sensor's earlier calibration ends where this one begins."""

    calibration: Calibration


@dataclass(frozen=True, slots=True)
class IntrinsicsAttached:
    """A camera's intrinsics were determined; the newest that are already valid count."""

    intrinsics: Intrinsics


@dataclass(frozen=True, slots=True)
class SensorVerified:
    """A calibration was verified against a marker."""

    verification: Verification


@dataclass(frozen=True, slots=True)
class TaxonomyLocked:
    """A version of the annotators' taxonomy was locked; `content` is its labels, as JSON on the shelf."""

    name: str
    version: int
    fingerprint: str
    content: Blob | None = None


@dataclass(frozen=True, slots=True)
class EpisodeAnnotated:
    """An author annotated an episode; replaces the author's earlier annotations of this kind."""

    episode: str
    kind: str
    author: str
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class ReleaseFrozen:
    """A release was created."""

    release: Release


@dataclass(frozen=True, slots=True)
class ReleaseExported:
    """A release was written as files: by which clock, and by which rule each stream was resampled.

    `manifest_sha256` is the hash of the list of these files, '' for exports that were made before lists existed.
    """

    release: str
    target: str
    format: str
    episodes: int
    frames: int
    clock: str
    rules: tuple[tuple[str, str], ...]
    left_out: tuple[Note, ...]
    manifest_sha256: str = ""


@dataclass(frozen=True, slots=True)
class LagsMeasured:
    """How far a release's cameras lag behind the joints was estimated from content, under a protocol's parameters.

    `imprints` identifies the episode content that was used: for other content it is estimated again.
    """

    release: str
    protocol: str
    imprints: str
    lags: tuple[Lag, ...]


@dataclass(frozen=True, slots=True)
class PolicyTrained:
    """A policy version was trained here."""

    policy: PolicyVersion


@dataclass(frozen=True, slots=True)
class PolicyAdded:
    """A policy version that was trained elsewhere was made known."""

    policy: PolicyVersion


@dataclass(frozen=True, slots=True)
class OutcomeRecorded:
    """A policy version made one attempt, and its outcome was judged."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class PolicyGated:
    """A gate admitted a policy version, held it back, or asked for more trials."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class RolloutMoved:
    """A rollout advanced a stage, stayed, or was rolled back."""

    rollout: Rollout


Event = (
    WorkspaceCreated | TokenIssued | ProtocolLocked | OperatorEnrolled | RobotRegistered | ProviderContracted
    | DeploymentMapped | DeploymentAudited | PlanDrawn | PlanScored | SynchronisationVerified | SessionOpened
    | SessionClosed | LogIngested | LogReadAgain | EpisodeRelabelled | EpisodeSetAside | EpisodeRestored
    | EpisodesMeasured | EpisodeJudged | DatasetJudged | DeliveryJudged | CalibrationAttached | IntrinsicsAttached
    | SensorVerified | TaxonomyLocked | EpisodeAnnotated | LabelsSaved | LabelTasksDealt | LabelTaskMoved
    | CalibrationSetChosen | AnnotatorJudged | LabelsSpotChecked | LabelsAdjudicated | TaxonomyMigrated
    | ReleaseFrozen | ReleaseExported | LagsMeasured | PolicyTrained | PolicyAdded | OutcomeRecorded | PolicyGated
    | TrialsPlanned | PlanClosed | TrialLeased | TrialJudged | TrialCorrected | ScenarioKept | ServingMoved
    | RolloutMoved | AlarmRaised | DiagnosisMade | IncidentOpened | IncidentMoved | DemandPlaced
)  # fmt: skip

EVENTS: dict[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}
VERSION = 3
"""Stored with every event; older versions are upcast when they are read.

Since 2, texts of rooms are notes. Since 3, the result of an outcome may be unknown.
"""

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Recorded(Generic[E]):
    """An event in the ledger: its sequence number, time, actor and cause."""

    seq: int
    at_ns: int
    actor: str
    event: E
    caused_by: int | None = None
