"""Ends of ranges that no demonstration reaches: only the middle was shown."""

from collections.abc import Iterator

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, note
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.quantities import Floats, Quantities
from fieldloop.protocol import Section


def find_range_gaps(quantities: Quantities, settings: Section) -> Iterator[CoverageGap]:
    """Name each end of a deployed range that too few demonstrations reach, site by site.

    Production measured at a site takes precedence over the map. For mass and size the catalogue gives how often each is
    picked. A quantity that no demonstration logs is its own gap.
    """
    # a single value may be a sensor error, so one demonstration does not show an end
    enough = int(settings.number("range_end_demonstrations"))
    for name in settings["range_facts"]:
        shown = quantities.get_demonstrated_values(name)
        shown = shown[~np.isnan(shown)]
        for where, low, high, low_share, high_share, source in _find_deployed_range_ends(quantities, name, settings):
            site = where.level("site") or ""
            if not len(shown):
                message = note("plan.range_not_logged", source, quantity=name, low=low, high=high, site=site)
                yield CoverageGap(GapKind.RANGE_END, where, None, message)
                continue
            below, above = int((shown <= low).sum()), int((shown >= high).sum())
            ends = (
                ("below", low, low_share, below, float(shown.min())),
                ("above", high, high_share, above, float(shown.max())),
            )
            for end, edge, share, count, nearest in ends:
                if count < enough:
                    code = "plan.range_end_seldom_shown" if count else "plan.range_end_never_shown"
                    message = note(
                        code, source, quantity=name, end=end, edge=edge, site=site, share=share, shown=count,
                        needed=enough, nearest=nearest,
                    )  # fmt: skip
                    yield CoverageGap(GapKind.RANGE_END, where, share, message)


End = tuple[Stratum, float, float, float | None, float | None, Note]


def _find_deployed_range_ends(quantities: Quantities, name: str, settings: Section) -> Iterator[End]:
    """Yield where the ends of a quantity begin, with the share beyond: measured at a site, else catalogue or map."""
    end, least = settings.number("range_end_share"), int(settings.number("min_range_attempts"))
    met = quantities.get_production_values(name)
    sites, logged = quantities.sites, ~np.isnan(met)
    measured = set()
    for site in sorted(set(sites[logged])):
        values = met[logged & (sites == site)]
        if len(values) >= least:
            measured.add(site)
            source = note("plan.range_as_measured", attempts=len(values))
            yield _compute_weighted_range_ends(
                _make_site_stratum(site), values, np.ones(len(values)), end, len(values) / len(met), source
            )
    for site, share in quantities.list_values_at_other_sites(measured):
        values, picks = quantities.get_catalogue_values_and_picks(name, site)
        if len(values):
            yield _compute_weighted_range_ends(
                _make_site_stratum(site), values, picks, end, share, note("plan.range_by_picks")
            )
    for site, (low, high) in quantities.get_stated_ranges(name).items():
        if site not in measured:
            inset = end * (high - low)
            yield _make_site_stratum(site), low + inset, high - inset, None, None, note("plan.range_of_map")


def _compute_weighted_range_ends(
    where: Stratum, values: Floats, weights: Floats, end: float, of_all: float, source: Note
) -> End:
    shares = weights / weights.sum()
    low, high = _compute_weighted_quantile(values, shares, end), -_compute_weighted_quantile(-values, shares, end)
    below, above = float(shares[values <= low].sum()), float(shares[values >= high].sum())
    return where, low, high, below * of_all, above * of_all, source


def _compute_weighted_quantile(values: Floats, shares: Floats, end: float) -> float:
    """Return the smallest value with at least this share at or below it."""
    order = np.argsort(values, kind="stable")
    reached = np.searchsorted(np.cumsum(shares[order]), end - 1e-9)  # sums of shares have rounding errors
    return float(values[order][min(int(reached), len(values) - 1)])


def _make_site_stratum(site: str) -> Stratum:
    return Stratum.of(site=site) if site else Stratum()
