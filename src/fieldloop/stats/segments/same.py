"""Which segments of two annotators are the same: F1 at an overlap, and pairs whatever their labels."""

from dataclasses import dataclass

import numpy as np

from fieldloop.stats.segments.overlap import NONE, Overlaps
from fieldloop.stats.segments.segment_arrays import Floats, Ints, Segments

HALF = 0.5
"""With more than this intersection over union, a segment has at most one partner."""


ROUNDING = 1e-6
"""Frames are stored as whole nanoseconds; that must not decide whether an overlap reaches a threshold."""
TOUCHING = 0.1
"""With less, two segments only touch, as neighbours do where a boundary was drawn a few frames off."""


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPairs:
    """Pairs of segments that share time, and their intersection over union."""

    first: Ints
    second: Ints
    iou: Floats


def pair_segments(first: Segments, second: Segments, overlaps: Overlaps) -> SegmentPairs:
    """Pair every segment of one annotator with each of the other that shares time with it."""
    both = (overlaps.first != NONE) & (overlaps.second != NONE)
    ours, theirs = overlaps.first[both], overlaps.second[both]
    shared = overlaps.length[both].astype(float)  # segments are contiguous, so a pair has one piece
    return SegmentPairs(ours, theirs, shared / (first.length[ours] + second.length[theirs] - shared))


def count_f1_hits(first: Segments, second: Segments, pairs: SegmentPairs, least_iou: float, episodes: int) -> Ints:
    """Count the true positives of each episode as temporal action segmentation does (Lea et al. 2017).

    A segment of the second annotator hits where the segment of the first with its label and the largest intersection
    over union reaches the threshold; a segment of the first counts as hit once.
    """
    same = np.flatnonzero(first.label[pairs.first] == second.label[pairs.second])
    order = same[np.lexsort((-pairs.iou[same], pairs.second[same]))]
    best = order[np.unique(pairs.second[order], return_index=True)[1]]
    hit = np.unique(pairs.first[best[pairs.iou[best] >= least_iou - ROUNDING]])
    return np.bincount(first.episode[hit], minlength=episodes)


def find_one_to_one(first: Segments, second: Segments, pairs: SegmentPairs) -> tuple[Ints, Ints]:
    """Return the pairs that share more than half of their union, whatever their labels; each segment is in one.

    Where labels differ, neither may have its own label elsewhere in the other: then a boundary differs, not the label.
    """
    same = first.label[pairs.first] == second.label[pairs.second]
    elsewhere = same & (pairs.iou >= TOUCHING)
    ours, theirs = (np.isin(place, place[elsewhere]) for place in (pairs.first, pairs.second))
    kept = (pairs.iou > HALF) & (same | ~(ours | theirs))
    return pairs.first[kept], pairs.second[kept]
