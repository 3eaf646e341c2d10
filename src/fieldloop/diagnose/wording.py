"""Evidence in words with numbers, so that somebody on the floor can check it."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from fieldloop.diagnose.candidates import Kind
from fieldloop.diagnose.components import Component
from fieldloop.diagnose.mix import Harder
from fieldloop.diagnose.numerals import percent, several
from fieldloop.diagnose.table import Floats
from fieldloop.model.stream import NS_PER_S

if TYPE_CHECKING:
    from fieldloop.diagnose.inquiry import Inquiry


def of_component(inquiry: "Inquiry", component: Component) -> str:
    """What a slice lost beside what the others did, since when, what was demonstrated, and what it may be instead."""
    found = component.found
    inside = found.candidate.inside
    words = [
        f"{component.stratum}: {_tally(inquiry, inside)}; elsewhere {_tally(inquiry, ~inside)}.",
        f"Chance after {several(found.looked_at, 'slice')}: {found.chance:.2g}.",
    ]
    if found.candidate.kind in (Kind.RISE, Kind.GROWTH):
        words.append("The farther, the worse.")
    if component.change is not None:
        change = component.change
        words.append(f"Since {_day(change.since_ns)} it loses {percent(change.since)}, before {_lost(change.before)}.")
    shown = inquiry.evidence.demonstrations
    if shown is not None and (count := shown.shown(component.stratum)) is not None:
        simulated = shown.simulated_share(component.stratum) or 0.0
        words.append(
            f"{several(count, 'demonstration')} of it{f', {percent(simulated)} simulated' if simulated else ''}."
        )
    if len(inquiry.after.success[inside]) and not inquiry.after.success[inside].any():
        words.append("Not one succeeded: let a person try whether it can be done at all before collecting.")
    if component.reasons:
        words.append(f"Set apart: {'; '.join(component.reasons)}.")
    return " ".join(words)


def of_pool(inquiry: "Inquiry", rows: Floats) -> str:
    """What is lost where nothing sets rows apart."""
    inside = rows > 0.0
    lost = float((inquiry.search.expected - inquiry.after.success)[inside].mean())
    return f"{percent(lost)} lost in {several(int(inside.sum()), 'episode')} under these conditions alike."


def of_mix(harder: Harder) -> str:
    """How the mix of one factor moved."""
    return (
        f"Production is harder than the baseline was, most by {harder.stratum}: {percent(harder.after)} of episodes "
        f"instead of {percent(harder.before)}; the mix of this factor costs {100 * harder.lost:.1f} points as the "
        "baseline knew it."
    )


def _tally(inquiry: "Inquiry", rows: np.typing.NDArray[np.bool_]) -> str:
    success, expected = inquiry.after.success[rows], inquiry.search.expected[rows]
    if not len(success):
        return "nothing"
    return f"{success.sum():.0f} of {len(success)} succeeded where {percent(expected.mean())} was expected"


def _lost(share: float) -> str:
    return percent(share) if share > 0.0 else "nothing"


def _day(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns // NS_PER_S, UTC).date().isoformat()
