"""Which of the five dimensions a check counts for: by its subject, unless the check itself says otherwise."""

from typing import Any

from fieldloop.check.registry import Check
from fieldloop.model.quality import Dimension

BY_SUBJECT = {
    "integrity": Dimension.SENSOR_FIDELITY,
    "timing": Dimension.SENSOR_FIDELITY,
    "alignment": Dimension.SENSOR_FIDELITY,
    "vision": Dimension.SENSOR_FIDELITY,
    "depth": Dimension.SENSOR_FIDELITY,
    "force": Dimension.SENSOR_FIDELITY,
    "calibration": Dimension.SENSOR_FIDELITY,
    "motion": Dimension.TASK_COVERAGE,
    "adherence": Dimension.TASK_COVERAGE,
    "throughput": Dimension.TASK_COVERAGE,
    "batch": Dimension.TASK_COVERAGE,
    "corpus": Dimension.TASK_COVERAGE,
    "annotation": Dimension.ANNOTATION_PRECISION,
    "metadata": Dimension.METADATA_COMPLETENESS,
}


def dimension_of(check: Check[Any]) -> Dimension:
    """Tell what a check counts for."""
    return check.dimension or subject_dimension(check.name)


def subject_dimension(name: str) -> Dimension:
    """Tell what a check counts for by its subject alone; a stranger's counts for coverage of the task."""
    return BY_SUBJECT.get(name.partition(".")[0], Dimension.TASK_COVERAGE)
