"""What a column of numbers shows in any unit: that it moves, or that single readings drop out and return."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.signals.signal import Floats

MEDIAN_OF = 3
"""The least window in which a median drops a single bad reading."""


@dataclass(frozen=True, slots=True)
class DropSettings:
    """What counts as a reading that drops out; each number is a parameter of `integrity.dropouts`."""

    fewest: float
    times_usual: float
    agree_share: float
    spread_share: float
    longest_held: int


@dataclass(frozen=True, slots=True)
class Drops:
    """Rows in which a column drops to one value."""

    value: float
    rows: NDArray[np.intp]


def find_moving_columns(values: Floats, most_uneven: float, fewest_ticks: float) -> NDArray[np.bool_]:
    """Return which columns follow a path, rather than rest with noise or single bad readings.

    Steps of noise have about the size of its spread; those of a path are far smaller: von Neumann's ratio, halved, is
    below `most_uneven`. A path crosses at least `fewest_ticks` of the column's smallest steps.

    >>> at = np.linspace(0, 1, 200)[:, None]
    >>> noise = np.random.default_rng(0).normal(size=(200, 1))
    >>> find_moving_columns(np.hstack([at * 90, noise, at * 0, np.where(noise > 2, 90.0, 7.0)]), 0.1, 20).tolist()
    [True, False, False, False]
    """
    finite = [column[np.isfinite(column)] for column in values.T]
    return np.asarray([_does_follow_path(column, most_uneven, fewest_ticks) for column in finite], dtype=bool)


def _does_follow_path(column: Floats, most_uneven: float, fewest_ticks: float) -> bool:
    if len(column) < max(fewest_ticks, MEDIAN_OF):
        return False
    smooth = np.median(
        np.lib.stride_tricks.sliding_window_view(column, MEDIAN_OF), axis=1
    )  # without single bad readings
    steps = np.abs(np.diff(smooth))
    if not steps.any() or np.ptp(smooth) < fewest_ticks * steps[steps > 0].min():
        return False
    return bool((steps**2).mean() / 2 < most_uneven * smooth.var())


def find_drops(column: Floats, settings: DropSettings) -> Drops | None:
    """Return the rows in which a column jumps to one same value and returns; None where too few do.

    The readings before and after agree, the jump is many of the column's usual steps, and it starts from different
    places: an angle that wraps, a switch or a gripper that opens jumps from the same place each time.

    >>> path = np.round(40 + 30 * np.sin(np.arange(200) / 20))
    >>> path[[20, 21, 70, 130, 131, 180]] = 90
    >>> found = find_drops(path, DropSettings(3, 5, 0.2, 0.15, 2))
    >>> found.value, found.rows.tolist()
    (90.0, [20, 21, 70, 130, 131, 180])
    """
    candidates = _find_excursions(column, settings)
    values, counts = np.unique(column[candidates[:, 0]], return_counts=True) if len(candidates) else ((), ())
    repeated = [value for value, count in zip(values, counts, strict=True) if count >= settings.fewest]
    if not repeated:
        return None
    of_value = [candidates[column[candidates[:, 0]] == value] for value in repeated]
    rest = np.delete(column, np.concatenate([_list_rows(one) for one in of_value]))
    usual = _measure_usual_step(rest)
    found = [_keep_far_drops(column, one, usual, settings) for one in of_value]
    best = max(found, key=len)
    if len(best) < settings.fewest or not usual:
        return None
    return Drops(float(column[best[0, 0]]), _list_rows(best))


def _find_excursions(column: Floats, settings: DropSettings) -> NDArray[np.intp]:
    """Return first row and length of each stretch of one value whose neighbours agree and lie away from it."""
    found = []
    for held in range(1, settings.longest_held + 1):
        if len(column) < held + 2:
            continue
        before, after = column[: -held - 1], column[held + 1 :]
        first, last = column[1 : len(column) - held], column[held : len(column) - 1]
        away, back = first - before, last - after
        near = np.minimum(np.abs(away), np.abs(back))
        apart = (away * back > 0) & (first == last) & (np.abs(after - before) <= settings.agree_share * near)
        rows = np.flatnonzero(apart) + 1
        found.append(np.stack([rows, np.full_like(rows, held)], axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), np.intp)


def _list_rows(excursions: NDArray[np.intp]) -> NDArray[np.intp]:
    rows = [np.arange(first, first + held) for first, held in excursions]
    return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.intp)


def _measure_usual_step(column: Floats) -> float:
    """Return the 95th percentile of the steps, at least the smallest that is not zero; 0 where nothing changes."""
    steps = np.abs(np.diff(column[np.isfinite(column)]))
    return max(float(np.quantile(steps, 0.95)), float(steps[steps > 0].min())) if steps.any() else 0.0


def _keep_far_drops(
    column: Floats, excursions: NDArray[np.intp], usual_step: float, settings: DropSettings
) -> NDArray[np.intp]:
    """Return the excursions that are far beyond the usual step; none where all start from one place."""
    before = column[excursions[:, 0] - 1]
    jump = np.abs(column[excursions[:, 0]] - before)
    far = jump >= settings.times_usual * usual_step
    if not far.any() or np.ptp(before[far]) < settings.spread_share * float(np.median(jump[far])):
        return excursions[:0]
    kept: NDArray[np.intp] = excursions[far]
    return kept
