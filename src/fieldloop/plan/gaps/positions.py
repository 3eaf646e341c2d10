"""Positions and orientations of items that production meets but no demonstration shows."""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, note
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.quantities import Floats, Quantities
from fieldloop.protocol import Section


def find_position_gaps(quantities: Quantities, settings: Section) -> Iterator[CoverageGap]:
    """Name the boxes of the workspace and the sectors of orientation that production uses but no one showed."""
    names = [n for n in settings["position_facts"] if _is_logged_on_both_sides(quantities, n)]
    least = settings.number("position_share")
    if names:
        yield from _find_box_gaps(quantities, names, settings)
    for name in settings["angle_facts"]:
        if _is_logged_on_both_sides(quantities, name):
            yield from _find_sector_gaps(quantities, name, int(settings.number("angle_sectors")), least)


def note_unlogged_positions(quantities: Quantities, settings: Section) -> tuple[Note, ...]:
    """Name the positions and angles that one side does not log, so that they cannot be compared."""
    asked = (*settings["position_facts"], *settings["angle_facts"])
    unlogged = tuple(n for n in asked if not _is_logged_on_both_sides(quantities, n))
    if not unlogged or not quantities.episodes or not quantities.outcomes:
        return ()
    return (note("plan.positions_not_logged", quantities=unlogged, all=len(unlogged) == len(asked)),)


def _is_logged_on_both_sides(quantities: Quantities, name: str) -> bool:
    return not (
        np.isnan(quantities.get_demonstrated_values(name)).all()
        or np.isnan(quantities.get_production_values(name)).all()
    )


def _find_box_gaps(quantities: Quantities, names: Sequence[str], settings: Section) -> Iterator[CoverageGap]:
    cells, least = int(settings.number("position_cells")), settings.number("position_share")
    stray = settings.number("position_stray_share")
    met, shown = (
        _select_complete_rows([quantities.get_production_values(n) for n in names]),
        _select_complete_rows([quantities.get_demonstrated_values(n) for n in names]),
    )
    if not len(met) or not len(shown):
        return
    # a single position in millimetres would otherwise leave all others in one box
    low, high = np.quantile(met, stray, axis=0), np.quantile(met, 1.0 - stray, axis=0)
    edges = [np.linspace(a, b if b > a else a + 1.0, cells + 1) for a, b in zip(low, high, strict=True)]
    used, seen = np.histogramdd(met, edges)[0], np.histogramdd(shown, edges)[0]
    for at in itertools.product(range(cells), repeat=len(names)):
        share = float(used[at]) / len(met)
        if share >= least and not seen[at]:
            box = tuple(
                note("plan.box_side", quantity=name, low=float(edges[k][at[k]]), high=float(edges[k][at[k] + 1]))
                for k, name in enumerate(names)
            )
            message = note("plan.position_never_shown", box=box, share=share)
            yield CoverageGap(GapKind.POSITION, Stratum(), share, message)


def _find_sector_gaps(quantities: Quantities, name: str, sectors: int, least: float) -> Iterator[CoverageGap]:
    used, seen = (
        _count_by_sector(values, sectors)
        for values in (quantities.get_production_values(name), quantities.get_demonstrated_values(name))
    )
    width = 360.0 / sectors
    for at in range(sectors):
        share = float(used[at] / used.sum())
        if share >= least and not seen[at]:
            message = note(
                "plan.angle_never_shown", quantity=name, low_deg=at * width, high_deg=(at + 1) * width, share=share
            )  # fmt: skip
            yield CoverageGap(GapKind.POSITION, Stratum(), share, message)


def _count_by_sector(angles: Floats, sectors: int) -> Floats:
    turn = np.mod(angles[~np.isnan(angles)], math.tau) / math.tau
    return np.bincount(np.minimum((turn * sectors).astype(int), sectors - 1), minlength=sectors).astype(np.float64)


def _select_complete_rows(columns: Sequence[Floats]) -> Floats:
    """Keep rows in which every column has a value."""
    table = np.column_stack(columns)
    return np.asarray(table[~np.isnan(table).any(axis=1)])
