"""The answer: a lag with the interval it lies in, or why there is none."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LagEstimate:
    """A frame stamped t shows the joints as logged at t + lag, at the picture's centre row.

    `low_s` to `high_s` holds the truth in 95 of 100 cases. `refused` says why no answer is given; the numbers then only
    tell how bad it is. `lead` is by how much the best lag beats the next candidate, in units of log-likelihood made
    honest for rows that err together.
    """

    lag_s: float
    low_s: float
    high_s: float
    readout_s: float = 0.0
    readout_sd_s: float = 0.0
    drag_s: float = 0.0
    lead: float = 0.0
    explained: float = 0.0
    pace: float = 0.0
    episodes: int = 0
    refused: str = ""

    @property
    def answered(self) -> bool:
        """Is there an answer?"""
        return not self.refused


def no_estimate(reason: str) -> LagEstimate:
    """Refuse without a number."""
    nan = float("nan")
    return LagEstimate(nan, nan, nan, refused=reason)
