"""The quality of a dataset: in five dimensions, and as a whole."""

from dataclasses import dataclass, field
from enum import StrEnum

from fieldloop.model.contents import TaskContents
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Note
from fieldloop.model.ranking import Ranking
from fieldloop.model.trend import Series


class Dimension(StrEnum):
    """A dimension of data quality."""

    SENSOR_FIDELITY = "sensor fidelity"
    TASK_COVERAGE = "task coverage"
    ANNOTATION_PRECISION = "annotation precision"
    METADATA_COMPLETENESS = "metadata completeness"
    REPRODUCIBILITY = "reproducibility"


@dataclass(frozen=True, slots=True)
class DimensionResult:
    """The quality of episodes, and of the dataset as a whole, in one dimension.

    `episodes` counts them by their worst status in this dimension; `share` is the share of passed episodes among those
    that passed or failed, with its 95 % interval; None where none did. `worst` are the costliest findings, one a
    check.
    """

    dimension: Dimension
    status: Status
    episodes: dict[Status, int]
    share: float | None
    low: float
    high: float
    dataset: dict[Status, int]
    worst: tuple[Finding, ...]
    sentence: Note


@dataclass(frozen=True, slots=True)
class CheckTally:
    """The answers to one check over all episodes; `held` counts the episodes that it prevents from passing."""

    check: str
    answers: dict[Status, int]
    held: int
    median: float | None
    minimum: float | None
    maximum: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class DatasetReport:
    """A summary of all episodes, complete enough to be shown without reading any of them again.

    `episodes` counts them by status. `ranking` holds only the first episodes to look at, `look_first` sums up all;
    `trends` are the metrics that changed suddenly, of `metrics` that were followed over batches. `outdated` counts
    episodes measured with other parameters or fewer checks than were in force. `protocol` names the version that
    judged the dataset, `fingerprint` its content, `judged_by` counts episodes by the version that judged them,
    `at_ns` is the time since which this holds.
    """

    protocol: str
    fingerprint: str
    status: Status
    episodes: dict[Status, int]
    findings: tuple[Finding, ...] = ()
    dimensions: tuple[DimensionResult, ...] = ()
    ranking: Ranking = field(default_factory=Ranking)
    look_first: Note | None = None
    trends: tuple[Series, ...] = ()
    metrics: int = 0
    contents: tuple[TaskContents, ...] = ()
    checks: tuple[CheckTally, ...] = ()
    outdated: int = 0
    at_ns: int = 0
    judged_by: dict[str, int] = field(default_factory=dict)

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """The findings about the dataset as a whole that prevent a pass: failures first, costliest first."""
        order = list(Status)
        return tuple(sorted((f for f in self.findings if f.counts), key=lambda f: (order.index(f.status), -f.cost)))
