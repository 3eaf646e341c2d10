"""The evidence of one episode about the lag between one camera and the joints, small enough to keep.

It consists of a few arrays: flow between pictures with the timestamps of both, and the smoothed joint path. Episodes
are pooled from it later without opening a log.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content_lag.flow import compute_optical_flow
from fieldloop.check.content_lag.path import KEPT_HZ, choose_motion_streams, resample_joint_path
from fieldloop.check.content_lag.repeating import find_highest_autocorrelation
from fieldloop.check.content_lag.settings import Settings
from fieldloop.model.stream import NS_PER_S, Stream

LagEvidence = Mapping[str, NDArray[Any]]


def collect_lag_evidence(
    camera: Stream, joint_streams: Sequence[Stream], settings: Settings
) -> dict[str, NDArray[Any]]:
    """Return the evidence of one camera and the joints; empty without joints or usable pictures."""
    path = resample_joint_path(choose_motion_streams(joint_streams), settings.joints_hz)
    if path is None or camera.pictures is None or len(camera) < 2:  # noqa: PLR2004 - flow needs two pictures
        return {}
    begin, joints = path
    chosen = _choose_spaced_pictures(camera.times_ns, settings.finest_period_s)
    flow = compute_optical_flow(camera.pictures.frames(None if len(chosen) == len(camera) else chosen.tolist()))
    stamps = camera.times_ns[chosen][: len(flow) + 1]
    return {
        "flow": flow.astype(np.float16),
        "stamps_ns": stamps,
        "joints": joints,
        "joints_begin_ns": np.array(begin, np.int64),
    }


def _choose_spaced_pictures(timestamps: NDArray[np.int64], min_period_s: float) -> NDArray[np.int64]:
    """Choose every picture, or every n-th of a fast camera: flow is more precise over a longer time."""
    usual = float(np.median(np.diff(timestamps))) / NS_PER_S if len(timestamps) > 1 else min_period_s
    stride = max(1, round(min_period_s / usual)) if usual > 0 else 1
    return np.arange(0, len(timestamps), stride)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """Evidence prepared for fitting: rates of flow with the moments between which they were seen, and the joint path.

    Moments are seconds from the episode's first picture, whose timestamp is `origin_s`.
    """

    origin_s: float
    begins: NDArray[np.float64]
    ends: NDArray[np.float64]
    flow: NDArray[np.float64]
    path: Any
    mixing: Any

    def __len__(self) -> int:
        return len(self.flow)

    @property
    def get_interval_middles_s(self) -> NDArray[np.float64]:
        """The midpoint of each pair of pictures."""
        return (self.begins + self.ends) / 2

    @property
    def pace(self) -> float:
        """How fast the joints' speed changes relative to its own size (1/s)."""
        speeds = self.smooth_in_time(self.path(self.get_interval_middles_s, 1))
        change = self.smooth_in_time(self.path(self.get_interval_middles_s, 2))
        return float(np.sqrt((change**2).sum() / max((speeds**2).sum(), 1e-12)))

    @property
    def periodicity(self) -> float:
        """How far the joints' motion repeats itself; 1 for a periodic motion."""
        return find_highest_autocorrelation(self.path(np.arange(self.begins[0], self.ends[-1], 1 / KEPT_HZ), 1))

    def slice_rows(self, rows: slice) -> "Sight":
        """Return some successive rows as an episode of their own."""
        mixing = self.mixing[rows][:, rows]
        sums = np.asarray(mixing.sum(axis=1)).ravel()
        mixing = mixing.multiply(1 / sums[:, None]).tocsr()
        return Sight(self.origin_s, self.begins[rows], self.ends[rows], self.flow[rows], self.path, mixing)

    def smooth_in_time(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Smooth rows in time; flow and joint motion alike, so that both have the same bandwidth."""
        return np.asarray(self.mixing @ rows)


def prepare_sight(lag_evidence: LagEvidence, settings: Settings) -> Sight | None:
    """Prepare evidence for fitting; None where too few pictures have joints around them."""
    if not lag_evidence:
        return None
    from scipy.interpolate import CubicSpline

    joints, begin = lag_evidence["joints"].astype(np.float64), int(lag_evidence["joints_begin_ns"])
    stamps, flow = lag_evidence["stamps_ns"], lag_evidence["flow"].astype(np.float64)
    at = (stamps - stamps[0]) / NS_PER_S
    grid = (begin - int(stamps[0])) / NS_PER_S + np.arange(len(joints)) / KEPT_HZ
    spans = np.diff(at)
    usual = float(np.median(spans[spans > 0])) if (spans > 0).any() else 0.0
    good = np.isfinite(flow).all(axis=1) & (spans > usual / 4) & (spans < settings.longest_spans * usual)
    good &= (at[:-1] - settings.search_s >= grid[0]) & (at[1:] + settings.search_s <= grid[-1])
    if int(good.sum()) < settings.fewest_rows:
        return None
    rates = flow[good] / spans[good, None]
    begins, ends = at[:-1][good], at[1:][good]
    mixing = _make_smoothing_matrix((begins + ends) / 2, ends - begins, settings.rows_hz)
    return Sight(int(stamps[0]) / NS_PER_S, begins, ends, np.asarray(mixing @ rates), CubicSpline(grid, joints), mixing)


def _make_smoothing_matrix(
    pair_times: NDArray[np.float64], pair_durations: NDArray[np.float64], cutoff_hz: float
) -> Any:
    """Weight each row with its neighbours in time by a Gaussian that halves the power at the cut-off."""
    from scipy.sparse import csr_array

    width = np.sqrt(np.log(2)) / (2 * np.pi * cutoff_hz)
    reach = 4 * width
    first = np.searchsorted(pair_times, pair_times - reach)
    last = np.searchsorted(pair_times, pair_times + reach, side="right")
    rows = np.repeat(np.arange(len(pair_times)), last - first)
    columns = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
    weights = np.exp(-0.5 * ((pair_times[rows] - pair_times[columns]) / width) ** 2) * pair_durations[columns]
    sums = np.bincount(rows, weights, minlength=len(pair_times))
    return csr_array((weights / sums[rows], (rows, columns)), shape=(len(pair_times), len(pair_times)))
