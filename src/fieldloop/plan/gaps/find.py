"""Find everything deployed that no demonstration shows, and name it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, note
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.plan.gaps.combinations import encode_strata, find_missing_combinations, list_missing_combinations
from fieldloop.plan.gaps.cover import choose_strata_to_cover_missing
from fieldloop.plan.gaps.extrapolation import find_extrapolation_gaps
from fieldloop.plan.gaps.positions import find_position_gaps, note_unlogged_positions
from fieldloop.plan.gaps.quantities import Quantities
from fieldloop.plan.gaps.ranges import find_range_gaps
from fieldloop.plan.gaps.unknown_articles import find_unknown_article_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.strata import Table
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing, the fewest strata that would show the missing combinations, and what was not logged."""

    named: tuple[CoverageGap, ...]
    cover: tuple[Stratum, ...]
    unlogged: tuple[Note, ...]


def find_gaps(known: Known, table: Table, settings: Section) -> Gaps:
    """Look for strata, combinations, ends of ranges, positions, regions and articles that were never shown."""
    most = int(settings.number("gaps_listed"))
    kept, contested = settle_attempts(known.outcomes)
    met = [*kept, *contested]  # a contested attempt was met all the same
    quantities = Quantities(known.deployment, known.episodes, met)
    measured = sorted(
        (*find_range_gaps(quantities, settings), *find_position_gaps(quantities, settings)),
        key=lambda gap: (-(gap.share or 0.0), _make_gap_sort_key(gap.message)),
    )
    shown = np.vstack(
        [encode_strata(table, (e.stratum_with_site for e in known.episodes)), table.codes[table.demonstrations > 0.0]]
    )
    missing = find_missing_combinations(table, shown, int(settings.number("combination_strength")))
    rows = choose_strata_to_cover_missing(table, missing)
    named = (
        *_find_unshown_strata(table),
        *list_missing_combinations(table, missing, most),
        *find_unknown_article_gaps(known.deployment, kept),
        *find_extrapolation_gaps(quantities, settings),
        *measured[:most],
        *_make_more_ranges_gap(len(measured) - most),
    )
    strata = tuple(known.coverages[row].stratum for row in rows)
    return Gaps(named, strata, note_unlogged_positions(quantities, settings))


def _find_unshown_strata(table: Table) -> Iterator[CoverageGap]:
    """Report all strata without their own demonstration as one gap; on a large map that is nearly all of them."""
    unshown = (table.exposure > 0.0) & (table.demonstrations == 0.0)
    if unshown.any():
        share, deployed = float(table.exposure[unshown].sum()), int((table.exposure > 0.0).sum())
        message = note("plan.strata_never_shown", unshown=int(unshown.sum()), deployed=deployed, share=share)
        yield CoverageGap(GapKind.NEVER_SHOWN, Stratum(), share, message)


def _make_gap_sort_key(fact: Note) -> tuple[str, ...]:
    """Order gaps of equal share: boxes, unlogged quantities, then by quantity, end, value and site."""
    rank = {"plan.position_never_shown": "0", "plan.range_not_logged": "1"}.get(fact.code, "2")
    return (rank, *_list_sortable_texts(fact, ("quantity", "end", "edge", "low_deg", "low", "site", "box")))


def _list_sortable_texts(fact: Note, names: Iterable[str]) -> Iterator[str]:
    given = dict(fact.numbers)
    for value in map(given.get, names):
        if isinstance(value, tuple):
            yield from (
                text
                for side in value
                if isinstance(side, Note)
                for text in _list_sortable_texts(side, ("quantity", "low"))
            )
        elif value is not None:
            yield f"{value:.4g}" if isinstance(value, float) else str(value)


def _make_more_ranges_gap(count: int) -> Iterator[CoverageGap]:
    if count > 0:
        yield CoverageGap(GapKind.RANGE_END, Stratum(), None, note("plan.more_ranges", more=count))
