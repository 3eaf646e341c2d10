"""Checks of whether operators and sessions do the task alike, by features of motion that do not depend on length."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import by_task, label, style_features
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.quality import Dimension
from fieldloop.stats.groups import Apart, group_effect_size, normal_scores

Floats = NDArray[np.float64]
GROUPINGS = ("operator", "session")


@check(
    "batch.reproducibility",
    unit="spreads",
    needs=("episodes", "imprints"),
    dimension=Dimension.REPRODUCIBILITY,
)
def reproducibility(batch: Batch) -> Iterator[Measurement]:
    """How far apart are operators, and sessions, in each feature of motion, relative to the spread within one?

    The value is the root mean square distance of their averages from the overall average, divided by the spread within
    one operator or session, by ranks. Sessions are compared within each operator. The check fails if any feature
    differs, so the bound is corrected for the number of features. It passes if all features agree, which needs no
    correction. In between, the status is 'cannot tell'.
    """
    for task, episodes in by_task(batch).items():
        for over in GROUPINGS:
            for name, made in _compare_groups(batch, episodes, over):
                about = Subject(aspect=f"{task}: {over}, {name}" if task else f"{over}, {name}")
                yield _spread_measurement(about, made)


def _spread_measurement(about: Subject, made: Apart) -> Measurement:
    group, far = made.farthest
    place = note("check.farthest_above" if far > 0 else "check.farthest_below", group=str(group), far=abs(far))
    return Measurement(about, made.value, place, low=made.low, high=made.high)


def _compare_groups(batch: Batch, episodes: Sequence[Episode], over: str) -> Iterator[tuple[str, Apart]]:
    kept = _large_groups(episodes, over, batch.parameter("batch.reproducibility", "min_episodes"))
    if over == "session":
        kept = _with_several_sessions(kept)
    columns = style_features(batch, kept)
    labels = np.asarray([label(e, over) for e in kept], dtype=object)
    people = np.asarray([e.operator for e in kept], dtype=object)
    looked_at = max(len(columns) * len(GROUPINGS) * len(by_task(batch)), 1)
    confidence = batch.parameter("batch.reproducibility", "confidence")
    corrected = 1.0 - (1.0 - confidence) / looked_at
    for name, column in columns.items():
        there = np.isfinite(column)
        if there.any() and np.ptp(column[there]) > 0.0:
            scores = normal_scores(column[there])
            removed = 0
            if over == "session":
                scores = _subtract_group_means(scores, people[there])
                removed = len(set(people[there].tolist())) - 1
            if (made := group_effect_size(scores, labels[there].tolist(), corrected, confidence, removed)) is not None:
                yield name, made


def _with_several_sessions(episodes: Sequence[Episode]) -> list[Episode]:
    """Leave out operators with one session: operator and session cannot be separated."""
    sessions: dict[str, set[str]] = defaultdict(set)
    for episode in episodes:
        sessions[episode.operator].add(episode.session)
    return [e for e in episodes if len(sessions[e.operator]) > 1]


def _subtract_group_means(scores: Floats, groups: NDArray[np.object_]) -> Floats:
    """Subtract each operator's average: sessions are compared within an operator."""
    code = np.unique(groups.astype(str), return_inverse=True)[1]
    return np.asarray(scores - (np.bincount(code, weights=scores) / np.bincount(code))[code])


def _large_groups(episodes: Sequence[Episode], over: str, fewest: float) -> list[Episode]:
    counts = Counter(label(e, over) for e in episodes)
    return [e for e in episodes if label(e, over) and counts[label(e, over)] >= fewest]


@check(
    "batch.style",
    unit="share of the variety of motion",
    needs=("episodes", "imprints"),
    dimension=Dimension.REPRODUCIBILITY,
)
def convergence(batch: Batch) -> Iterator[Measurement]:
    """Which share of the variety of motion is due to the operator?

    The value covers all features of style together, each by its ranks. The share expected by chance is subtracted, and
    the interval comes from resampling episodes. The first and the second half in time show whether operators converge.
    """
    for task, episodes in by_task(batch).items():
        kept = _large_groups(episodes, "operator", batch.parameter("batch.style", "min_episodes"))
        if len({e.operator for e in kept}) < 2:  # noqa: PLR2004 - one person alone cannot differ
            continue
        scores = _scores(batch, kept)
        if scores.shape[1] == 0:
            continue
        who = np.unique([e.operator for e in kept], return_inverse=True)[1]
        value = _explained_share(scores, who)
        low, high = _bootstrap_interval(scores, who)
        yield Measurement(Subject(aspect=task), value, _describe_halves(scores, who, kept), low=low, high=high)


def _scores(batch: Batch, episodes: Sequence[Episode]) -> Floats:
    """Return features as normal scores; a missing value counts as the median."""
    columns = []
    for column in style_features(batch, episodes).values():
        there = np.isfinite(column)
        if there.sum() > len(column) / 2 and np.ptp(column[there]) > 0.0:
            scored = np.zeros(len(column))
            scored[there] = normal_scores(column[there])
            columns.append(scored)
    return np.column_stack(columns) if columns else np.empty((len(episodes), 0))


def _explained_share(scores: Floats, who: NDArray[np.intp]) -> float:
    """Return omega squared over all columns together: the share between groups, less that expected by chance."""
    counts = np.bincount(who).astype(float)
    groups, total = len(counts), len(who)
    held = scores - scores.mean(axis=0)
    sums = np.zeros((groups, scores.shape[1]))
    np.add.at(sums, who, held)
    between = float(np.sum(sums**2 / np.maximum(counts, 1.0)[:, None]))
    whole = float(np.sum(held**2))
    if total <= groups or whole <= 0.0:
        return 0.0
    noise = (whole - between) / (total - groups)
    return max((between - (groups - 1) * noise) / (whole + noise), 0.0)


def _bootstrap_interval(scores: Floats, who: NDArray[np.intp], times: int = 200) -> tuple[float, float]:
    """Resample episodes within each operator; the interval is centred to remove the resampling bias."""
    random = np.random.default_rng(0)
    order = np.argsort(who, kind="stable")
    counts = np.bincount(who)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    drawn = np.empty(times)
    for turn in range(times):
        rows = np.concatenate([order[s + random.integers(0, n, n)] for s, n in zip(starts, counts, strict=True)])
        drawn[turn] = _explained_share(scores[rows], np.repeat(np.arange(len(counts)), counts))
    value = _explained_share(scores, who)
    half = 1.645 * float(np.std(drawn))  # 90 % between the two, 95 % to each side
    return max(value - half, 0.0), min(value + half, 1.0)


def _describe_halves(scores: Floats, who: NDArray[np.intp], episodes: Sequence[Episode]) -> Note:
    starts = np.asarray([e.start_ns for e in episodes])
    if len(np.unique(starts)) < len(starts) / 2:
        return note("check.style_episodes", episodes=len(episodes))
    early = starts <= np.median(starts)
    shares = [_explained_share(scores[part], np.unique(who[part], return_inverse=True)[1]) for part in (early, ~early)]
    if any(math.isnan(s) for s in shares):
        return note("check.style_episodes", episodes=len(episodes))
    return note("check.style_episodes", episodes=len(episodes), first_half=shares[0], second_half=shares[1])
