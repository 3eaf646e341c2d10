"""Evidence of a cause, with numbers that a person on the floor can check."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.explanations.explanation import Explanation, Kind
from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, note

if TYPE_CHECKING:
    from fieldloop.diagnose.inquiry import Inquiry


def evidence_of(inquiry: "Inquiry", explanation: Explanation, probability: float) -> Note:
    """State what was measured, what its rows lost, what was demonstrated, what its prior rests on, its probability."""
    first, *others = _facts(inquiry, explanation, probability)
    return replace(first, details=(*first.details, *others))


def _facts(inquiry: "Inquiry", explanation: Explanation, probability: float) -> Iterator[Note]:
    inside = explanation.inside
    if explanation.measurement is not None:
        yield explanation.measurement
    yield from _compare_with_other_rows(inquiry, explanation)
    if explanation.kind is Kind.RISE:
        yield note("diagnose.worse_with_distance")
    if explanation.where and explanation.kind is not Kind.FAULT:
        yield from _demonstration_notes(inquiry, explanation.where)
    if inside.any() and not inquiry.after.success[inside].any():
        yield note("diagnose.none_succeeded")
    yield from explanation.reasons
    if probability > (most := inquiry.settings.number("nearly_certain")):
        yield note("diagnose.probability_above", probability=most)
    else:
        yield note("diagnose.probability", probability=probability)


def _compare_with_other_rows(inquiry: "Inquiry", explanation: Explanation) -> Iterator[Note]:
    """Compare its rows with the others: places with other places, times with other times."""
    inside, since = explanation.inside, str(explanation.since.day) if explanation.since else None
    if explanation.kind in (Kind.FAULT, Kind.EVERYWHERE):
        lost = float((inquiry.expected - inquiry.after.success)[inside].mean())
        yield note("diagnose.lost_everywhere", episodes=int(inside.sum()), lost_points=100.0 * lost)
    elif explanation.kind is Kind.GROWTH:
        at_ns = inquiry.after.at_ns
        third = (at_ns.max() - at_ns.min()) // 3
        yield _tally("diagnose.first_third", inquiry, at_ns <= at_ns.min() + third)
        yield _tally("diagnose.last_third", inquiry, at_ns >= at_ns.max() - third)
        yield note("diagnose.worse_with_time")
    else:
        if explanation.where:
            yield _tally("diagnose.lost_there", inquiry, inside, where=str(explanation.where), since=since)
        else:
            yield _tally("diagnose.lost_in_all", inquiry, inside, since=since)
        if not inside.all():
            yield _tally(_other_rows_code(explanation), inquiry, ~inside)


def _other_rows_code(explanation: Explanation) -> str:
    """Return the code for the rows that are compared with those of an explanation."""
    if explanation.kind is Kind.DAY:
        return "diagnose.before"
    return "diagnose.before_and_elsewhere" if explanation.since else "diagnose.elsewhere"


def _demonstration_notes(inquiry: "Inquiry", where: Stratum) -> Iterator[Note]:
    demonstrations = inquiry.evidence.demonstrations
    count = demonstrations.shown(where) if demonstrations is not None else None
    if demonstrations is not None and count is not None:
        simulated = demonstrations.simulated_share(where) or None
        yield note("diagnose.demonstrated", demonstrations=count, simulated=simulated)


def _tally(
    code: str, inquiry: "Inquiry", rows: NDArray[np.bool_], where: str | None = None, since: str | None = None
) -> Note:
    """Count successes in some rows beside what the baseline predicts for them."""
    success, expected = inquiry.after.success[rows], inquiry.expected[rows]
    counts = {"succeeded": round(float(success.sum())), "attempts": len(success), "expected": float(expected.mean())}
    placed = {name: text for name, text in (("where", where), ("since", since)) if text is not None}
    return Note(code, (*placed.items(), *counts.items()))
