"""How a dataset stands: in the five dimensions into which every finding rolls up, and as a whole."""

from dataclasses import dataclass, field
from enum import StrEnum

from fieldloop.model.contents import TaskContents
from fieldloop.model.finding import Finding, Status
from fieldloop.model.ranking import Ranking
from fieldloop.model.trend import Series


class Dimension(StrEnum):
    """What a dataset is good or bad at."""

    SENSOR_FIDELITY = "sensor fidelity"
    TASK_COVERAGE = "task coverage"
    ANNOTATION_PRECISION = "annotation precision"
    METADATA_COMPLETENESS = "metadata completeness"
    REPRODUCIBILITY = "reproducibility"


@dataclass(frozen=True, slots=True)
class DimensionResult:
    """How episodes, and the dataset as a whole, stand in one dimension.

    `episodes` counts them by the worst that counts in this dimension; `share` is that of the passed among those that
    passed or failed, with its 95 % interval; None where none did. `worst` are the dearest findings, a check once.
    """

    dimension: Dimension
    status: Status
    episodes: dict[Status, int]
    share: float | None
    low: float
    high: float
    dataset: dict[Status, int]
    worst: tuple[Finding, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class CheckTally:
    """How one check was answered over all episodes; `held` counts the episodes that it stands in the way of."""

    check: str
    answers: dict[Status, int]
    held: int
    median: float | None
    minimum: float | None
    maximum: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class DatasetReport:
    """What is known of all episodes together: enough to be shown without asking any of them again.

    `episodes` counts them by verdict. `ranking` holds the first looks only, `look_first` tells of all; `trends` are
    the metrics that changed suddenly, of `metrics` that were followed over batches. `outdated` counts episodes that
    were measured by other parameters or fewer checks than were in force. `protocol` names the version that judged,
    `fingerprint` its content, `at_ns` since when this is so.
    """

    protocol: str
    fingerprint: str
    status: Status
    episodes: dict[Status, int]
    findings: tuple[Finding, ...] = ()
    dimensions: tuple[DimensionResult, ...] = ()
    ranking: Ranking = field(default_factory=Ranking)
    look_first: str = ""
    trends: tuple[Series, ...] = ()
    metrics: int = 0
    contents: tuple[TaskContents, ...] = ()
    checks: tuple[CheckTally, ...] = ()
    outdated: int = 0
    at_ns: int = 0

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """What stands against the dataset as a whole, failures before what could not be told."""
        return tuple(sorted((f for f in self.findings if f.counts), key=lambda f: list(Status).index(f.status)))
