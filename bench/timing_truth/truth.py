"""The truth about a recording's timing, camera by camera.

*Lag* of a frame: the stamp of the joints at the same physical moment, less the stamp of the frame. The frame's moment
is the middle of the exposure of its centre row; a joint sample's moment is when its angles were true, so that constant
latency of the joint sensor is part of the lag (the two cannot be separated). A frame stamped t therefore shows the
joints as the log has them at t + lag.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.timing_truth import shutter
from fieldloop.geometry.transforms import Floats
from fieldloop.model.episode import Recording


@dataclass(frozen=True, slots=True)
class Step:
    """Frames lost without a trace: so many after this many seconds, later stamps closed up as if none were missing."""

    at_s: float
    frames: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class CameraTruth:
    """What is true of one camera: the lag of every frame (s), and what it is made of."""

    lags_s: Floats
    """One per frame, everything included: drift, step, jitter of stamps, wandering exposure."""
    lag_ms: float
    """The planted constant part: the mean of all frames but for drift, step and jitter."""
    drift_ppm: float
    """How much faster the joints' clock runs; the drift is zero at the middle of the recording."""
    step_ms: float
    """By how much the lag jumps, 0 where nothing was lost."""
    step_at_frame: int | None
    """The first frame behind the gap."""
    exposures_s: Floats
    readout_s: float
    height: int

    @property
    def row_lags_s(self) -> Floats:
        """How much later than the centre row each row is exposed, to be added to a frame's lag."""
        return shutter.row_times_s(self.height, self.readout_s)

    @property
    def mean_ms(self) -> float:
        """The mean lag over all frames, everything included."""
        return float(np.mean(self.lags_s)) * 1e3


@dataclass(frozen=True, slots=True, eq=False)
class TimedEpisode:
    """A recording and the truth about each of its cameras, by the name of its stream."""

    recording: Recording
    truth: Mapping[str, CameraTruth]
