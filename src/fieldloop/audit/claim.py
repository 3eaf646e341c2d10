"""One claim of the map as shares that can be counted: how often each level occurred on each day."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.audit import ComparedBy
from fieldloop.protocol import Section

Band = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """What the map says of one thing at one site, beside the counts of days × levels.

    `claimed` is the share of each level, `bands` within which the true share may lie without being worth a word.
    `asked` attempts could have said it, `why_not` is a reason not to judge at all, `note` is added to what is said.
    """

    site: str
    what: str
    kind: ComparedBy
    levels: tuple[str, ...]
    claimed: tuple[float, ...]
    bands: tuple[Band, ...]
    counts: NDArray[np.float64]
    asked: int
    said_as: str = ""
    why_not: str = ""
    note: str = ""
    span: Band | None = None
    ranges: tuple[Band, ...] = ()

    @property
    def said(self) -> int:
        """How many attempts say it."""
        return int(self.counts.sum())


def band(share: float, settings: Section) -> Band:
    """Within which shares a claim holds: some points or a factor around it, whichever is nearer, at least a trifle.

    >>> from fieldloop.protocol import default_operations
    >>> shown = lambda share: tuple(round(x, 3) for x in band(share, default_operations()["audit"]))
    >>> shown(0.5), shown(0.02), shown(0.0)
    ((0.45, 0.55), (0.01, 0.04), (0.0, 0.01))
    """
    points, factor = settings.number("mix_tolerance"), settings.number("mix_factor")
    trifle = settings.number("trifle_share")
    low = min(max(share - points, share / factor), share - trifle)
    high = max(min(share + points, share * factor), share + trifle)
    return (max(low, 0.0), min(high, 1.0))


def by_day(pairs: Iterable[tuple[Hashable, str]], levels: Sequence[str]) -> NDArray[np.float64]:
    """Count (day, level) into a table of days × levels."""
    column = {level: at for at, level in enumerate(levels)}
    row: dict[Hashable, int] = {}
    places = [(row.setdefault(day, len(row)), column[level]) for day, level in pairs]
    counts = np.zeros((len(row), len(levels)))
    if places:
        np.add.at(counts, tuple(np.array(places).T), 1.0)
    return counts


def mix_claim(
    site: str, what: str, shares: Mapping[str, float], pairs: Sequence[tuple[Hashable, str]], asked: int,
    settings: Section, *, why_not: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim of shares by level; levels that occurred and that the map does not know are claimed at nothing."""
    strangers = sorted({level for _, level in pairs} - set(shares))
    levels = (*shares, *strangers)
    claimed = tuple(shares.get(level, 0.0) for level in levels)
    if why_not and strangers:  # what is not judged by its share is still no part of the map
        note = f"{note} The map does not know: {', '.join(strangers)}.".strip()
    return Claim(
        site, what, ComparedBy.MIX, levels, claimed, tuple(band(share, settings) for share in claimed),
        by_day(pairs, levels), asked, why_not=why_not, note=note,
    )  # fmt: skip


def rate_claim(
    what: str, level: str, claimed: float, allowed: Band, pairs: Sequence[tuple[Hashable, bool]], asked: int
) -> Claim:
    """A claim of how often one thing happens, over all sites."""
    levels = (level, "")
    counts = by_day([(day, level if hit else "") for day, hit in pairs], levels)
    shares, bands = (claimed, 1.0 - claimed), (allowed, (0.0, 1.0))
    return Claim("", what, ComparedBy.RATE, levels, shares, bands, counts, asked)
