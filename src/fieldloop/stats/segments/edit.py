"""The edit score: do both annotators have the same labels in the same order?"""

import numpy as np

from fieldloop.stats.segments.batches import cut_into_batches, lay_in_rows
from fieldloop.stats.segments.segment_arrays import Floats, Ints, Segments

OURS_EMPTY, THEIRS_EMPTY = -1, -2


def compute_edit_scores(first: Segments, second: Segments, episodes: int) -> Floats:
    """Return, for each episode, 1 − Levenshtein distance of the labels over the longer count; NaN without any.

    >>> one = Segments.of([0] * 3, [1, 2, 3], [0, 1, 2], [1, 2, 3])
    >>> two = Segments.of([0] * 2, [1, 3], [0, 1], [1, 3])
    >>> compute_edit_scores(one, two, 1).round(4).tolist()
    [0.6667]
    """
    ours, theirs = first.count_by_episode(episodes), second.count_by_episode(episodes)
    longer = np.maximum(ours, theirs)
    distance = longer.astype(float)  # where one has none, all of the other's are missing
    for batch in cut_into_batches(ours, theirs):
        distance[batch] = _measure_distances(
            *(
                (lay_in_rows(s.label, _find_begins(n)[batch], n[batch], int(n[batch].max()), empty), n[batch])
                for s, n, empty in ((first, ours, OURS_EMPTY), (second, theirs, THEIRS_EMPTY))
            )
        )
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - distance / longer


def _find_begins(counts: Ints) -> Ints:
    return np.cumsum(counts) - counts


def _measure_distances(first: tuple[Ints, Ints], second: tuple[Ints, Ints]) -> Floats:
    """Fill Levenshtein's table for all episodes of a batch at once, row by row."""
    (ours, rows), (theirs, columns) = first, second
    step = np.arange(theirs.shape[1] + 1)
    line = np.tile(step, (len(ours), 1))
    distance = np.where(rows == 0, columns, 0)
    for i in range(ours.shape[1]):
        inner = np.minimum(line[:, 1:] + 1, line[:, :-1] + (ours[:, i : i + 1] != theirs))
        row = np.concatenate([np.full((len(ours), 1), i + 1), inner], axis=1)
        line = np.minimum.accumulate(row - step, axis=1) + step
        done = rows == i + 1
        distance[done] = line[done, columns[done]]
    return distance.astype(float)
