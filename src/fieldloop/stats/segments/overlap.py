"""Cut time where either of two annotators changes the label: what follows is exact, without frames."""

from dataclasses import dataclass

import numpy as np

from fieldloop.stats.segments.segment_arrays import Ints, Segments

NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Pieces of time in which neither annotator changes the label: the segment of each (−1: none), and the length.

    Time that neither labelled is left out.
    """

    episode: Ints
    first: Ints
    second: Ints
    length: Ints


def find_overlaps(first: Segments, second: Segments, episodes: int) -> Overlaps:
    """Cut the time of all episodes into pieces.

    >>> one = Segments.of([0, 0], [1, 2], [0, 6], [6, 10])
    >>> two = Segments.of([0, 0], [1, 2], [0, 5], [5, 10])
    >>> found = find_overlaps(one, two, 1)
    >>> list(zip(found.first.tolist(), found.second.tolist(), found.length.tolist()))
    [(0, 0, 5), (0, 1, 1), (1, 1, 4)]
    """
    shift = _lay_episodes_end_to_end(first, second, episodes)
    starts, ends = zip(*((s.start + shift[s.episode], s.end + shift[s.episode]) for s in (first, second)), strict=True)
    cuts = np.unique(np.concatenate([*starts, *ends]))
    at, length = cuts[:-1], np.diff(cuts)
    ours, theirs = (_find_segment_at(at, start, end) for start, end in zip(starts, ends, strict=True))
    kept = (ours != NONE) | (theirs != NONE)
    ours, theirs, length = ours[kept], theirs[kept], length[kept]
    episode = np.full(len(ours), 0, np.int64)
    for place, segments in ((theirs, second), (ours, first)):
        known = place != NONE
        episode[known] = segments.episode[place[known]]
    return Overlaps(episode, ours, theirs, length)


def _lay_episodes_end_to_end(first: Segments, second: Segments, episodes: int) -> Ints:
    """Return by how much each episode moves so that all lie on one axis, none on another."""
    lowest, highest = np.full(episodes, np.iinfo(np.int64).max), np.full(episodes, np.iinfo(np.int64).min)
    for segments in (first, second):
        np.minimum.at(lowest, segments.episode, segments.start)
        np.maximum.at(highest, segments.episode, segments.end)
    empty = highest < lowest
    lowest[empty] = highest[empty] = 0
    lasts = highest - lowest + 1
    return np.asarray(np.concatenate([[0], np.cumsum(lasts)[:-1]])[:episodes] - lowest, np.int64)


def _find_segment_at(at: Ints, start: Ints, end: Ints) -> Ints:
    if not len(start):
        return np.full(len(at), NONE, np.int64)
    place = np.searchsorted(start, at, side="right") - 1
    inside = (place >= 0) & (at < end[np.maximum(place, 0)])
    return np.asarray(np.where(inside, place, NONE), np.int64)
