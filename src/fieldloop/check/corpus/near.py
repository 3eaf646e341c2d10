"""Check of episodes that are nearly the same: stored twice, cut, re-encoded, or replayed."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.naming import MOST_NAMED, note_listed_names
from fieldloop.check.registry import check
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.model.note import NO_SUBJECT, note

Floats = NDArray[np.float64]
NAME = "corpus.near_duplicates"
SHOWN = 3  # episodes of one group in a sentence
MOST_SAMPLED = 64  # episodes from which the axes are found; they only speed up the search
PAIRS = 2000
"""Number of pairs that gives the median distance of two episodes to a few percent."""

AXES = 6
"""Number of axes of the search tree. Near points are near along any axis, so the widest few find every candidate."""


@check(
    NAME,
    unit="episodes",
    needs=("episodes", "imprints"),
)
def count_near_duplicates(batch: Batch) -> Iterator[Measurement]:
    """How many episodes follow nearly the same path as another of their task?

    Paths are compared by distance travelled, so that a copy that was cut or replayed slower is still found. Two paths
    are nearly the same if their joints differ, on average, by less than a set share of the usual difference between two
    episodes of that task.
    """
    compared = sum(len(members) for members in _group_comparable_paths(batch))
    if not compared:
        return
    groups = group_near_duplicates(batch)
    extra = sum(len(group) - 1 for group in groups)
    names = [" = ".join(e.name for e in group[:SHOWN]) + (" …" if len(group) > SHOWN else "") for group in groups]
    lost = len(batch.episodes) - compared
    unseen = note("check.no_path_to_compare", lost=lost, episodes=len(batch.episodes)) if lost > compared else None
    yield Measurement(NO_SUBJECT, float(extra), note_listed_names(names, MOST_NAMED), cannot_tell=unseen)


def group_near_duplicates(batch: Batch) -> tuple[tuple[Episode, ...], ...]:
    """Group episodes that are nearly the same, directly or through others, largest first; exact copies are left out."""
    return batch.compute_once(NAME, lambda: _find_near_duplicate_groups(batch))


def _find_near_duplicate_groups(batch: Batch) -> tuple[tuple[Episode, ...], ...]:
    share = batch.read_parameter(NAME, "same_within")
    groups = []
    for members in _group_comparable_paths(batch):
        rows = np.stack([way for _, way in members])
        groups += [
            tuple(members[i][0] for i in group)
            for group in _group_rows_within(rows, share * _estimate_median_distance(rows))
        ]
    return tuple(sorted(groups, key=lambda g: (-len(g), g[0].name)))


def _group_comparable_paths(batch: Batch) -> list[list[tuple[Episode, Floats]]]:
    """Yield the episodes of one task with paths of one shape, where there are enough to know the usual distance."""
    kinds: dict[tuple[object, ...], list[tuple[Episode, Floats]]] = defaultdict(list)
    for episode in {e.id: e for e in batch.episodes}.values():
        ways = sorted(batch.find_imprint(episode.id).list_arrays_under("way"), key=lambda named: named[0])
        if ways and all(np.all(np.isfinite(way)) for _, way in ways):
            kind = (episode.task, *((name, way.shape) for name, way in ways))
            kinds[kind].append((episode, np.concatenate([way.reshape(-1) for _, way in ways]).astype(np.float64)))
    return [members for members in kinds.values() if len(members) >= batch.read_parameter(NAME, "min_episodes")]


def _estimate_median_distance(rows: Floats) -> float:
    """Return the median distance of two episodes, over pairs drawn at random.

    With a fixed pairing, a dataset appended to itself could pair every episode with its copy.
    """
    drawn = np.random.default_rng(0)
    one = drawn.integers(len(rows), size=PAIRS)
    other = (one + drawn.integers(1, len(rows), size=PAIRS)) % len(rows)
    return float(np.median(np.linalg.norm(rows[one] - rows[other], axis=1)))


def _group_rows_within(rows: Floats, max_distance: float) -> Iterator[Sequence[int]]:
    """Yield groups of two or more rows within this distance of each other, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    thin = _project_on_main_axes(rows)
    tree = cKDTree(thin)
    first: list[NDArray[np.int64]] = []
    second: list[NDArray[np.int64]] = []
    for index, near in enumerate(tree.query_ball_point(thin, max(max_distance, math.ulp(1.0)))):
        others = np.asarray([i for i in near if i > index], dtype=np.int64)
        if len(others):
            close = others[np.linalg.norm(rows[others] - rows[index], axis=1) <= max_distance]
            first.append(np.full(len(close), index))
            second.append(close)
    if not first:
        return
    one, other = np.concatenate(first), np.concatenate(second)
    joined = coo_array((np.ones(len(one), dtype=bool), (one, other)), shape=(len(rows), len(rows)))
    label = connected_components(joined, directed=False)[1]
    order = np.argsort(label, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        if len(group) > 1:
            yield group.tolist()


def _project_on_main_axes(rows: Floats) -> Floats:
    """Project onto the axes of greatest variation, found from a sample; distances can only shrink."""
    centred = rows - rows.mean(axis=0)
    some = centred[:: -(-len(centred) // MOST_SAMPLED)]
    axes = np.linalg.svd(some, full_matrices=False)[2]
    return np.asarray(centred @ axes[:AXES].T)
