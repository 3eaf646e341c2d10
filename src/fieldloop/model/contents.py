"""The episodes of one task in a dataset: success, duration and kinds of failure."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskContents:
    """One task: episodes, successes of those with a known outcome, lengths, and counts of all labels."""

    task: str
    episodes: int
    succeeded: int
    judged: int
    success_low: float
    success_high: float
    length_s: tuple[float, float, float]
    failures: Mapping[str, int]
    grasps: Mapping[str, int]
    operators: Mapping[str, int]
    objects: Mapping[str, int]
    conditions: Mapping[str, Mapping[str, int]]
