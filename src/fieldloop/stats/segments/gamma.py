"""Gamma (Mathet, Widlöcher and Métivier 2015): agreement of two or more annotators on where and what at once.

Segments of all annotators are grouped into unitary alignments, one segment or none of each. The disorder of the best
grouping is compared with what chance gives: gamma = 1 − observed disorder ÷ expected disorder.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fieldloop.stats.segments.segment_arrays import Floats, Ints

EMPTY_COST = 1.0
"""Dissimilarity of a segment and none, Δ∅."""
SLACK = 1e-9
MOST_CANDIDATES = 400_000
"""Unitary alignments that are looked at for one episode; more than these cannot be solved."""
LEAST_APART = 0.5
"""How far apart the shifts of two sampled annotators are, in mean segment lengths."""


class TooManySegments(ValueError):
    """The best alignment of so many segments cannot be found in a sensible time."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Segments of one annotator in one episode; they may overlap."""

    label: Ints
    start: Floats
    end: Floats

    def __len__(self) -> int:
        return len(self.label)

    def shift(self, by: float, low: float, high: float) -> "Units":
        """Move all by as much, around in a circle: what would begin after the end begins at the beginning."""
        back = np.where(self.start + by > high, low - high, 0.0)
        return Units(self.label, self.start + by + back, self.end + by + back)


def compute_disorder(annotators: Sequence[Units], alpha: float = 1.0, beta: float = 1.0) -> float:
    """Return the disorder of the best alignment; NaN where none of them has a segment.

    `alpha` weighs position, `beta` labels. Two annotators are an assignment problem, more are an integer program;
    both are solved exactly.

    >>> def make(*spans): return Units(*(np.array(column, float) for column in zip(*spans, strict=True)))
    >>> compute_disorder([make((1, 0, 7)), make((1, 0, 7))])
    0.0
    >>> round(compute_disorder([make((1, 0, 7)), make((2, 0, 7))]), 3)
    1.0
    """
    total = sum(map(len, annotators))
    if not total:
        return float("nan")
    costs = {(a, b): _measure_dissimilarity(annotators[a], annotators[b], alpha, beta)
             for a, b in combinations(range(len(annotators)), 2)}  # fmt: skip
    solved = _assign_two(costs[0, 1]) if len(annotators) == 2 else _solve_program(annotators, costs)  # noqa: PLR2004
    return solved / (total / len(annotators))


def estimate_expected_disorder(
    annotators: Sequence[Units], rng: np.random.Generator, samples: int, alpha: float = 1.0, beta: float = 1.0
) -> float:
    """Return the mean disorder of annotators that chance made: each is a real one, shifted around in a circle.

    NaN where no sample has a segment, or where there is nothing to shift in.
    """
    there = [units for units in annotators if len(units)]
    if not there:
        return float("nan")
    low, high = min(float(u.start.min()) for u in there), max(float(u.end.max()) for u in there)
    apart = LEAST_APART * float(np.mean(np.concatenate([u.end - u.start for u in there])))
    found = []
    for _ in range(samples):
        shifts = _draw_shifts(len(annotators), low, high, apart, rng)
        drawn = [annotators[int(rng.integers(len(annotators)))].shift(by, low, high) for by in shifts]
        found.append(compute_disorder(drawn, alpha, beta))
    known = [disorder for disorder in found if np.isfinite(disorder)]
    return float(np.mean(known)) if known else float("nan")


def _draw_shifts(many: int, low: float, high: float, apart: float, rng: np.random.Generator) -> list[float]:
    """Draw a shift for each; they keep apart as long as there is room."""
    free, drawn = [(low, high)], []
    for _ in range(many):
        lengths = np.array([max(end - begin, 0.0) for begin, end in free])
        if lengths.sum() <= 0:
            drawn.append(float(rng.uniform(low, high)))
            continue
        begin, end = free[int(rng.choice(len(free), p=lengths / lengths.sum()))]
        pivot = float(rng.uniform(begin, end))
        drawn.append(pivot)
        cut = [((b, min(e, pivot - apart)), (max(b, pivot + apart), e)) for b, e in free]
        free = [part for parts in cut for part in parts if part[1] > part[0]]
    return drawn


