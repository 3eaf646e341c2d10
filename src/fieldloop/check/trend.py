"""Trends of every metric over batches, with control limits that reveal sudden changes.

A batch is a session, or a day where episodes name none, in order of time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.metric import compute_episode_metrics
from fieldloop.check.traits import group_by_session, measure_length_s
from fieldloop.model.episode import Episode
from fieldloop.model.trend import Series
from fieldloop.stats.control import FEWEST, MEMORY, Chart, compute_control_chart, compute_share_control_chart
from fieldloop.stats.groups import compute_normal_scores

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
NAME = "corpus.trend"


def compute_metric_series(batch: Batch) -> tuple[Series, ...]:
    """Return every metric that has enough batches; the chance of any false alert is divided among them."""
    return batch.compute_once(NAME, lambda: tuple(_compute_all_series(batch)))


def _compute_all_series(batch: Batch) -> Iterator[Series]:
    fewest, batches = (batch.read_parameter(NAME, name) for name in ("min_episodes", "min_batches"))
    sat = {name: members for name, members in group_by_session(batch.episodes).items() if len(members) >= fewest}
    if len(sat) < max(batches, FEWEST):
        return
    episodes = [e for members in sat.values() for e in members]
    columns = {
        "success": ("share of episodes", _encode_outcomes(episodes)),
        "length": ("s", _list_episode_lengths(episodes)),
    }
    for name, values in compute_episode_metrics(batch, episodes).items():
        columns[name] = (batch.protocol.limits[name].unit, values)
    usable = {name: column for name, column in columns.items() if _is_usable_metric(column[1], sat, fewest)}
    each = batch.read_parameter(NAME, "false_alarms") / max(len(usable), 1)
    for name, (unit, values) in usable.items():
        yield _make_series(name, unit, values, sat, each, batch.read_parameter(NAME, "mostly_equal"))


def _encode_outcomes(episodes: Sequence[Episode]) -> Floats:
    return np.asarray([np.nan if e.succeeded is None else float(e.succeeded) for e in episodes])


def _list_episode_lengths(episodes: Sequence[Episode]) -> Floats:
    return np.asarray([measure_length_s(e) for e in episodes])


def _is_usable_metric(values: Floats, episodes_by_batch: dict[str, list[Episode]], min_values: float) -> bool:
    """Does every batch have the metric often enough, and does it vary at all?"""
    there = np.isfinite(values)
    parts = _find_batch_slices(episodes_by_batch)
    return bool(there.any() and np.ptp(values[there]) > 0.0 and min(there[p].sum() for p in parts) >= min_values)


def _find_batch_slices(episodes_by_batch: dict[str, list[Episode]]) -> list[slice]:
    ends = np.cumsum([len(members) for members in episodes_by_batch.values()])
    return [
        slice(int(end) - len(members), int(end)) for end, members in zip(ends, episodes_by_batch.values(), strict=True)
    ]


def _make_series(
    name: str,
    unit: str,
    values: Floats,
    episodes_by_batch: dict[str, list[Episode]],
    false_alarms: float,
    min_batch_share: float,
) -> Series:
    there = np.isfinite(values)
    parts = [values[p][there[p]] for p in _find_batch_slices(episodes_by_batch)]
    distinct, counts = np.unique(values[there], return_counts=True)
    usual = float(distinct[np.argmax(counts)])
    counted = name == "success" or counts.max() > min_batch_share * counts.sum()
    if counted:
        hit = 1.0 if name == "success" else None
        hits = [int(np.sum(p == hit) if hit is not None else np.sum(p != usual)) for p in parts]
        trials = [len(p) for p in parts]
        drawn = compute_share_control_chart(hits, trials, false_alarms)
        shown, low, high = _compute_shares_with_limits(np.asarray(hits), np.asarray(trials), drawn)
    else:
        tasks = np.unique([e.task for e in _join_batches(episodes_by_batch)], return_inverse=True)[1]
        scores = _compute_scores_by_task(values, tasks)
        means, errors = _compute_batch_means([scores[p][there[p]] for p in _find_batch_slices(episodes_by_batch)])
        drawn = compute_control_chart(means, errors, false_alarms)
        shown = np.asarray([np.median(p) for p in parts])
        moved = [
            _BatchScores(scores[p][there[p]], tasks[p][there[p]], values, tasks)
            for p in _find_batch_slices(episodes_by_batch)
        ]
        low, high = (
            np.asarray([member.find_median_at_score(limit) for member, limit in zip(moved, limits, strict=True)])
            for limits in (drawn.low, drawn.high)
        )
    return Series(
        name, unit, tuple(episodes_by_batch), tuple(member[0].start_ns for member in episodes_by_batch.values()),
        tuple(len(p) for p in parts),
        _convert_to_floats(shown), _convert_to_floats(low), _convert_to_floats(high),
        tuple(int(i) for i in drawn.alerts),
        counted and name != "success", usual,
    )  # fmt: skip


def _convert_to_floats(column: Floats) -> tuple[float, ...]:
    return tuple(column.tolist())


def _join_batches(episodes_by_batch: dict[str, list[Episode]]) -> list[Episode]:
    return [e for members in episodes_by_batch.values() for e in members]


def _compute_scores_by_task(values: Floats, tasks: Ints) -> Floats:
    """Rank within each task, so that a change of task is not an alert; NaN without a value."""
    scores = np.full(len(values), np.nan)
    for task in np.unique(tasks):
        of_task = (tasks == task) & np.isfinite(values)
        scores[of_task] = compute_normal_scores(values[of_task])
    return scores


def _compute_batch_means(batch_values: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the mean of each batch, and its standard error from the spread within batches."""
    inside = np.concatenate([p - p.mean() for p in batch_values])
    spread = float(np.sqrt(np.sum(inside**2) / max(len(inside) - len(batch_values), 1)))
    errors = max(spread, 1e-9) / np.sqrt([len(p) for p in batch_values])
    return np.asarray([p.mean() for p in batch_values]), errors


