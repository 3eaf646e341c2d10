"""Everything deployed that no demonstration shows, named."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.model.attempts import settled
from fieldloop.model.condition import Stratum
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.combinations import encode, find_missing, name_missing
from fieldloop.plan.gaps.cover import cover
from fieldloop.plan.gaps.extrapolation import extrapolation_gaps
from fieldloop.plan.gaps.positions import position_gaps, unsaid_positions
from fieldloop.plan.gaps.quantities import Quantities
from fieldloop.plan.gaps.ranges import range_gaps
from fieldloop.plan.gaps.strangers import stranger_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.strata import Table
from fieldloop.plan.words import of_production
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing, the fewest strata that would show the missing combinations, and what nobody can tell."""

    named: tuple[CoverageGap, ...]
    cover: tuple[Stratum, ...]
    unsaid: tuple[str, ...]


def find_gaps(known: Known, table: Table, settings: Section) -> Gaps:
    """Look for strata, combinations, ends of ranges, positions, regions and articles that were never shown."""
    most = int(settings.number("gaps_listed"))
    kept, contested = settled(known.outcomes)
    met = [*kept, *contested]  # what judges contest was met all the same
    quantities = Quantities(known.deployment, known.episodes, met)
    measured = sorted(
        (*range_gaps(quantities, settings), *position_gaps(quantities, settings)),
        key=lambda gap: (-(gap.share or 0.0), gap.message),
    )
    shown = np.vstack([encode(table, (e.where for e in known.episodes)), table.codes[table.demonstrations > 0.0]])
    missing = find_missing(table, shown, int(settings.number("combination_strength")))
    rows = cover(table, missing)
    named = (
        *_unshown_strata(table),
        *name_missing(table, missing, most),
        *stranger_gaps(known.deployment, kept),
        *extrapolation_gaps(quantities, settings),
        *measured[:most],
        *_rest(len(measured) - most),
    )
    strata = tuple(known.coverages[row].stratum for row in rows)
    return Gaps(named, strata, unsaid_positions(quantities, settings))


def _unshown_strata(table: Table) -> Iterator[CoverageGap]:
    """One sentence for all strata without a demonstration of their own; on a large map they are nearly all."""
    unshown = (table.exposure > 0.0) & (table.demonstrations == 0.0)
    if unshown.any():
        share, deployed = float(table.exposure[unshown].sum()), int((table.exposure > 0.0).sum())
        text = f"{int(unshown.sum())} of {deployed} deployed strata, {of_production(share)}, have no demonstration."
        yield CoverageGap(GapKind.NEVER_SHOWN, Stratum(), share, text)


def _rest(count: int) -> Iterator[CoverageGap]:
    if count > 0:
        yield CoverageGap(GapKind.RANGE_END, Stratum(), None, f"{count} smaller gaps of ranges are not listed.")
