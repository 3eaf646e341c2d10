"""Cohen's kappa of two segmentations, weighted by time: the limit of ever shorter frames, without frames."""

from dataclasses import dataclass

import numpy as np

from fieldloop.stats.segments.overlap import NONE, Overlaps
from fieldloop.stats.segments.segment_arrays import NOTHING, Floats, Ints, Segments

ALMOST_CERTAIN = 1 - 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class LabelTimes:
    """For how long each episode has each pair of labels: episodes × pairs; 0 means unlabelled."""

    first: Ints
    second: Ints
    times: Floats


def measure_label_times(first: Segments, second: Segments, overlaps: Overlaps, episodes: int) -> LabelTimes:
    """Add up the time of each pair of labels in each episode; time that neither labelled does not count."""
    ours, theirs = (
        np.where(place == NONE, NOTHING, segments.label[place] if len(segments) else NOTHING)
        for place, segments in ((overlaps.first, first), (overlaps.second, second))
    )
    width = int(max(ours.max(initial=0), theirs.max(initial=0))) + 1
    pairs, code = np.unique(ours * width + theirs, return_inverse=True)
    cells = np.bincount(overlaps.episode * len(pairs) + code, weights=overlaps.length, minlength=episodes * len(pairs))
    return LabelTimes(pairs // width, pairs % width, cells.reshape(episodes, len(pairs)).astype(float))


def compute_kappas(times: LabelTimes, weights: Floats) -> Floats:
    """Return kappa of all episodes together, once for each row of weights (draws × episodes).

    NaN without any time, or where both used a single label throughout, so that they could not disagree.

    >>> table = LabelTimes(np.array([1, 1, 2, 2]), np.array([1, 2, 1, 2]), np.array([[20.0, 5, 10, 15]]))
    >>> compute_kappas(table, np.ones((1, 1))).round(4).tolist()
    [0.4]
    """
    summed = weights @ times.times
    total = summed.sum(axis=1)
    labels = np.arange(max(times.first.max(initial=0), times.second.max(initial=0)) + 1)
    ours = summed @ (times.first[:, None] == labels).astype(float)
    theirs = summed @ (times.second[:, None] == labels).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = summed[:, times.first == times.second].sum(axis=1) / total
        chance = (ours * theirs).sum(axis=1) / total**2
        return np.where(chance < ALMOST_CERTAIN, (seen - chance) / (1 - chance), np.nan)
