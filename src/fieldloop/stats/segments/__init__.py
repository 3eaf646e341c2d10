"""How two segmentations of the same time agree: shared time, boundaries, segments, order, and Mathet's gamma."""

from fieldloop.stats.segments.boundaries import (
    Boundaries,
    MatchedBoundaries,
    count_hits_within,
    list_boundaries,
    match_boundaries,
)
from fieldloop.stats.segments.edit import compute_edit_scores
from fieldloop.stats.segments.kappa import LabelTimes, compute_kappas, measure_label_times
from fieldloop.stats.segments.overlap import Overlaps, find_overlaps
from fieldloop.stats.segments.same import SegmentPairs, count_f1_hits, pair_segments
from fieldloop.stats.segments.segment_arrays import NOTHING, Segments

__all__ = [
    "NOTHING",
    "Boundaries",
    "LabelTimes",
    "MatchedBoundaries",
    "Overlaps",
    "SegmentPairs",
    "Segments",
    "compute_edit_scores",
    "compute_kappas",
    "count_f1_hits",
    "count_hits_within",
    "find_overlaps",
    "list_boundaries",
    "match_boundaries",
    "measure_label_times",
    "pair_segments",
]
