"""Checks of whether operators and sessions do the task alike, by features of motion that do not depend on length."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import collect_style_features, group_by_task, read_label
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.quality import Dimension
from fieldloop.stats.groups import Apart, compute_normal_scores, measure_group_effect

Floats = NDArray[np.float64]
GROUPINGS = ("operator", "session")


@check(
    "batch.reproducibility",
    unit="spreads",
    needs=("episodes", "imprints"),
    dimension=Dimension.REPRODUCIBILITY,
)
def measure_differences_between_groups(batch: Batch) -> Iterator[Measurement]:
    """How far apart are operators, and sessions, in each feature of motion, relative to the spread within one?

    The value is the root mean square distance of their averages from the overall average, divided by the spread within
    one operator or session, by ranks. Sessions are compared within each operator. The check fails if any feature
    differs, so the bound is corrected for the number of features. It passes if all features agree, which needs no
    correction. In between, the status is 'cannot tell'.
    """
    for task, episodes in group_by_task(batch).items():
        for over in GROUPINGS:
            for name, made in _compare_groups(batch, episodes, over):
                about = Subject(aspect=f"{task}: {over}, {name}" if task else f"{over}, {name}")
                yield _make_spread_measurement(about, made)


def _make_spread_measurement(subject: Subject, effect: Apart) -> Measurement:
    group, far = effect.farthest_group
    place = note("check.farthest_above" if far > 0 else "check.farthest_below", group=str(group), far=abs(far))
    return Measurement(subject, effect.value, place, low=effect.low, high=effect.high)


def _compare_groups(batch: Batch, episodes: Sequence[Episode], label_kind: str) -> Iterator[tuple[str, Apart]]:
    kept = _keep_large_groups(episodes, label_kind, batch.read_parameter("batch.reproducibility", "min_episodes"))
    if label_kind == "session":
        kept = _keep_operators_with_several_sessions(kept)
    columns = collect_style_features(batch, kept)
    labels = np.asarray([read_label(e, label_kind) for e in kept], dtype=object)
    people = np.asarray([e.operator for e in kept], dtype=object)
    looked_at = max(len(columns) * len(GROUPINGS) * len(group_by_task(batch)), 1)
    confidence = batch.read_parameter("batch.reproducibility", "confidence")
    corrected = 1.0 - (1.0 - confidence) / looked_at
    for name, column in columns.items():
        there = np.isfinite(column)
        if there.any() and np.ptp(column[there]) > 0.0:
            scores = compute_normal_scores(column[there])
            removed = 0
            if label_kind == "session":
                scores = _subtract_group_means(scores, people[there])
                removed = len(set(people[there].tolist())) - 1
            if (
                made := measure_group_effect(scores, labels[there].tolist(), corrected, confidence, removed)
            ) is not None:
                yield name, made


def _keep_operators_with_several_sessions(episodes: Sequence[Episode]) -> list[Episode]:
    """Leave out operators with one session: operator and session cannot be separated."""
    sessions: dict[str, set[str]] = defaultdict(set)
    for episode in episodes:
        sessions[episode.operator].add(episode.session)
    return [e for e in episodes if len(sessions[e.operator]) > 1]


def _subtract_group_means(scores: Floats, groups: NDArray[np.object_]) -> Floats:
    """Subtract each operator's average: sessions are compared within an operator."""
    code = np.unique(groups.astype(str), return_inverse=True)[1]
    return np.asarray(scores - (np.bincount(code, weights=scores) / np.bincount(code))[code])


def _keep_large_groups(episodes: Sequence[Episode], label_kind: str, min_episodes: float) -> list[Episode]:
    counts = Counter(read_label(e, label_kind) for e in episodes)
    return [e for e in episodes if read_label(e, label_kind) and counts[read_label(e, label_kind)] >= min_episodes]


