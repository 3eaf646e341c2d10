"""One pass through a depth camera's frames at bounded cost, shared by all checks of distances."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.frames import choose_frames_to_examine
from fieldloop.model.stream import MM_PER_M, Stream, StreamKind

PIXELS_A_SIDE = 128  # 16,000 pixels are enough for a quantile, at bounded cost
NORMAL_SHARE = 0.6827
"""Share of a normal distribution within one standard deviation."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DepthScan:
    """Statistics of the examined frames: one number per frame.

    `holes`: share of pixels without a distance; `middle_m`: median distance; `near_m`: that of the nearest tenth;
    `noise_mm`: one standard deviation between this frame and the one before, each pixel scaled to the distance that the
    protocol names; `same`: is the frame identical to the one before? Noise is NaN where the frame before was not
    examined, or no pixel has a distance in both.
    """

    indices: NDArray[np.int64]
    decoded: NDArray[np.bool_]
    holes: Numbers
    middle_m: Numbers
    near_m: Numbers
    noise_mm: Numbers
    same: NDArray[np.bool_]


def find_depth_cameras(case: Case) -> Iterator[Stream]:
    """Yield the depth cameras that have frames."""
    return (s for s in case.find_streams(StreamKind.DEPTH) if s.pictures is not None and len(s.pictures))


def scan_depth_frames(case: Case, stream: Stream) -> DepthScan:
    """Examine a depth camera's frames, once for all checks."""
    return case.compute_once(("depth", stream.name), lambda: _compute_depth_scan(case, stream))


def _compute_depth_scan(case: Case, stream: Stream) -> DepthScan:
    assert stream.pictures is not None
    at_m, nearest = case.read_parameter("depth.noise", "at_m"), case.read_parameter("depth.range", "nearest_share")
    indices = choose_frames_to_examine(case, stream)
    follows = np.diff(indices, prepend=-2) == 1
    decoded, same = np.zeros((2, len(indices)), bool)
    holes, middle, near, noise = np.full((4, len(indices)), np.nan)
    before: NDArray[np.float32] | None = None
    for number, frame in enumerate(stream.pictures.frames(indices.tolist())):
        if not frame.size:
            before = None
            continue
        step = max(1, min(frame.shape[:2]) // PIXELS_A_SIDE)
        now = frame[::step, ::step].astype(np.float32)
        known = np.isfinite(now) & (now > 0)
        decoded[number], holes[number] = True, 1.0 - float(known.mean())
        if known.any():
            near[number], middle[number] = _compute_quantiles(now[known], nearest, 0.5)
        if follows[number] and before is not None and before.shape == now.shape:
            same[number] = bool(np.array_equal(now, before, equal_nan=True))
            noise[number] = _estimate_depth_noise_mm(before, now, at_m)
        before = now
    return DepthScan(indices, decoded, holes, middle, near, noise, same)


def _estimate_depth_noise_mm(
    before: NDArray[np.float32], after: NDArray[np.float32], reference_distance_m: float
) -> float:
    """Return the noise of one frame, from two frames: few pixels move, so two in three show noise alone.

    The noise of a triangulating camera grows with the square of the distance.
    """
    both = np.isfinite(before) & np.isfinite(after) & (before > 0) & (after > 0)
    if not both.any():
        return float("nan")
    apart = np.abs(after[both] - before[both]) * (reference_distance_m / before[both]) ** 2
    (within,) = _compute_quantiles(apart, NORMAL_SHARE)
    return within / math.sqrt(2.0) * MM_PER_M


def _compute_quantiles(values: NDArray[np.float32], *shares: float) -> list[float]:
    """Return these quantiles without interpolation, which would cost most of the time."""
    places = [round(share * (len(values) - 1)) for share in shares]
    return [float(x) for x in np.partition(values, places)[places]]
