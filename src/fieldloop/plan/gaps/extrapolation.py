"""How much of production lies outside what demonstrations show, all measured quantities together?

In few dimensions 'outside' is outside the convex hull of the demonstrations. In many, nearly every point is outside of
any hull, so there it is 'farther from its nearest demonstration than demonstrations are from each other'. Both have a
share that is to be expected when nothing differs: a demonstration is outside the hull of the others exactly when it is
a corner of it, and a known share of demonstrations is far from the others. Only what exceeds that is named.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.quantities import Floats, Quantities
from fieldloop.protocol import Section
from fieldloop.stats import difference

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """Which points of production lie outside, how many demonstrations do so of the others, and by which measure."""

    points: Mask
    alike: int
    measure: str


def extrapolation_gaps(quantities: Quantities, settings: Section) -> Iterator[CoverageGap]:
    """Name what production asks for beyond the demonstrations, with the quantities that carry it there."""
    names, met, shown, sites = _points(quantities, settings)
    if not names or len(met) == 0 or len(shown) < int(settings.number("min_range_attempts")):
        return
    found = outside(met, shown, int(settings.number("hull_dimensions")), settings.number("far_share"))
    if not beyond_chance(found, len(shown), settings):
        return
    count, expected = int(found.points.sum()), found.alike / len(shown)
    share = count / len(met)
    site, most = Counter(sites[found.points].tolist()).most_common(1)[0]
    where = Stratum.of(site=site) if site and most > count / 2 else Stratum()
    by = "; ".join(_carriers(names, met[found.points], shown))
    text = (
        f"{share:.1%} of production ({count} of {len(met)} attempts) is {found.measure} in {', '.join(names)}, where "
        f"{expected:.1%} would be if nothing differed: {by}."
    )
    yield CoverageGap(GapKind.EXTRAPOLATION, where, share, text)


def outside(met: Floats, shown: Floats, hull_dimensions: int, far_share: float) -> Outside:
    """Which points of production lie outside the demonstrations?"""
    if shown.shape[1] <= hull_dimensions:
        found = _outside_hull(met, shown)
        if found is not None:
            return found
    return _far_from_any(met, shown, far_share)


def beyond_chance(found: Outside, demonstrations: int, settings: Section) -> bool:
    """Is more of production outside than if it were of one kind with the demonstrations, and worth a word?"""
    count, attempts = int(found.points.sum()), len(found.points)
    excess = count / attempts - found.alike / demonstrations
    surely = difference.lower_bound((count, attempts), (found.alike, demonstrations), settings.number("gap_confidence"))
    return surely > 0.0 and excess >= settings.number("extrapolation_share")


def _outside_hull(met: Floats, shown: Floats) -> Outside | None:
    """By the convex hull; None where the demonstrations are flat in some direction and span none."""
    from scipy.spatial import ConvexHull, QhullError

    measure = "outside the convex hull of the demonstrations"
    if shown.shape[1] == 1:
        low, high = shown.min(), shown.max()
        return Outside((met[:, 0] < low) | (met[:, 0] > high), min(2, len(shown)), measure)
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
    return Outside(beyond, len(hull.vertices), measure)


def _far_from_any(met: Floats, shown: Floats, far_share: float) -> Outside:
    """By the distance to the nearest demonstration, against those between demonstrations."""
    from scipy.spatial import cKDTree

    both = np.vstack([shown, met])
    spread = both.std(axis=0)
    spread[spread == 0.0] = 1.0
    tree = cKDTree(shown / spread)
    apart = tree.query(shown / spread, k=2)[0][:, 1]
    limit = np.quantile(apart, 1.0 - far_share)
    beyond = tree.query(met / spread)[0] > limit
    return Outside(beyond, int((apart > limit).sum()), "farther from any demonstration than they are from each other")


def _points(quantities: Quantities, settings: Section) -> tuple[list[str], Floats, Floats, NDArray[np.object_]]:
    """Both sides in the quantities that enough of each side says, without the rows that miss one."""
    silent = 1.0 - settings.number("min_said_share")
    asked = (*settings["range_facts"], *settings["position_facts"])
    columns = {n: (quantities.met(n), quantities.shown(n)) for n in asked}
    names = [n for n, sides in columns.items() if all(len(s) and np.isnan(s).mean() <= silent for s in sides)]
    if not names:
        return [], np.empty((0, 0)), np.empty((0, 0)), np.empty(0, dtype=object)
    met, shown = (np.column_stack([columns[n][side] for n in names]) for side in (0, 1))
    told = ~np.isnan(met).any(axis=1)
    return names, met[told], shown[~np.isnan(shown).any(axis=1)], quantities.sites[told]


def _carriers(names: Sequence[str], beyond: Floats, shown: Floats) -> Iterator[str]:
    """Say which quantity left its range how often; what left none is new only in combination."""
    low, high = shown.min(axis=0), shown.max(axis=0)
    below, above = beyond < low, beyond > high
    rows = []
    for at, name in enumerate(names):
        rows.append((int(below[:, at].sum()), f"{name} below {low[at]:.4g}"))
        rows.append((int(above[:, at].sum()), f"{name} above {high[at]:.4g}"))
    rows.append((int((~(below | above).any(axis=1)).sum()), "each in its range, new in combination"))
    for count, text in sorted(rows, key=lambda row: -row[0]):
        if count:
            yield f"{text} ({count})"
