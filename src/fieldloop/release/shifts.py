"""Which conditions shifted between two selections: permutation tests over sessions, corrected for their number.

Episodes of one session resemble each other, and two releases usually share episodes. So the test asks how far apart
both selections would be if the same sessions had been in or out by chance: sessions that are wholly in or out on either
side swap places, and where one session is divided, its own episodes do. What both share never counts as evidence.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Episode
from fieldloop.model.release_diff import LevelShare, Shift
from fieldloop.model.stream import NS_PER_S
from fieldloop.release.split import identify_session
from fieldloop.stats.multiple import adjust_by_holm

Floats = NDArray[np.float64]
DURATION = "duration"
LABELS: Mapping[str, Callable[[Episode], str]] = {
    "task": lambda e: e.task,
    "object": lambda e: e.handled,
    "operator": lambda e: e.operator,
    "robot": lambda e: e.robot,
    "site": lambda e: e.site,
    "outcome": lambda e: {True: "succeeded", False: "failed", None: ""}[e.succeeded],
    "failure": lambda e: e.failure,
    "simulated": lambda e: {True: "simulated", False: "real", None: ""}[e.simulated],
}
"""Factors of every episode; each condition comes in addition."""

AT_ONCE = 4_000_000
"""Cells of one block of permutations: 32 MB as numbers."""
ROUNDING = 1e-9


def find_shifts(before: Sequence[Episode], after: Sequence[Episode], *, alpha: float, draws: int) -> tuple[Shift, ...]:
    """Test every factor that varies; the most unlikely first.

    Identical selections have no shift to test, and neither has an empty one.
    """
    episodes = list({e.id: e for e in (*before, *after)}.values())
    codes = _encode_membership(episodes, {e.id for e in before}, {e.id for e in after})
    if not before or not after or (codes == BOTH).all():
        return ()
    columns = list(_list_columns(episodes))
    if not columns:
        return ()
    table = np.concatenate([np.ones((len(episodes), 1)), *(values for _, _, values in columns)], axis=1)
    units = _Units(episodes, codes, table)
    seen = _measure_all(columns, *units.sum_sides(None))[0]
    beaten = np.zeros(len(columns))
    random = np.random.default_rng(0)  # the same selections have the same answer
    for size in _cut_draws(draws, len(episodes)):
        drawn = _measure_all(columns, *units.sum_sides(random, size))
        beaten += (drawn >= seen - ROUNDING).sum(axis=0)
    p = (1.0 + beaten) / (1.0 + draws)
    adjusted = adjust_by_holm(list(p))
    testable = units.count_divisions() * alpha >= 1.0
    shares_before, shares_after = (sums[0] for sums in units.sum_sides(None))
    found = []
    for k, (column, at) in enumerate(_place_columns(columns)):
        verdict = bool(adjusted[k] <= alpha) if testable else None
        one = Shift(column[0], float(seen[k]), float(p[k]), float(adjusted[k]), verdict)
        if column[0] == DURATION:
            found.append(replace(one, before=_compute_mean_seconds(before), after=_compute_mean_seconds(after)))
        else:
            was, is_now = shares_before[at] / len(before), shares_after[at] / len(after)
            found.append(replace(one, levels=_list_level_shares(column[1], was, is_now)))
    return tuple(sorted(found, key=lambda one: (one.p, -one.apart, one.factor)))


BEFORE, AFTER, BOTH = 1, 2, 3
Column = tuple[str, tuple[str, ...], Floats]
"""A factor, its levels ('' alone for a number), and its cells by episode."""


def _encode_membership(episodes: Sequence[Episode], before: set[str], after: set[str]) -> NDArray[np.int8]:
    return np.asarray([BEFORE * (e.id in before) + AFTER * (e.id in after) for e in episodes], np.int8)


def _list_columns(episodes: Sequence[Episode]) -> Iterator[Column]:
    factors = sorted({c.factor for e in episodes for c in e.stratum.conditions} - LABELS.keys())
    named = dict(LABELS) | {factor: lambda e, f=factor: e.stratum.level(f) or "" for factor in factors}
    for factor, read in named.items():
        values = [read(e) for e in episodes]
        levels = tuple(sorted(set(values)))
        if 1 < len(levels) < len(episodes):
            place = {level: k for k, level in enumerate(levels)}
            cells = np.zeros((len(episodes), len(levels)))
            cells[np.arange(len(episodes)), [place[value] for value in values]] = 1.0
            yield factor, levels, cells
    seconds = np.asarray([(e.end_ns - e.start_ns) / NS_PER_S for e in episodes])
    if np.ptp(seconds) > 0:
        spread = float(seconds.std())
        yield DURATION, ("",), ((seconds - seconds.mean()) / spread)[:, None]


def _place_columns(columns: Sequence[Column]) -> Iterator[tuple[Column, slice]]:
    """Yield each column with its place in the table, whose first cell counts the episodes."""
    at = 1
    for column in columns:
        yield column, slice(at, at + column[2].shape[1])
        at += column[2].shape[1]


class _Units:
    """What may swap places: whole sessions among each other, and the episodes of a divided session."""

    def __init__(self, episodes: Sequence[Episode], codes: NDArray[np.int8], table: Floats) -> None:
        rows: dict[str, list[int]] = {}
        for row, episode in enumerate(episodes):
            rows.setdefault(identify_session(episode), []).append(row)
        whole = [r for r in rows.values() if len(set(codes[r])) == 1]
        self._codes = np.asarray([codes[r[0]] for r in whole], np.int8)
        self._sums = np.asarray([table[r].sum(axis=0) for r in whole]).reshape(len(whole), table.shape[1])
        self._divided = [(codes[r], table[r]) for r in rows.values() if len(set(codes[r])) > 1]

    def sum_sides(self, random: np.random.Generator | None, draws: int = 1) -> tuple[Floats, Floats]:
        """Sum the table over both sides, as they are or for some random divisions."""
        totals = [self._sum_block(self._codes, self._sums, random, draws)]
        totals += [self._sum_block(codes, rows, random, draws) for codes, rows in self._divided]
        before, after = zip(*totals, strict=True)
        return np.sum(before, axis=0), np.sum(after, axis=0)

    @staticmethod
    def _sum_block(
        codes: NDArray[np.int8], rows: Floats, random: np.random.Generator | None, draws: int
    ) -> tuple[Floats, Floats]:
        drawn = np.tile(codes, (draws, 1))
        if random is not None:
            drawn = random.permuted(drawn, axis=1)
        before, after = ((drawn & side > 0).astype(np.float64) @ rows for side in (BEFORE, AFTER))
        return before, after

    def count_divisions(self) -> float:
        """Return how many different divisions there are: fewer than 1 in alpha can never be significant."""
        blocks = [self._codes, *(codes for codes, _ in self._divided)]
        ways = (math.lgamma(len(b) + 1) - sum(math.lgamma(n + 1) for n in Counter(b.tolist()).values()) for b in blocks)
        return math.exp(min(sum(ways), 50.0)) * (1 + ROUNDING)


def _cut_draws(draws: int, episodes: int) -> Iterator[int]:
    size = max(1, min(draws, AT_ONCE // max(episodes, 1)))
    while draws > 0:
        yield min(size, draws)
        draws -= size


def _measure_all(columns: Sequence[Column], before: Floats, after: Floats) -> Floats:
    """Return how far each factor is apart: a row a division, a column a factor."""
    distances = []
    of_before, of_after = np.maximum(before[:, :1], 1.0), np.maximum(after[:, :1], 1.0)
    for (factor, _, _), at in _place_columns(columns):
        gap = before[:, at] / of_before - after[:, at] / of_after
        distances.append(np.abs(gap).sum(axis=1) / (1.0 if factor == DURATION else 2.0))
    return np.stack(distances, axis=1)


def _list_level_shares(levels: Sequence[str], before: Floats, after: Floats) -> tuple[LevelShare, ...]:
    """Return the share of every level on both sides, those that changed most first."""
    shares = (LevelShare(name, float(a), float(b)) for name, a, b in zip(levels, before, after, strict=True))
    return tuple(sorted(shares, key=lambda one: -abs(one.after - one.before)))


def _compute_mean_seconds(episodes: Sequence[Episode]) -> float:
    return float(np.mean([(e.end_ns - e.start_ns) / NS_PER_S for e in episodes]))
