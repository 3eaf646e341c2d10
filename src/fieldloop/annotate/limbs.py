"""An arm and its fingers on one even grid, free of units: the arm's speed and how far the fingers are open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.annotate.columns import Column, Sorted, sort_columns
from fieldloop.annotate.motion import MIN_SAMPLES, Floats
from fieldloop.model.episode import Recording
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S

JAWS = (0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """One arm with its fingers on an even grid from `start_ns`.

    `speed` is 1 where the arm is fast, which is `fast` in its own units. `opening` runs from 0 to 1 in an unknown
    direction unless `high_is_open` states it; `shut` is where it would be with the fingers shut, where that is known.
    `gap` is how far the fingers are from where they were commanded, as a share of their range, None without commands.
    `fingers` are the single columns by name, as shares of the widest range.
    """

    side: str
    start_ns: int
    hz: float
    speed: Floats
    fast: float
    opening: Floats | None = None
    high_is_open: bool | None = None
    shut: float | None = None
    gap: Floats | None = None
    effort: Floats | None = None
    fingers: Mapping[str, Floats] | None = None

    def time_ns(self, index: float) -> int:
        """Return the time of a (fractional) grid index."""
        return self.start_ns + round(index / self.hz * NS_PER_S)


def find_limbs(recording: Recording, numbers: Mapping[str, float]) -> tuple[tuple[Limb, ...], tuple[Note, ...]]:
    """Return the limbs of a recording, and what is missing for one."""
    found = sort_columns(recording, numbers)
    if not found.arms:
        return (), (note("propose.no_arm"),)
    start = max(int(c.times_ns[0]) for c in found.arms)
    end = min(int(c.times_ns[-1]) for c in found.arms)
    period = float(np.median(np.diff(found.arms[0].times_ns)))
    hz = min(numbers["grid_hz"], NS_PER_S / period)
    count = int((end - start) / NS_PER_S * hz + 1e-6) + 1
    if count < MIN_SAMPLES:
        return (), (note("propose.too_short", samples=max(count, 0)),)
    if count > numbers["most_gap_times"] * max(len(c.times_ns) for c in found.arms):
        return (), (note("propose.mostly_gaps"),)
    at = start + np.round(np.arange(count) / hz * NS_PER_S).astype(np.int64)
    sides = sorted({c.side for c in (*found.arms, *found.fingers) if c.side}) or [""]
    built = [limb for side in sides if (limb := _build_limb(recording, found, side, at, hz, numbers)) is not None]
    fastest = max((limb.fast for limb in built), default=0.0)
    limbs = tuple(limb for limb in built if limb.fast >= numbers["idle_share"] * fastest)
    return limbs, () if limbs else (note("propose.arm_still"),)


def _build_limb(
    recording: Recording,
    found: Sorted,
    side: str,
    at: NDArray[np.int64],
    hz: float,
    numbers: Mapping[str, float],
) -> Limb | None:
    mine = [c for c in found.arms if c.side in (side, "")]
    place = np.column_stack([_resample(c, at) for c in mine]) if mine else np.zeros((len(at), 1))
    window = choose_window(numbers["arm_smooth_s"], hz)
    speed = np.linalg.norm(compute_slope(place, window, hz), axis=1)
    fast = float(np.quantile(speed, numbers["fast_quantile"]))
    rough = np.linalg.norm(place - reduce_noise(place, window), axis=1)
    extent = float(np.linalg.norm(np.ptp(reduce_noise(place, window), axis=0)))
    if fast <= 0 or extent <= numbers["extent_over_noise"] * float(np.median(rough)):
        return None
    limb = Limb(side, int(at[0]), hz, speed / fast, fast)
    return _add_fingers(recording, limb, found, at, numbers)


def _add_fingers(
    recording: Recording, limb: Limb, found: Sorted, at: NDArray[np.int64], numbers: Mapping[str, float]
) -> Limb:
    mine = [c for c in found.fingers if c.side in (limb.side, "")]
    raw = [_resample(c, at) for c in mine]
    widest = max((float(np.ptp(one)) for one in raw), default=0.0)
    kept = [(c, one) for c, one in zip(mine, raw, strict=True) if np.ptp(one) > numbers["finger_share"] * widest > 0]
    efforts = [_resample(c, at) for c in found.efforts if c.side in (limb.side, "")]
    pressed = np.abs(np.column_stack(efforts)).max(axis=1) if efforts else None
    if not kept:
        return Limb(limb.side, limb.start_ns, limb.hz, limb.speed, limb.fast, effort=pressed)
    leads = max(range(len(kept)), key=lambda k: float(np.std(kept[k][1])))
    lead = kept[leads][1] - kept[leads][1].mean()
    signs = [1.0 if float(np.dot(one - one.mean(), lead)) >= 0 else -1.0 for _, one in kept]
    together = np.mean([_scale(sign * one) for (_, one), sign in zip(kept, signs, strict=True)], axis=0)
    fingers = {c.name or f"{c.stream} {c.index}": one / widest for c, one in zip(mine, raw, strict=True)}
    opening = _scale(together)
    high_is_open = _find_direction(recording, [c for c, _ in kept], signs, numbers)
    zeros = [-float((sign * one).min()) / float(np.ptp(one)) for (_, one), sign in zip(kept, signs, strict=True)]
    shut = (float(np.mean(zeros)) - float(together.min())) / max(float(np.ptp(together)), 1e-12)
    gap = _measure_gap(kept, signs, found.commands, at, numbers)
    return Limb(
        limb.side, limb.start_ns, limb.hz, limb.speed, limb.fast, opening, high_is_open,
        None if high_is_open is None else shut, gap, pressed, fingers,
    )  # fmt: skip


def _find_direction(
    recording: Recording, fingers: Sequence[Column], signs: Sequence[float], numbers: Mapping[str, float]
) -> bool | None:
    """Return whether a high value is open, where that is known.

    A gripper's opening is a length, where the unit states one. Two jaws that mirror each other are shut at zero.
    """
    if len(fingers) == len(JAWS) and signs[0] != signs[1] and fingers[0].stream == fingers[1].stream:
        means = [float(c.values.mean()) for c in fingers]
        correlation = float(np.corrcoef(fingers[0].values, fingers[1].values)[0, 1])
        if means[0] * means[1] < 0 and correlation < numbers["mirrored_below"]:
            return means[0] * signs[0] > 0
    for column, sign in zip(fingers, signs, strict=True):
        stream = recording.streams[column.stream]
        if stream.unit_stated and stream.unit in ("m", "mm", "cm"):
            return sign > 0
    return None


def _measure_gap(
    kept: Sequence[tuple[Column, Floats]],
    signs: Sequence[float],
    commands: Sequence[Column],
    at: NDArray[np.int64],
    numbers: Mapping[str, float],
) -> Floats | None:
    """Return how far fingers are from their commands, as a share of their range; positive as `opening` is."""
    gaps = []
    for (column, one), sign in zip(kept, signs, strict=True):
        asked = next((c for c in commands if (c.name == column.name != "") or c.index == column.index), None)
        if asked is not None and np.ptp(one) > 0 and _has_same_unit(one, asked.values, numbers["same_unit_times"]):
            gaps.append(sign * (one - _resample(asked, at)) / float(np.ptp(one)))
    return np.mean(gaps, axis=0) if gaps else None


def _has_same_unit(measured: Floats, asked: Floats, most: float) -> bool:
    """Report whether a command may be compared with what was measured: their ranges overlap for the most part."""
    low, high = float(measured.min()), float(measured.max())
    return bool(asked.max() > low and asked.min() < high and np.ptp(asked) < most * (high - low))


def _scale(values: Floats) -> Floats:
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def _resample(column: Column, at: NDArray[np.int64]) -> Floats:
    origin = int(at[0])
    return np.interp((at - origin) / NS_PER_S, (column.times_ns - origin) / NS_PER_S, column.values)


def choose_window(seconds: float, hz: float) -> int:
    """Return an odd number of samples for a time, at least 3.

    >>> choose_window(0.2, 30), choose_window(0.2, 100), choose_window(0.2, 1)
    (7, 21, 3)
    """
    return max(3, int(seconds * hz) | 1)


def compute_slope(values: Floats, window: int, hz: float) -> Floats:
    """Return slopes by least squares over a window."""
    from scipy.signal import savgol_filter

    window = min(window, len(values) - 1 + len(values) % 2)
    return np.asarray(savgol_filter(values, window, polyorder=min(2, window - 1), deriv=1, delta=1 / hz, axis=0))


def reduce_noise(values: Floats, window: int) -> Floats:
    """Return values without their noise: a line fitted over a window."""
    from scipy.signal import savgol_filter

    window = min(window, len(values) - 1 + len(values) % 2)
    return np.asarray(savgol_filter(values, window, polyorder=1, axis=0))
