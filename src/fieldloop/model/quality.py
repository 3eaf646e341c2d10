"""The five dimensions into which every finding rolls up."""

from enum import StrEnum


class Dimension(StrEnum):
    """What a dataset is good or bad at."""

    SENSOR_FIDELITY = "sensor fidelity"
    TASK_COVERAGE = "task coverage"
    ANNOTATION_PRECISION = "annotation precision"
    METADATA_COMPLETENESS = "metadata completeness"
    REPRODUCIBILITY = "reproducibility"
