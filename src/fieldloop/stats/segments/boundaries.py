"""Boundaries of two annotators, matched: how far apart, in which direction, and which only one of them drew."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.stats.segments.batches import cut_into_batches, lay_in_rows
from fieldloop.stats.segments.segment_arrays import NOTHING, Floats, Ints, Segments

FAR = np.int64(2**61)
BOTH, ONE, NEITHER, NEVER = 1.0, 0.4, 0.2, -1.0
"""What a match is worth by how many of its two labels are the same; one with both outweighs two with one."""
DISTANCE = 0.1
"""How much of its worth a match loses by its distance; less than the step between two kinds of match."""


@dataclass(frozen=True, slots=True, eq=False)
class Boundaries:
    """Boundaries of one annotator, sorted by episode and time: the label before, the label after, and how far both go.

    Where nothing is labelled the label is 0; such a gap goes to the next label, or on for ever.
    """

    episode: Ints
    time: Ints
    before: Ints
    after: Ints
    since: Ints
    until: Ints

    def __len__(self) -> int:
        return len(self.time)

    def select(self, keep: NDArray[np.bool_]) -> "Boundaries":
        """Keep some of them."""
        return Boundaries(*(getattr(self, name)[keep] for name in self.__slots__))

    def select_places(self, places: Ints) -> "Boundaries":
        """Return those at some places, in that order."""
        return Boundaries(*(getattr(self, name)[places] for name in self.__slots__))


@dataclass(frozen=True, slots=True, eq=False)
class MatchedBoundaries:
    """Places of boundaries that both annotators drew."""

    first: Ints
    second: Ints


def list_boundaries(segments: Segments, touching: int = 0) -> Boundaries:
    """List where the label changes; a gap of at most `touching` between two segments is one boundary, not two.

    >>> found = list_boundaries(Segments.of([0, 0], [1, 2], [0, 5], [5, 8]))
    >>> list(zip(found.before.tolist(), found.after.tolist(), found.time.tolist()))
    [(0, 1, 0), (1, 2, 5), (2, 0, 8)]
    """
    n = len(segments)
    follows = np.zeros(n, bool)
    follows[1:] = (segments.episode[1:] == segments.episode[:-1]) & (segments.start[1:] - segments.end[:-1] <= touching)
    ends = np.append(~follows[1:], True)[:n]
    same_next = np.append(segments.episode[1:] == segments.episode[:-1], False)[:n]
    same_last = np.insert(same_next[:-1], 0, False)[:n]
    last = np.maximum(np.arange(n) - 1, 0)
    following = np.minimum(np.arange(n) + 1, max(n - 1, 0))
    before = np.where(follows, segments.label[last], NOTHING)
    since = np.where(follows, segments.start[last], np.where(same_last, segments.end[last], -FAR))
    opened = (segments.episode, segments.start, before, segments.label, since, segments.end)
    until = np.where(same_next, segments.start[following], FAR)
    closed = (segments.episode, segments.end, segments.label, np.full(n, NOTHING), segments.start, until)
    columns = [np.concatenate([one, two[ends]]) for one, two in zip(opened, closed, strict=True)]
    order = np.lexsort((np.arange(len(columns[0])), columns[1], columns[0]))
    return Boundaries(*(column[order] for column in columns))


def match_boundaries(first: Boundaries, second: Boundaries, near: int, episodes: int) -> MatchedBoundaries:
    """Match boundaries in order, so that as many as possible are the same and the distances add up to least.

    Two boundaries are the same where both labels are, and segments of one of these labels share time. Where one label
    differs, the segments of the other must share time. Where both differ, the times are at most `near` apart.
    """
    counts = [np.bincount(b.episode, minlength=episodes) for b in (first, second)]
    begins = [np.cumsum(n) - n for n in counts]
    found: list[tuple[Ints, Ints]] = []
    for batch in cut_into_batches(*counts):
        places = [
            lay_in_rows(np.arange(len(b)), begin[batch], n[batch], int(n[batch].max()), -1)
            for b, begin, n in zip((first, second), begins, counts, strict=True)
        ]
        found.append(_align(places[0], places[1], _weigh_pairs(first, second, places[0], places[1], near)))
    if not found:
        return MatchedBoundaries(np.zeros(0, np.int64), np.zeros(0, np.int64))
    ours, theirs = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(ours)
    return MatchedBoundaries(ours[order], theirs[order])


def count_hits_within(first: Boundaries, second: Boundaries, window: int, episodes: int) -> Ints:
    """Count the boundaries of each episode that have a counterpart within a window, one to one, whatever their labels.

    In order of time, each takes the earliest free counterpart: no matching has more (as mir_eval's hit rate).

    >>> one, two = (list_boundaries(Segments.of([0, 0], [1, 2], [0, at], [at, 9])) for at in (4, 6))
    >>> [int(count_hits_within(one, two, window, 1)[0]) for window in (1, 2)]
    [2, 3]
    """
    counts = [np.bincount(b.episode, minlength=episodes) for b in (first, second)]
    alike = counts[0] == counts[1]
    one, two = (b.select(alike[b.episode]) for b in (first, second))
    far = np.bincount(one.episode, weights=np.abs(one.time - two.time) > window, minlength=episodes) > 0
    plain = alike & ~far  # all have a counterpart, in order
    hits = np.where(plain, counts[0], 0)
    ours, theirs = (
        list(zip(b.episode[odd].tolist(), b.time[odd].tolist(), strict=True))
        for b, odd in ((first, ~plain[first.episode]), (second, ~plain[second.episode]))
    )
    i = j = 0
    while i < len(ours) and j < len(theirs):
        (episode, at), (other, then) = ours[i], theirs[j]
        if episode == other and abs(at - then) <= window:
            hits[episode] += 1
            i, j = i + 1, j + 1
        elif (episode, at) < (other, then):
            i += 1
        else:
            j += 1
    return hits


def _weigh_pairs(first: Boundaries, second: Boundaries, rows: Ints, columns: Ints, near: int) -> Floats:
    """Return what each match would be worth: episodes × rows × columns."""
    ours = {name: getattr(first, name)[rows][:, :, None] for name in first.__slots__}
    theirs = {name: getattr(second, name)[columns][:, None, :] for name in second.__slots__}
    apart = np.abs(ours["time"] - theirs["time"])
    same = [ours[side] == theirs[side] for side in ("before", "after")]
    shared = [
        np.maximum(ours["since"], theirs["since"]) < np.minimum(ours["time"], theirs["time"]),
        np.maximum(ours["time"], theirs["time"]) < np.minimum(ours["until"], theirs["until"]),
    ]
    labelled = [ours[side] != NOTHING for side in ("before", "after")]  # a gap proves nothing, as all of them are alike
    sides = [one & two & there for one, two, there in zip(same, shared, labelled, strict=True)]
    worth = np.select(
        [same[0] & same[1] & (sides[0] | sides[1]), sides[0] | sides[1], apart <= near], [BOTH, ONE, NEITHER], NEVER
    )
    there = (rows >= 0)[:, :, None] & (columns >= 0)[:, None, :]
    farthest = np.where(there, apart, 0).max(axis=(1, 2), initial=0)[:, None, None] + 1.0
    return np.where(there & (worth > 0), worth - DISTANCE * apart / farthest, NEVER)


def _align(rows: Ints, columns: Ints, worth: Floats) -> tuple[Ints, Ints]:
    """Choose the matches in order that are worth most, for all episodes of a batch at once."""
    many, height, width = worth.shape
    best = np.zeros((many, height + 1, width + 1))
    for i in range(height):
        taken = np.maximum(best[:, i, 1:], best[:, i, :-1] + worth[:, i])
        best[:, i + 1, 1:] = np.maximum.accumulate(taken, axis=1)
    row, column, each = np.full(many, height), np.full(many, width), np.arange(many)
    ours, theirs = [], []
    while len(each):
        here = best[each, row, column]
        up, left = here == best[each, row - 1, column], here == best[each, row, column - 1]
        matched = ~up & ~left
        ours.append(rows[each[matched], row[matched] - 1])
        theirs.append(columns[each[matched], column[matched] - 1])
        row, column = row - (up | matched), column - ((left & ~up) | matched)
        going = (row > 0) & (column > 0)
        row, column, each = row[going], column[going], each[going]
    return np.concatenate(ours), np.concatenate(theirs)
