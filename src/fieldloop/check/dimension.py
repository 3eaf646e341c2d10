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


def find_check_dimension(check: Check[Any]) -> Dimension:
    """Return the dimension that a check counts for."""
    return check.dimension or find_topic_dimension(check.name)


def find_topic_dimension(check_name: str) -> Dimension:
    """Return the dimension by topic alone; an unknown topic counts for coverage of the task."""
    return BY_TOPIC.get(check_name.partition(".")[0], Dimension.TASK_COVERAGE)
