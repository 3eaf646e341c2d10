"""Since when? A change of the loss over days, told from chance by letting the days change places."""

from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.table import Floats, Table
from fieldloop.protocol import Section


@dataclass(frozen=True)
class Change:
    """The day from which on it lost more, as its first moment; the loss before and since; how likely by chance."""

    since_ns: int
    before: float
    since: float
    chance: float


def change_of(
    table: Table, residual: Floats, inside: Floats, level: float, settings: Section, rng: np.random.Generator
) -> Change | None:
    """Find the day since which rows inside lose more than before; None where nothing shows it at this level."""
    rows = np.flatnonzero(inside > 0.0)
    days, at = np.unique(table.days[rows], return_inverse=True)
    if len(days) < settings.number("min_days"):
        return None
    count = np.bincount(at.ravel()).astype(np.float64)
    lost = np.bincount(at.ravel(), residual[rows]).astype(np.float64)
    least = settings.number("min_slice_episodes")
    if count.sum() < 2.0 * least:
        return None
    split, seen = _sharpest(lost, count, least)
    orders = [rng.permutation(len(days)) for _ in range(int(settings.number("change_draws")))]
    by_chance = np.array([_sharpest(lost[order], count[order], least)[1] for order in orders])
    chance = (1.0 + float((by_chance >= seen).sum())) / (len(orders) + 1.0)
    if chance > level:
        return None
    early, late = slice(None, split), slice(split, None)
    first = int(table.at_ns[rows][table.days[rows] == days[split]].min())
    return Change(first, lost[early].sum() / count[early].sum(), lost[late].sum() / count[late].sum(), chance)


def _sharpest(lost: Floats, count: Floats, least: float) -> tuple[int, float]:
    """The split with the largest rise of the loss, enough episodes on both sides, and the rise in errors (unscaled)."""
    done, tried = np.cumsum(lost)[:-1], np.cumsum(count)[:-1]
    left = count.sum() - tried
    rise = (lost.sum() - done) / left - done / tried
    score = np.where((tried >= least) & (left >= least), rise * np.sqrt(tried * left / (tried + left)), -np.inf)
    best = int(np.argmax(score))
    return best + 1, float(score[best])