@dataclass(frozen=True, slots=True, eq=False)
class _BatchScores:
    """Conversion of a score into the metric's unit: a batch's scores and tasks, and all values with theirs."""

    scores: Floats
    tasks: Ints
    values: Floats
    of: Ints

    def find_median_at_score(self, score: float) -> float:
        """Return the median that this batch would have if all its episodes' scores shifted equally.

        A score stands for the value of that rank within the episode's own task. A limit is therefore a value that
        occurs in the tasks of this batch, and lies on the same side of the batch's median as of its mean score.
        """
        from scipy.special import ndtr

        if not np.isfinite(score):
            return np.nan
        ranks = ndtr(self.scores + score - self.scores.mean())
        moved = np.empty(len(ranks))
        for task in np.unique(self.tasks):
            known = self.values[(self.of == task) & np.isfinite(self.values)]
            moved[self.tasks == task] = np.quantile(known, ranks[self.tasks == task], method="weibull")
        return float(np.median(moved))


def _compute_shares_with_limits(
    success_counts: NDArray[np.int64], attempt_counts: NDArray[np.int64], control_chart: Chart
) -> tuple[Floats, Floats, Floats]:
    """Return the shares, and limits around the share expected from the batches before."""
    low, high = np.full(len(success_counts), np.nan), np.full(len(success_counts), np.nan)
    for at in range(MEMORY, len(success_counts)):
        before, tried = int(success_counts[at - MEMORY : at].sum()), int(attempt_counts[at - MEMORY : at].sum())
        rate = (before + 0.5) / (tried + 1.0)
        half = float(control_chart.high[at]) * np.sqrt(rate * (1.0 - rate) * (1.0 / attempt_counts[at] + 1.0 / tried))
        low[at], high[at] = max(before / tried - half, 0.0), min(before / tried + half, 1.0)
    return success_counts / attempt_counts, low, high
