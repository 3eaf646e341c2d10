"""How much of production lies outside what demonstrations show, over all measured quantities together.

In few dimensions, 'outside' means outside the convex hull of the demonstrations. In many dimensions nearly every point
is outside any hull, so there it means 'farther from its nearest demonstration than demonstrations are from each other'.
Both have an expected share when nothing differs: a demonstration is outside the hull of the others exactly when it is a
corner of it, and a known share of demonstrations is far from the others. Only an excess over that is reported.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, note
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.quantities import Floats, Quantities
from fieldloop.protocol import Section
from fieldloop.stats import difference

Mask = NDArray[np.bool_]

OUTSIDE_HULL, FAR_FROM_ANY = "plan.outside_hull", "plan.far_from_any"
"""Codes of the two measures."""


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """Points of production outside, how many demonstrations are outside the others, and the code of the measure."""

    points: Mask
    alike: int
    code: str


def find_extrapolation_gaps(quantities: Quantities, settings: Section) -> Iterator[CoverageGap]:
    """Name what production asks for beyond the demonstrations, with the quantities that leave their range."""
    names, met, shown, sites = _collect_points(quantities, settings)
    if not names or len(met) == 0 or len(shown) < int(settings.number("min_range_attempts")):
        return
    new_region = find_points_outside(met, shown, int(settings.number("hull_dimensions")), settings.number("far_share"))
    if not is_beyond_chance(new_region, len(shown), settings):
        return
    count, expected = int(new_region.points.sum()), new_region.alike / len(shown)
    share = count / len(met)
    site, most = Counter(sites[new_region.points].tolist()).most_common(1)[0]
    where = Stratum.of(site=site) if site and most > count / 2 else Stratum()
    message = note(
        new_region.code, share=share, count=count, attempts=len(met), quantities=tuple(names), expected=expected,
        ways=tuple(_note_range_exits(names, met[new_region.points], shown)), site=where.level("site") or "",
    )  # fmt: skip
    yield CoverageGap(GapKind.EXTRAPOLATION, where, share, message)


def find_points_outside(met: Floats, shown: Floats, hull_dimensions: int, far_share: float) -> Outside:
    """Find the points of production that lie outside the demonstrations."""
    if shown.shape[1] <= hull_dimensions:
        by_hull = _find_points_outside_hull(met, shown)
        if by_hull is not None:
            return by_hull
    return _find_points_far_from_any(met, shown, far_share)


def is_beyond_chance(found: Outside, demonstrations: int, settings: Section) -> bool:
    """Is clearly more of production outside than if it were drawn like the demonstrations, and enough to report?"""
    count, attempts = int(found.points.sum()), len(found.points)
    excess = count / attempts - found.alike / demonstrations
    surely = difference.compute_difference_lower_bound(
        (count, attempts), (found.alike, demonstrations), settings.number("gap_confidence")
    )
    return surely > 0.0 and excess >= settings.number("extrapolation_share")


def _find_points_outside_hull(met: Floats, shown: Floats) -> Outside | None:
    """Measure by the convex hull; None where the demonstrations are flat in some direction."""
    from scipy.spatial import ConvexHull, QhullError

    if shown.shape[1] == 1:
        low, high = shown.min(), shown.max()
        return Outside((met[:, 0] < low) | (met[:, 0] > high), min(2, len(shown)), OUTSIDE_HULL)
    middle, spread = shown.mean(axis=0), shown.std(axis=0)
    if not np.all(spread > 0.0):
        return None
    try:
        hull = ConvexHull((shown - middle) / spread)
    except QhullError:
        return None
    points, beyond = (met - middle) / spread, np.zeros(len(met), dtype=bool)
    for plane in hull.equations:
        beyond |= points @ plane[:-1] + plane[-1] > 1e-9  # noqa: PLR2004 - rounding of a unit normal
    return Outside(beyond, len(hull.vertices), OUTSIDE_HULL)


def _find_points_far_from_any(met: Floats, shown: Floats, far_share: float) -> Outside:
    """Measure by the distance to the nearest demonstration, compared with distances between demonstrations."""
    from scipy.spatial import cKDTree

    both = np.vstack([shown, met])
    spread = both.std(axis=0)
    spread[spread == 0.0] = 1.0
    tree = cKDTree(shown / spread)
    apart = tree.query(shown / spread, k=2)[0][:, 1]
    limit = np.quantile(apart, 1.0 - far_share)
    beyond = tree.query(met / spread)[0] > limit
    return Outside(beyond, int((apart > limit).sum()), FAR_FROM_ANY)


def _collect_points(quantities: Quantities, settings: Section) -> tuple[list[str], Floats, Floats, NDArray[np.object_]]:
    """Return both sides in the quantities that enough of each side logs, without rows that miss one."""
    silent = 1.0 - settings.number("min_said_share")
    asked = (*settings["range_facts"], *settings["position_facts"])
    columns = {n: (quantities.get_production_values(n), quantities.get_demonstrated_values(n)) for n in asked}
    names = [n for n, sides in columns.items() if all(len(s) and np.isnan(s).mean() <= silent for s in sides)]
    if not names:
        return [], np.empty((0, 0)), np.empty((0, 0)), np.empty(0, dtype=object)
    met, shown = (np.column_stack([columns[n][side] for n in names]) for side in (0, 1))
    complete = ~np.isnan(met).any(axis=1)
    return names, met[complete], shown[~np.isnan(shown).any(axis=1)], quantities.sites[complete]


def _note_range_exits(names: Sequence[str], beyond: Floats, shown: Floats) -> Iterator[Note]:
    """Count how often each quantity left its range; what left none is new only in combination."""
    low, high = shown.min(axis=0), shown.max(axis=0)
    below, above = beyond < low, beyond > high
    ways = []
    for at, name in enumerate(names):
        for end, limit, outside_it in (("below", low, below), ("above", high, above)):
            count = int(outside_it[:, at].sum())
            ways.append(note("plan.left_range", quantity=name, end=end, limit=float(limit[at]), count=count))
    ways.append(note("plan.new_in_combination", count=int((~(below | above).any(axis=1)).sum())))
    counts = [int(str(way["count"])) for way in ways]
    yield from (ways[at] for at in sorted(range(len(ways)), key=lambda at: -counts[at]) if counts[at])