def _measure_dissimilarity(first: Units, second: Units, alpha: float, beta: float) -> Floats:
    """Return the combined dissimilarity of every pair: positions, sporadic, and labels, equal or not."""
    moved = np.abs(first.start[:, None] - second.start) + np.abs(first.end[:, None] - second.end)
    lasts = (first.end - first.start)[:, None] + (second.end - second.start)
    place = (moved / np.maximum(lasts, np.finfo(float).tiny)) ** 2
    return np.asarray(alpha * place + beta * (first.label[:, None] != second.label)) * EMPTY_COST


def _assign_two(cost: Floats) -> float:
    """Return the least sum of dissimilarities where each segment has one partner or none."""
    from scipy.optimize import linear_sum_assignment

    # both alone cost two empty partners, so a pair is worth its gain over them
    gain = np.minimum(cost - 2 * EMPTY_COST, 0.0)
    rows, columns = linear_sum_assignment(gain)
    return float(gain[rows, columns].sum()) + EMPTY_COST * sum(cost.shape)


def _solve_program(annotators: Sequence[Units], costs: dict[tuple[int, int], Floats]) -> float:
    """Choose unitary alignments so that each segment is in one of them, at the least sum of disorders."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array

    chosen, disorder = _list_candidates([len(u) for u in annotators], costs)
    begins = np.concatenate([[0], np.cumsum([len(u) for u in annotators])])
    held = [np.flatnonzero(chosen[:, k] >= 0) for k in range(len(annotators))]
    rows = np.concatenate([begins[k] + chosen[one, k] for k, one in enumerate(held)])
    covers = csc_array((np.ones(len(rows)), (rows, np.concatenate(held))), shape=(begins[-1], len(chosen)))
    solved = milp(
        disorder, constraints=LinearConstraint(covers, 1, 1), integrality=np.ones(len(chosen)), bounds=Bounds(0, 1)
    )
    if solved.x is None:
        raise TooManySegments(str(solved.message))
    return float(solved.fun)


def _list_candidates(counts: Sequence[int], costs: dict[tuple[int, int], Floats]) -> tuple[Ints, Floats]:
    """List the unitary alignments that cost no more than leaving each of their segments alone, with their disorder.

    Annotator by annotator, with a bound: a group that costs more whatever comes is dropped at once.
    """
    many = len(counts)
    couples = many * (many - 1) // 2
    groups, spent = np.zeros((1, 0), np.int64), np.zeros(1)  # spent: dissimilarities so far, empty partners left out
    for k, count in enumerate(counts):
        if len(groups) * (count + 1) > MOST_CANDIDATES * many:
            raise TooManySegments(f"over {MOST_CANDIDATES} groups")
        options = np.arange(-1, count)
        added = np.zeros((len(groups), count + 1))
        for j in range(k):
            table = np.zeros((counts[j] + 1, count + 1))  # the first row and column: no segment
            table[1:, 1:] = costs[j, k]
            added += table[groups[:, j] + 1]
        new = (spent[:, None] + added).ravel()
        grown = np.column_stack([np.repeat(groups, count + 1, axis=0), np.tile(options, len(groups))])
        # a pair of segments saves its two empty partners at most; alone, each segment costs all couples
        fits = _exceeds_nothing(grown, new, many, couples)
        groups, spent = grown[fits], new[fits]
        if len(groups) > MOST_CANDIDATES:
            raise TooManySegments(f"over {MOST_CANDIDATES} groups")
    held = (groups >= 0).sum(axis=1)
    disorder = (spent + EMPTY_COST * (couples - held * (held - 1) // 2)) / couples
    kept = (held > 0) & (disorder <= held * EMPTY_COST + SLACK)
    return groups[kept], disorder[kept]


def _exceeds_nothing(groups: Ints, spent: Floats, many: int, couples: int) -> np.ndarray:
    """Return which groups may still cost no more than their segments alone, whatever is added to them."""
    held = (groups >= 0).sum(axis=1)
    most = held + (many - groups.shape[1])  # as if every annotator to come added a segment at no cost
    empty = couples - most * (most - 1) // 2
    return np.asarray(spent + EMPTY_COST * empty <= most * couples * EMPTY_COST + SLACK)
