"""Injuries: for each check, a healthy case damaged so that it fails, with the other checks that fail and why."""

from fieldloop.testing.injuries import (
    adherence,
    alignment,
    batch,
    calibration,
    corpus,
    depth,
    force,
    integrity,
    metadata,
    motion,
    throughput,
    timing,
    vision,
)
from fieldloop.testing.injuries.injury import BatchInjury, Injury

INJURIES: dict[str, Injury] = {
    **integrity.INJURIES,
    **timing.INJURIES,
    **motion.INJURIES,
    **vision.INJURIES,
    **depth.INJURIES,
    **force.INJURIES,
    **adherence.INJURIES,
    **throughput.INJURIES,
    **metadata.INJURIES,
    **calibration.INJURIES,
    **alignment.INJURIES,
}
BATCH_INJURIES: dict[str, BatchInjury] = {
    **batch.BATCH_INJURIES,
    **corpus.BATCH_INJURIES,
    **alignment.BATCH_INJURIES,
}
