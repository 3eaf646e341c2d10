"""Evidence in words with numbers, so that somebody on the floor can check it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.explanation import Explanation, Kind
from fieldloop.diagnose.numerals import percent, several
from fieldloop.model.condition import Stratum

if TYPE_CHECKING:
    from fieldloop.diagnose.inquiry import Inquiry


SURE = 0.99


def of_explanation(inquiry: "Inquiry", one: Explanation, probability: float) -> str:
    """What was measured of it, what its rows lost, since when, what was demonstrated, and how probable it is."""
    inside = one.inside
    words = [one.words] if one.words else []
    words.append(_lost(inquiry, one))
    if one.kind is Kind.RISE:
        words.append("The farther, the worse.")
    if one.where and one.kind is not Kind.FAULT:
        words.extend(_shown(inquiry, one.where))
    if inside.any() and not inquiry.after.success[inside].any():
        words.append("Not one succeeded.")
    if one.reasons:
        words.append(f"Set apart: {'; '.join(one.reasons)}.")
    sure = "above 99 %" if probability > SURE else percent(probability)
    words.append(f"Probability beside all else that was looked at: {sure}.")
    return " ".join(words)


def _lost(inquiry: "Inquiry", one: Explanation) -> str:
    """What its rows lost beside the others: places beside other places, times beside other times."""
    inside = one.inside
    if one.kind in (Kind.FAULT, Kind.EVERYWHERE):
        lost = float((inquiry.expected - inquiry.after.success)[inside].mean())
        return f"{several(int(inside.sum()), 'episode')} that it reaches lost {percent(lost)} in all."
    if one.kind is Kind.GROWTH:
        at_ns = inquiry.after.at_ns
        third = (at_ns.max() - at_ns.min()) // 3
        first, last = at_ns <= at_ns.min() + third, at_ns >= at_ns.max() - third
        told = f"in the first third of the time {_tally(inquiry, first)}; in the last {_tally(inquiry, last)}"
        return f"Everything: {told}. The later, the worse."
    since = f" since {one.since.day}" if one.since else ""
    other = "before" if one.kind is Kind.DAY else "before and elsewhere" if one.since else "elsewhere"
    return f"{one.where or 'Everything'}{since}: {_tally(inquiry, inside)}; {other} {_tally(inquiry, ~inside)}."


def _shown(inquiry: "Inquiry", where: Stratum) -> Iterator[str]:
    demonstrations = inquiry.evidence.demonstrations
    count = demonstrations.shown(where) if demonstrations is not None else None
    if demonstrations is not None and count is not None:
        simulated = demonstrations.simulated_share(where) or 0.0
        yield f"{several(count, 'demonstration')} of it{f', {percent(simulated)} simulated' if simulated else ''}."


def _tally(inquiry: "Inquiry", rows: NDArray[np.bool_]) -> str:
    success, expected = inquiry.after.success[rows], inquiry.expected[rows]
    if not len(success):
        return "nothing"
    return f"{success.sum():.0f} of {len(success)} succeeded where {percent(expected.mean())} was expected"
