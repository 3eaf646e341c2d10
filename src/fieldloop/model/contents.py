"""What a dataset holds of one task: how often it succeeded, how long it took, how it failed."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskContents:
    """One task: episodes, successes of those that say, lengths, and counts of everything that is labelled."""

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
