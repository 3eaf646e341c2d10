"""One claim of the map as shares: how often each level occurred on each day."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.audit import ComparedBy
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section

Band = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """What the map states about one quantity at one site, with the counts of days × levels.

    `claimed` is the share of each level, `bands` the tolerance around it. `silent` counts attempts of each day that do
    not log it. `why_not` is a reason not to judge at all, `remarks` are added to the message.
    """

    site: str
    what: str
    kind: ComparedBy
    levels: tuple[str, ...]
    claimed: tuple[float, ...]
    bands: tuple[Band, ...]
    counts: NDArray[np.float64]
    silent: NDArray[np.float64]
    stated: Note | None = None
    why_not: Note | None = None
    remarks: tuple[Note, ...] = ()
    span: Band | None = None
    ranges: tuple[Band, ...] = ()

    @property
    def logged_attempts(self) -> int:
        """How many attempts log it."""
        return int(self.counts.sum())

    @property
    def attempts(self) -> int:
        """How many attempts could have logged it."""
        return self.logged_attempts + int(self.silent.sum())


def compute_claim_band(share: float, settings: Section) -> Band:
    """Return the shares within which a claim holds: some points or a factor around it, the nearer, at least a minimum.

    >>> from fieldloop.protocol import default_operations
    >>> shown = lambda share: tuple(round(x, 3) for x in compute_claim_band(share, default_operations()["audit"]))
    >>> shown(0.5), shown(0.02), shown(0.0)
    ((0.45, 0.55), (0.01, 0.04), (0.0, 0.01))
    """
    points, factor = settings.number("mix_tolerance"), settings.number("mix_factor")
    trifle = settings.number("trifle_share")
    low = min(max(share - points, share / factor), share - trifle)
    high = max(min(share + points, share * factor), share + trifle)
    return (max(low, 0.0), min(high, 1.0))


def count_levels_by_day(
    pairs: Iterable[tuple[Hashable, str | None]], levels: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count (day, level) into a table of days × levels, and by day those that do not log it.

    >>> pairs = [("Monday", "dim"), ("Monday", None), ("Tuesday", "dim")]
    >>> counts, silent = count_levels_by_day(pairs, ["bright", "dim"])
    >>> counts.tolist(), silent.tolist()
    ([[0.0, 1.0], [0.0, 1.0]], [1.0, 0.0])
    """
    column: dict[str | None, int] = {level: at for at, level in enumerate(levels)}
    column[None] = len(levels)
    row: dict[Hashable, int] = {}
    places = [(row.setdefault(day, len(row)), column[level]) for day, level in pairs]
    counts = np.zeros((len(row), len(levels) + 1))
    if places:
        np.add.at(counts, tuple(np.array(places).T), 1.0)
    return counts[:, :-1], counts[:, -1]


def make_mix_claim(
    site: str, what: str, shares: Mapping[str, float], pairs: Sequence[tuple[Hashable, str | None]],
    settings: Section, *, why_not: Note | None = None, remarks: tuple[Note, ...] = (),
) -> Claim:  # fmt: skip
    """Make a claim of shares by level; levels that occurred but are not on the map have a claimed share of 0."""
    unknown = sorted({level for _, level in pairs if level is not None} - set(shares))
    levels = (*shares, *unknown)
    claimed = tuple(shares.get(level, 0.0) for level in levels)
    if why_not and unknown:  # even where shares are not judged, these levels are missing from the map
        remarks = (*remarks, note("audit.levels_not_in_map", levels=tuple(unknown)))
    return Claim(
        site, what, ComparedBy.MIX, levels, claimed, tuple(compute_claim_band(share, settings) for share in claimed),
        *count_levels_by_day(pairs, levels), why_not=why_not, remarks=remarks,
    )  # fmt: skip


def make_rate_claim(
    what: str, level: str, claimed: float, allowed: Band, pairs: Sequence[tuple[Hashable, bool | None]]
) -> Claim:
    """Make a claim of how often one thing happens, over all sites; None is an attempt that does not log it."""
    levels = (level, "")
    counted = count_levels_by_day([(day, None if hit is None else level if hit else "") for day, hit in pairs], levels)
    shares, bands = (claimed, 1.0 - claimed), (allowed, (0.0, 1.0))
    return Claim("", what, ComparedBy.RATE, levels, shares, bands, *counted)
