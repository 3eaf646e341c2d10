"""The dimension of quality that a check counts for: by its topic, unless the check names one."""

from typing import Any

from fieldloop.check.registry import Check
from fieldloop.model.quality import Dimension

BY_TOPIC = {
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
    """Return the dimension that a check counts for."""
    return check.dimension or topic_dimension(check.name)


def topic_dimension(name: str) -> Dimension:
    """Return the dimension by topic alone; an unknown topic counts for coverage of the task."""
    return BY_TOPIC.get(name.partition(".")[0], Dimension.TASK_COVERAGE)
