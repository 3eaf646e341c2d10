"""Explanations by conditions: what demonstrations lack, what was only simulated, what is part of the machinery."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from fieldloop.diagnose.explanations.columns import COVERABLE, Columns
from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.explanations.explanation import Explanation, Kind
from fieldloop.diagnose.explanations.priors import is_starved, loss_of, never_shown
from fieldloop.diagnose.inference.strengths import Strength
from fieldloop.diagnose.inference.table import Table
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Role
from fieldloop.model.note import note
from fieldloop.protocol import Section


def condition_explanations(
    before: Table, after: Table, shown: Demonstrations | None, columns: Columns, settings: Section
) -> Iterator[Explanation]:
    """Yield single conditions, and pairs of different factors."""
    least = int(settings.number("min_slice_episodes"))
    conditions = list(after.conditions)
    holds, held = ([table.holds(c) for c in conditions] for table in (after, before))
    together = after.count_together(conditions)
    for at, condition in enumerate(conditions):
        if together[at, at] >= least and columns.role(condition.factor) is not Role.JUDGE:
            yield from _single_condition_explanation(
                Stratum((condition,)), holds[at], held[at], shown, columns, settings
            )
    pairs = [
        (i, j)
        for i, j in combinations(range(len(conditions)), 2)
        if conditions[i].factor != conditions[j].factor
        and least <= together[i, j] < min(together[i, i], together[j, j])
    ]
    for i, j in pairs:
        stratum = Stratum(tuple(sorted((conditions[i], conditions[j]))))
        yield from _pair_explanation(
            stratum, holds[i] & holds[j], held[i] & held[j], len(pairs), shown, columns, settings
        )


def _single_condition_explanation(
    stratum: Stratum,
    after: Strength,
    before: Strength,
    shown: Demonstrations | None,
    columns: Columns,
    settings: Section,
) -> Iterator[Explanation]:
    """Yield a single condition, unless it was demonstrated enough on real robots: it may be hard, but lacks nothing."""
    gap, reasons, odds = columns.gap_of_stratum(stratum), [], settings.number("plain_odds")
    showable = columns.can_be_shown(stratum)
    never = never_shown(stratum, shown, settings) if showable else None
    if showable:
        simulated = settings.number("simulated_share"), settings.number("simulated_errors")
        if shown is not None and shown.mostly_simulated(stratum, *simulated):
            gap, odds = Gap.SIM_TO_REAL, settings.number("lacking_odds")
            reasons.append(note("diagnose.simulated_there"))
        elif never:
            odds = settings.number("lacking_odds")
            reasons.append(note("diagnose.hardly_demonstrated"))
        elif is_starved(stratum, float(np.mean(after)), shown, settings):
            odds, never = settings.number("starved_odds"), None  # too few is neither none nor enough
            reasons.append(note("diagnose.demonstrated_too_little"))
        elif never is False:
            return
        elif not before.any():
            odds = settings.number("new_odds")
    if gap not in COVERABLE and gap is not Gap.SIM_TO_REAL:
        reasons.append(note("diagnose.part_of_the_machinery"))
    if not before.any() and never is not False:
        reasons.append(note("diagnose.new_to_the_baseline"))
    loss = loss_of(columns.role(stratum.conditions[0].factor), settings)
    yield Explanation(
        gap, stratum, Kind.CONDITION, after, before, odds, loss, never_covered=never, reasons=tuple(reasons)
    )


def _pair_explanation(
    stratum: Stratum,
    after: Strength,
    before: Strength,
    count: int,
    shown: Demonstrations | None,
    columns: Columns,
    settings: Section,
) -> Iterator[Explanation]:
    """Yield a pair with a low prior, because there are many; a higher one where demonstrations lack the pair."""
    known = shown is not None and shown.shown(stratum) is not None
    least = settings.number("covered_demonstrations")
    lacks = known and shown is not None and shown.lacks(stratum, least, settings.number("due_ratio") * least)
    if not columns.can_be_shown(stratum) or (known and not lacks):
        return
    odds = settings.number("pairs_odds") - np.log(count)
    loss = loss_of(Role.CONDITION, settings)
    yield Explanation(
        columns.gap_of_stratum(stratum), stratum, Kind.PAIR, after, before,
        odds + lacks * settings.number("lacking_pair_bonus"), loss,
        never_covered=True if lacks else None,
        reasons=(note("diagnose.hardly_demonstrated"),) if lacks else (),
    )  # fmt: skip
