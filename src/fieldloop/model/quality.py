"""The five dimensions into which every finding rolls up, and how a dataset stands in each."""

from dataclasses import dataclass
from enum import StrEnum

from fieldloop.model.finding import Finding, Status


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
