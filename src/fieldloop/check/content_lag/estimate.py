"""The result: a lag with its interval, or the reason why there is none."""

from dataclasses import dataclass

from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class LagEstimate:
    """A lag: a frame with timestamp t shows, at its centre row, the joints as logged at t + lag.

    `low_s` to `high_s` is the 95 % interval. `refused` is why the estimate is missing; the numbers then only show how
    uncertain it is. `lead` is how far the log-likelihood of the best lag exceeds that of the next candidate, corrected
    for rows with correlated errors.
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
    refused: Note | None = None

    @property
    def has_estimate(self) -> bool:
        """Is there an estimate?"""
        return not self.refused


def refuse_lag_estimate(reason: Note) -> LagEstimate:
    """Return a refusal without numbers."""
    nan = float("nan")
    return LagEstimate(nan, nan, nan, refused=reason)
