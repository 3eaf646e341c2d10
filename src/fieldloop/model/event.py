"""Everything that can happen, in the past tense and in loop order. This list is the loop."""

from dataclasses import dataclass
from typing import Generic, TypeVar, get_args

from fieldloop.model.alarm import Alarm
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.decision import Decision
from fieldloop.model.delivery import Acceptance
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.diagnosis import Diagnosis, Lag
from fieldloop.model.episode import Blob, Episode, Log, Session
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.hardware import Robot
from fieldloop.model.incident import Incident
from fieldloop.model.intrinsics import Intrinsics
from fieldloop.model.person import Operator, Provider, Token
from fieldloop.model.plan import Demand, Plan, PlanScore
from fieldloop.model.policy import Outcome, PolicyVersion
from fieldloop.model.quality import DatasetReport
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout
from fieldloop.model.verification import Verification


@dataclass(frozen=True, slots=True)
class WorkspaceCreated:
    """A workspace came to be."""

    name: str
    fieldloop: str


@dataclass(frozen=True, slots=True)
class TokenIssued:
    """Somebody was given a token, or one was revoked (the same id again, with `revoked_ns`)."""

    token: Token


@dataclass(frozen=True, slots=True)
class ProtocolLocked:
    """A version of a protocol may not change any more; `content` is its text and every number in force then."""

    name: str
    version: int
    fingerprint: str
    content: Blob | None = None


@dataclass(frozen=True, slots=True)
class OperatorEnrolled:
    """Someone may demonstrate."""

    operator: Operator


@dataclass(frozen=True, slots=True)
class RobotRegistered:
    """A robot and its sensors became known, or changed."""

    robot: Robot


@dataclass(frozen=True, slots=True)
class ProviderContracted:
    """A provider and the terms it delivers under became known."""

    provider: Provider


@dataclass(frozen=True, slots=True)
class DeploymentMapped:
    """The deployment environment was described."""

    deployment: Deployment


@dataclass(frozen=True, slots=True)
class DeploymentAudited:
    """The five gap questions were asked of the map."""

    audit: Audit


@dataclass(frozen=True, slots=True)
class PlanDrawn:
    """The next collection was decided."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class PlanScored:
    """What a plan had promised was held against what came of it; learning curves follow."""

    score: PlanScore


@dataclass(frozen=True, slots=True)
class SynchronisationVerified:
    """Somebody measured end to end how far a device's stamps are off; the newest one of a device counts."""

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
    """A log was taken in whole: its bytes are on the shelf, its episodes are known."""

    log: Log
    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class EpisodesMeasured:
    """Every check looked at the bytes once; the numbers are rows of a Parquet blob, what else is kept an archive.

    `measuring` names the parameters under which was measured: under others the logs must be looked at again.
    """

    episodes: tuple[str, ...]
    blob: Blob
    rows: int
    imprints: Blob | None = None
    measuring: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeJudged:
    """A protocol was applied to what was measured."""

    protocol: str
    report: EpisodeReport


@dataclass(frozen=True, slots=True)
class DatasetJudged:
    """All episodes were judged together: how the dataset stands, where to look first, what changed suddenly."""

    report: DatasetReport


@dataclass(frozen=True, slots=True)
class DeliveryJudged:
    """A provider's delivery was accepted or returned."""

    acceptance: Acceptance


@dataclass(frozen=True, slots=True)
class CalibrationAttached:
    """It became known where a sensor is; an earlier one of the same sensor ends where this begins."""

    calibration: Calibration


@dataclass(frozen=True, slots=True)
class IntrinsicsAttached:
    """It became known how a camera maps directions to pixels; the newest one that has begun to hold counts."""

    intrinsics: Intrinsics


@dataclass(frozen=True, slots=True)
class SensorVerified:
    """A marker was looked at: the camera stands where the calibration says, or it does not."""

    verification: Verification


@dataclass(frozen=True, slots=True)
class TaxonomyLocked:
    """The words annotators use, in this version, may not change any more."""

    name: str
    version: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class EpisodeAnnotated:
    """An author said what happened when; replaces what the same author said of this kind before."""

    episode: str
    kind: str
    author: str
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class ReleaseFrozen:
    """A release came to be."""

    release: Release


@dataclass(frozen=True, slots=True)
class ReleaseExported:
    """A release was written as files: by which clock, and by which rule each stream was resampled."""

    release: str
    target: str
    format: str
    episodes: int
    frames: int
    clock: str
    rules: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LagsMeasured:
    """How far a release's cameras lag behind the joints was estimated from content, under a protocol's parameters.

    `imprints` names what was kept of the episodes' content then: from other content it is estimated anew.
    """

    release: str
    protocol: str
    imprints: str
    lags: tuple[Lag, ...]


@dataclass(frozen=True, slots=True)
class PolicyTrained:
    """A policy version came to be."""

    policy: PolicyVersion


@dataclass(frozen=True, slots=True)
class OutcomeRecorded:
    """A policy version tried once, and someone or something said how it went."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class PolicyGated:
    """A gate admitted a policy version, held it back, or asked for more trials."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class RolloutMoved:
    """A candidate went up a rung, stayed, or came back."""

    rollout: Rollout


@dataclass(frozen=True, slots=True)
class AlarmRaised:
    """Production fell below its baseline."""

    alarm: Alarm


@dataclass(frozen=True, slots=True)
class DiagnosisMade:
    """The loss was shared out over its causes."""

    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class IncidentOpened:
    """Something went wrong in the field."""

    incident: Incident


@dataclass(frozen=True, slots=True)
class IncidentMoved:
    """A step of the runbook was taken."""

    incident: Incident


@dataclass(frozen=True, slots=True)
class DemandPlaced:
    """A diagnosis or an incident asks the plan for demonstrations."""

    demand: Demand


Event = (
    WorkspaceCreated | TokenIssued | ProtocolLocked | OperatorEnrolled | RobotRegistered | ProviderContracted
    | DeploymentMapped | DeploymentAudited | PlanDrawn | PlanScored | SynchronisationVerified
    | SessionOpened | SessionClosed
    | LogIngested | EpisodesMeasured | EpisodeJudged | DatasetJudged | DeliveryJudged
    | CalibrationAttached | IntrinsicsAttached | SensorVerified | TaxonomyLocked | EpisodeAnnotated
    | ReleaseFrozen | ReleaseExported | LagsMeasured | PolicyTrained | OutcomeRecorded | PolicyGated | RolloutMoved
    | AlarmRaised | DiagnosisMade | IncidentOpened | IncidentMoved | DemandPlaced
)  # fmt: skip

EVENTS: dict[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}
VERSION = 1
"""Written beside every event; an older one is upcast when it is read."""

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Recorded(Generic[E]):
    """An event as it stands in the ledger: its place, time, actor and what caused it."""

    seq: int
    at_ns: int
    actor: str
    event: E
    caused_by: int | None = None