@check(
    "batch.style",
    unit="share of the variety of motion",
    needs=("episodes", "imprints"),
    dimension=Dimension.REPRODUCIBILITY,
)
def measure_operator_share_of_style(batch: Batch) -> Iterator[Measurement]:
    """Which share of the variety of motion is due to the operator?

    The value covers all features of style together, each by its ranks. The share expected by chance is subtracted, and
    the interval comes from resampling episodes. The first and the second half in time show whether operators converge.
    """
    for task, episodes in group_by_task(batch).items():
        kept = _keep_large_groups(episodes, "operator", batch.read_parameter("batch.style", "min_episodes"))
        if len({e.operator for e in kept}) < 2:  # noqa: PLR2004 - one person alone cannot differ
            continue
        scores = _compute_style_scores(batch, kept)
        if scores.shape[1] == 0:
            continue
        who = np.unique([e.operator for e in kept], return_inverse=True)[1]
        value = _estimate_share_between_operators(scores, who)
        low, high = _bootstrap_share_interval(scores, who)
        yield Measurement(Subject(aspect=task), value, _describe_both_halves(scores, who, kept), low=low, high=high)


def _compute_style_scores(batch: Batch, episodes: Sequence[Episode]) -> Floats:
    """Return features as normal scores; a missing value counts as the median."""
    columns = []
    for column in collect_style_features(batch, episodes).values():
        there = np.isfinite(column)
        if there.sum() > len(column) / 2 and np.ptp(column[there]) > 0.0:
            scored = np.zeros(len(column))
            scored[there] = compute_normal_scores(column[there])
            columns.append(scored)
    return np.column_stack(columns) if columns else np.empty((len(episodes), 0))


def _estimate_share_between_operators(scores: Floats, operator_codes: NDArray[np.intp]) -> float:
    """Return omega squared over all columns together: the share between groups, less that expected by chance."""
    counts = np.bincount(operator_codes).astype(float)
    groups, total = len(counts), len(operator_codes)
    held = scores - scores.mean(axis=0)
    sums = np.zeros((groups, scores.shape[1]))
    np.add.at(sums, operator_codes, held)
    between = float(np.sum(sums**2 / np.maximum(counts, 1.0)[:, None]))
    whole = float(np.sum(held**2))
    if total <= groups or whole <= 0.0:
        return 0.0
    noise = (whole - between) / (total - groups)
    return max((between - (groups - 1) * noise) / (whole + noise), 0.0)


def _bootstrap_share_interval(
    scores: Floats, operator_codes: NDArray[np.intp], resamples: int = 200
) -> tuple[float, float]:
    """Resample episodes within each operator; the interval is centred to remove the resampling bias."""
    random = np.random.default_rng(0)
    order = np.argsort(operator_codes, kind="stable")
    counts = np.bincount(operator_codes)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    drawn = np.empty(resamples)
    for turn in range(resamples):
        rows = np.concatenate([order[s + random.integers(0, n, n)] for s, n in zip(starts, counts, strict=True)])
        drawn[turn] = _estimate_share_between_operators(scores[rows], np.repeat(np.arange(len(counts)), counts))
    value = _estimate_share_between_operators(scores, operator_codes)
    half = 1.645 * float(np.std(drawn))  # 90 % between the two, 95 % to each side
    return max(value - half, 0.0), min(value + half, 1.0)


def _describe_both_halves(scores: Floats, operator_codes: NDArray[np.intp], episodes: Sequence[Episode]) -> Note:
    starts = np.asarray([e.start_ns for e in episodes])
    if len(np.unique(starts)) < len(starts) / 2:
        return note("check.style_episodes", episodes=len(episodes))
    early = starts <= np.median(starts)
    shares = [
        _estimate_share_between_operators(scores[part], np.unique(operator_codes[part], return_inverse=True)[1])
        for part in (early, ~early)
    ]
    if any(math.isnan(s) for s in shares):
        return note("check.style_episodes", episodes=len(episodes))
    return note("check.style_episodes", episodes=len(episodes), first_half=shares[0], second_half=shares[1])
