"""Which episodes are nearly the same: recorded once and stored twice, cut, re-encoded, or played back by a machine?"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import listed
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement

Floats = NDArray[np.float64]
NAME = "corpus.near_duplicates"
SHOWN = 3
MOST_SAMPLED = 64
PAIRS = 2000
"""So many fix the median distance of two episodes to a few percent of itself, however many episodes there are."""

AXES = 6
"""Near points are near along any axis, so a tree over the widest few finds every candidate."""


@check(
    NAME,
    unit="episodes",
    needs=("episodes", "imprints"),
    advice="Keep one of each group, or keep all on one side of the split.",
)
def near_duplicates(batch: Batch) -> Iterator[Measurement]:
    """How many episodes go nearly the same way as another of their task?

    The ways are compared by distance travelled, so that a copy that was cut or played slower is one still. Two are
    nearly the same when their joints differ, on average, by less than a share of what two episodes of that task
    usually differ by.
    """
    compared = sum(len(members) for members in _comparable(batch))
    if not compared:
        return
    groups = near_groups(batch)
    extra = sum(len(group) - 1 for group in groups)
    named = [" = ".join(e.name for e in group[:SHOWN]) + (" …" if len(group) > SHOWN else "") for group in groups]
    lost = len(batch.episodes) - compared
    unseen = f"{lost} of {len(batch.episodes)} episodes have no joint path to compare with others of their task."
    place = f"({listed(named)})" if named else ""
    yield Measurement("", float(extra), place, cannot_tell=unseen if lost > compared else "")


def near_groups(batch: Batch) -> tuple[tuple[Episode, ...], ...]:
    """Group episodes that are nearly the same, directly or by way of others, largest first; exact copies apart."""
    return batch.keep(NAME, lambda: _near_groups(batch))


def _near_groups(batch: Batch) -> tuple[tuple[Episode, ...], ...]:
    share = batch.parameter(NAME, "same_within")
    groups = []
    for members in _comparable(batch):
        rows = np.stack([way for _, way in members])
        groups += [tuple(members[i][0] for i in group) for group in _joined(rows, share * _usual(rows))]
    return tuple(sorted(groups, key=lambda g: (-len(g), g[0].name)))


def _comparable(batch: Batch) -> list[list[tuple[Episode, Floats]]]:
    """Episodes of one task with ways of one shape, where there are enough to know what is usual."""
    kinds: dict[tuple[object, ...], list[tuple[Episode, Floats]]] = defaultdict(list)
    for episode in {e.id: e for e in batch.episodes}.values():
        ways = sorted(batch.imprint(episode.id).under("way"), key=lambda named: named[0])
        if ways and all(np.all(np.isfinite(way)) for _, way in ways):
            kind = (episode.task, *((name, way.shape) for name, way in ways))
            kinds[kind].append((episode, np.concatenate([way.reshape(-1) for _, way in ways]).astype(np.float64)))
    return [members for members in kinds.values() if len(members) >= batch.parameter(NAME, "min_episodes")]


def _usual(rows: Floats) -> float:
    """The median distance of two episodes, over pairs drawn at random.

    Any fixed pairing can meet a dataset that was appended to itself at just that distance, and take copies for usual.
    """
    drawn = np.random.default_rng(0)
    one = drawn.integers(len(rows), size=PAIRS)
    other = (one + drawn.integers(1, len(rows), size=PAIRS)) % len(rows)
    return float(np.median(np.linalg.norm(rows[one] - rows[other], axis=1)))


def _joined(rows: Floats, within: float) -> Iterator[Sequence[int]]:
    """Join what lies within a distance, directly or by way of others; yield groups of two and more."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    thin = _widest(rows)
    tree = cKDTree(thin)
    first: list[NDArray[np.int64]] = []
    second: list[NDArray[np.int64]] = []
    for index, near in enumerate(tree.query_ball_point(thin, max(within, math.ulp(1.0)))):
        others = np.asarray([i for i in near if i > index], dtype=np.int64)
        if len(others):
            close = others[np.linalg.norm(rows[others] - rows[index], axis=1) <= within]
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


def _widest(rows: Floats) -> Floats:
    """Project onto axes along which episodes differ much, found from some of them; distances only shrink by it."""
    centred = rows - rows.mean(axis=0)
    some = centred[:: -(-len(centred) // MOST_SAMPLED)]
    axes = np.linalg.svd(some, full_matrices=False)[2]
    return np.asarray(centred @ axes[:AXES].T)
