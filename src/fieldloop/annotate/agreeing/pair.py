"""Two authors: sums for each episode, of which every number of the vector is a ratio, for any weights of episodes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldloop.annotate.agreeing.kind_columns import KindColumns
from fieldloop.stats.segments import (
    Boundaries,
    LabelTimes,
    compute_edit_scores,
    compute_kappas,
    count_f1_hits,
    count_hits_within,
    find_overlaps,
    list_boundaries,
    match_boundaries,
    measure_label_times,
    pair_segments,
)
from fieldloop.stats.segments.same import find_one_to_one
from fieldloop.stats.segments.segment_arrays import Floats, Ints

F1_AT = (0.1, 0.5, 0.9)
DIFFERENT = -1


@dataclass(frozen=True, slots=True, eq=False)
class MatchedTable:
    """Every boundary that both drew: its episode, its labels (−1 where the authors' differ), second minus first."""

    episode: Ints
    before: Ints
    after: Ints
    apart: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SegmentTable:
    """Every segment that both drew, whatever its label: its episode and both labels."""

    episode: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True, eq=False)
class Pair:
    """What two authors share: columns are sums for each episode of the kind, zero where only one labelled it."""

    authors: tuple[int, int]
    shared: NDArray[np.bool_]
    segments: Ints
    times: LabelTimes | None
    apart: Floats
    leaning: Floats
    matched: Floats
    only_first: Floats
    only_second: Floats
    near: Floats
    hits: tuple[Floats, ...]
    edit: Floats
    boundaries: MatchedTable
    twins: SegmentTable

    @cached_property
    def episodes(self) -> int:
        """How many episodes both labelled."""
        return int(self.shared.sum())

    def compute_numbers(self, weights: Floats) -> dict[str, Floats]:
        """Return each number of the vector, once for each row of weights; NaN where it is undefined."""
        none = np.full(len(weights), np.nan)
        found = {"kappa": none if self.times is None else compute_kappas(self.times, weights)}
        matched, only = weights @ self.matched, weights @ (self.only_first + self.only_second)
        found["boundary_mae_frames"] = divide(weights @ self.apart, matched)
        found["boundary_bias_frames"] = divide(weights @ self.leaning, matched)
        found["boundary_f1"] = divide(2 * matched, 2 * matched + only)
        found["boundary_hits"] = divide(2 * (weights @ self.near), 2 * matched + only)
        for at, hits in zip(F1_AT, self.hits, strict=True):
            found[f"f1_{at * 100:.0f}"] = divide(2 * (weights @ hits), weights @ self.segments.astype(float))
        defined = np.isfinite(self.edit)
        found["edit"] = divide(weights @ np.where(defined, self.edit, 0.0), weights @ defined.astype(float))
        return found


def divide(above: Floats, below: Floats) -> Floats:
    """Divide; NaN by zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))


def measure_pair(columns: KindColumns, first: int, second: int, frame_ns: float, near_ns: int) -> Pair:
    """Compare two authors on the episodes that both labelled, in one pass over all of them."""
    shared = columns.seen[first] & columns.seen[second]
    ours, theirs = (columns.segments[author].select(shared[columns.owner]) for author in (first, second))
    lines, owner, many = columns.timelines, columns.owner, len(columns.episodes)

    def add_up(by_line: object) -> Floats:
        return np.bincount(owner, weights=np.asarray(by_line, float), minlength=many).astype(float)

    overlaps = find_overlaps(ours, theirs, lines)
    both = pair_segments(ours, theirs, overlaps)
    times = None
    if not columns.overlaps:
        times = measure_label_times(ours, theirs, overlaps, lines)
    touching = int(frame_ns / 2)
    edges = _drop_borders(list_boundaries(ours, touching), list_boundaries(theirs, touching), lines)
    match = match_boundaries(*edges, near_ns, lines)
    one, two = edges[0].select_places(match.first), edges[1].select_places(match.second)
    apart = (two.time - one.time) / frame_ns
    counts = [np.bincount(b.episode, minlength=lines) for b in edges]
    matched = np.bincount(one.episode, minlength=lines)
    twins = find_one_to_one(ours, theirs, both)
    return Pair(
        (first, second), shared, np.bincount(owner[np.concatenate([ours.episode, theirs.episode])], minlength=many),
        times,
        add_up(np.bincount(one.episode, weights=np.abs(apart), minlength=lines)),
        add_up(np.bincount(one.episode, weights=apart, minlength=lines)),
        add_up(matched), add_up(counts[0] - matched), add_up(counts[1] - matched),
        add_up(count_hits_within(*edges, near_ns, lines)),
        tuple(add_up(count_f1_hits(ours, theirs, both, at, lines)) for at in F1_AT),
        _average_by_episode(compute_edit_scores(ours, theirs, lines), owner, many),
        _make_matched_table(owner, one, two, apart),
        SegmentTable(owner[ours.episode[twins[0]]], ours.label[twins[0]], theirs.label[twins[1]]),
    )  # fmt: skip


def _make_matched_table(owner: Ints, first: Boundaries, second: Boundaries, apart: Floats) -> MatchedTable:
    before, after = (
        np.where(one == two, one, DIFFERENT)
        for one, two in ((first.before, second.before), (first.after, second.after))
    )
    return MatchedTable(owner[first.episode], before, after, apart)


def _drop_borders(first: Boundaries, second: Boundaries, lines: int) -> tuple[Boundaries, Boundaries]:
    """Leave out the outermost boundaries that both drew at the same instant: they are the borders of the episode."""
    kept = [np.ones(len(b), bool) for b in (first, second)]
    for outermost in (_find_first_places, _find_last_places):
        places = [outermost(b, lines) for b in (first, second)]
        there = (places[0] >= 0) & (places[1] >= 0)
        ours, theirs = (place[there] for place in places)
        same = first.time[ours] == second.time[theirs]
        kept[0][ours[same]] = kept[1][theirs[same]] = False
    return first.select(kept[0]), second.select(kept[1])


def _find_first_places(boundaries: Boundaries, lines: int) -> Ints:
    return _note_places(boundaries, np.arange(len(boundaries))[::-1], lines)


def _find_last_places(boundaries: Boundaries, lines: int) -> Ints:
    return _note_places(boundaries, np.arange(len(boundaries)), lines)


def _note_places(boundaries: Boundaries, order: Ints, lines: int) -> Ints:
    found = np.full(lines, -1, np.int64)
    found[boundaries.episode[order]] = order  # the last one written stays
    return found


def _average_by_episode(scores: Floats, owner: Ints, many: int) -> Floats:
    known = np.isfinite(scores)
    return divide(
        np.bincount(owner[known], weights=scores[known], minlength=many).astype(float),
        np.bincount(owner[known], minlength=many).astype(float),
    )
