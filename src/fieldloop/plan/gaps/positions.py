"""Where items lay and how they were turned: which parts of the workspace does production use that nobody showed?"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.quantities import Floats, Quantities
from fieldloop.protocol import Section


def position_gaps(quantities: Quantities, settings: Section) -> Iterator[CoverageGap]:
    """Name the boxes of the workspace and the sectors of orientation that production uses and nobody showed."""
    names = [n for n in settings["position_facts"] if _both(quantities, n)]
    least = settings.number("position_share")
    if names:
        yield from _boxes(quantities, names, settings)
    for name in settings["angle_facts"]:
        if _both(quantities, name):
            yield from _sectors(quantities, name, int(settings.number("angle_sectors")), least)


def unsaid_positions(quantities: Quantities, settings: Section) -> tuple[str, ...]:
    """Say which of these numbers one side leaves out, so that nothing can be told about them."""
    asked = (*settings["position_facts"], *settings["angle_facts"])
    silent = [n for n in asked if not _both(quantities, n)]
    if not silent or not quantities.episodes or not quantities.outcomes:
        return ()
    what = "Positions and orientations cannot be told" if len(silent) == len(asked) else "Not all positions can be told"
    return (f"{what}: demonstrations and production must both log {', '.join(silent)}.",)


def _both(quantities: Quantities, name: str) -> bool:
    return not (np.isnan(quantities.shown(name)).all() or np.isnan(quantities.met(name)).all())


def _boxes(quantities: Quantities, names: Sequence[str], settings: Section) -> Iterator[CoverageGap]:
    cells, least = int(settings.number("position_cells")), settings.number("position_share")
    stray = settings.number("position_stray_share")
    met, shown = _complete([quantities.met(n) for n in names]), _complete([quantities.shown(n) for n in names])
    if not len(met) or not len(shown):
        return
    # a single position in millimetres would otherwise leave all others in one box
    low, high = np.quantile(met, stray, axis=0), np.quantile(met, 1.0 - stray, axis=0)
    edges = [np.linspace(a, b if b > a else a + 1.0, cells + 1) for a, b in zip(low, high, strict=True)]
    used, seen = np.histogramdd(met, edges)[0], np.histogramdd(shown, edges)[0]
    for at in itertools.product(range(cells), repeat=len(names)):
        share = float(used[at]) / len(met)
        if share >= least and not seen[at]:
            box = ", ".join(
                f"{name} {edges[k][at[k]]:.3g} to {edges[k][at[k] + 1]:.3g}" for k, name in enumerate(names)
            )
            text = f"Items at {box} are {share:.1%} of production and were never shown."
            yield CoverageGap(GapKind.POSITION, Stratum(), share, text)


def _sectors(quantities: Quantities, name: str, sectors: int, least: float) -> Iterator[CoverageGap]:
    used, seen = (_by_sector(values, sectors) for values in (quantities.met(name), quantities.shown(name)))
    width = 360.0 / sectors
    for at in range(sectors):
        share = float(used[at] / used.sum())
        if share >= least and not seen[at]:
            sector = f"{name} from {at * width:.0f}° to {(at + 1) * width:.0f}°"
            text = f"{sector} is {share:.1%} of production and was never shown."
            yield CoverageGap(GapKind.POSITION, Stratum(), share, text)


def _by_sector(angles: Floats, sectors: int) -> Floats:
    turn = np.mod(angles[~np.isnan(angles)], math.tau) / math.tau
    return np.bincount(np.minimum((turn * sectors).astype(int), sectors - 1), minlength=sectors).astype(np.float64)


def _complete(columns: Sequence[Floats]) -> Floats:
    """Rows in which every column says something."""
    table = np.column_stack(columns)
    return np.asarray(table[~np.isnan(table).any(axis=1)])
