"""Were the ends of every range shown, or only its middle?"""

from collections.abc import Iterator

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.quantities import Floats, Quantities
from fieldloop.plan.words import of_production
from fieldloop.protocol import Section


def range_gaps(quantities: Quantities, settings: Section) -> Iterator[CoverageGap]:
    """Name each end of a deployed range that hardly a demonstration reaches, site by site.

    What production measured at a site counts before what the map states of it; of mass and size the catalogue knows how
    often each is picked. A quantity that no demonstration says is a gap of its own: nobody can tell.
    """
    enough = int(settings.number("range_end_demonstrations"))
    for name in settings["range_facts"]:
        shown = quantities.shown(name)
        shown = shown[~np.isnan(shown)]
        for where, low, high, low_share, high_share, source in _deployed_ends(quantities, name, settings):
            if not len(shown):
                text = f"No demonstration says its {name}, so nobody can tell whether {low:g} and {high:g} were shown"
                yield CoverageGap(GapKind.RANGE_END, where, None, f"{text} ({_at(where)}{source}). Log it.")
                continue
            below, above = int((shown <= low).sum()), int((shown >= high).sum())
            if below < enough:
                text = f"{name} at or below {low:.4g} ({_at(where)}{source}{_part(low_share)})"
                told = _shown(below, f"the lowest demonstration is at {shown.min():.4g}", enough)
                yield CoverageGap(GapKind.RANGE_END, where, low_share, f"{text} {told}.")
            if above < enough:
                text = f"{name} at or above {high:.4g} ({_at(where)}{source}{_part(high_share)})"
                told = _shown(above, f"the highest demonstration is at {shown.max():.4g}", enough)
                yield CoverageGap(GapKind.RANGE_END, where, high_share, f"{text} {told}.")


End = tuple[Stratum, float, float, float | None, float | None, str]


def _deployed_ends(quantities: Quantities, name: str, settings: Section) -> Iterator[End]:
    """Where the ends of a quantity begin, with the share beyond: at each site as measured, else as others say."""
    end, least = settings.number("range_end_share"), int(settings.number("min_range_attempts"))
    met = quantities.met(name)
    sites, said = quantities.sites, ~np.isnan(met)
    measured = set()
    for site in sorted(set(sites[said])):
        values = met[said & (sites == site)]
        if len(values) >= least:
            measured.add(site)
            yield _ends(_where(site), values, np.ones(len(values)), end, len(values) / len(met), "as measured")
    for site, share in quantities.sites_but(measured):
        values, picks = quantities.catalogue(name, site)
        if len(values):
            yield _ends(_where(site), values, picks, end, share, "by picks of the catalogue")
    for site, (low, high) in quantities.stated(name).items():
        if site not in measured:
            inset = end * (high - low)
            yield _where(site), low + inset, high - inset, None, None, "as the map states"


def _ends(where: Stratum, values: Floats, weights: Floats, end: float, of_all: float, source: str) -> End:
    shares = weights / weights.sum()
    low, high = _outer(values, shares, end), -_outer(-values, shares, end)
    below, above = float(shares[values <= low].sum()), float(shares[values >= high].sum())
    return where, low, high, below * of_all, above * of_all, source


def _outer(values: Floats, shares: Floats, end: float) -> float:
    """The smallest value with at least this share at or below it."""
    order = np.argsort(values, kind="stable")
    reached = np.searchsorted(np.cumsum(shares[order]), end - 1e-9)  # sums of shares round
    return float(values[order][min(int(reached), len(values) - 1)])


def _shown(count: int, nearest: str, enough: int) -> str:
    """One value may be a slip of a sensor, so it alone shows no end."""
    return f"was shown {count} of {enough} times that are asked" if count else f"was never shown: {nearest}"


def _where(site: str) -> Stratum:
    return Stratum.of(site=site) if site else Stratum()


def _at(where: Stratum) -> str:
    return f"at {where.level('site')}, " if where else ""


def _part(share: float | None) -> str:
    return "" if share is None else f", {of_production(share)}"
