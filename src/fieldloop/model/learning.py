"""The learning curve of one stratum."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Expected failure rate of one stratum at each number of demonstrations, with its interval.

    `now` are the demonstrations in hand, `planned` those that a plan adds to them.
    """

    stratum: Stratum
    demonstrations: tuple[float, ...]
    failure: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    now: float
    planned: float
